import { expect, test } from 'vitest';
import {
  type GateResult,
  type JudgedCount,
  type JudgedLimit,
  type JudgedRule,
  mayRelease,
} from '../../src/model/gate.ts';
import { documentMarkdown } from '../../src/report/documents/document-markdown.ts';
import { gateDocument } from '../../src/report/documents/gate-document.ts';
import { printDocument } from '../../src/cli/print-document.ts';
import { printed } from '../cli/printed.ts';
import { gateJson, gateJUnit } from '../../src/report/documents/gate-report.ts';

const HOSTILE = '](javascript:x) <img src=x> | @everyone `x`\n\n# Passed';

function gateMarkdown(result: GateResult): string {
  return documentMarkdown(gateDocument(result, undefined));
}

function ruleOf(decision: JudgedRule['decision'], changed: Partial<JudgedLimit> = {}): JudgedLimit {
  return {
    is: 'limit',
    suite: 'scheduling',
    rule: 'criterion.correct_time',
    limit: 'max_drop',
    allowed: 0.05,
    isBrokenAtWorst: false,
    decision,
    because: 'It is beyond the limit.',
    figures: {
      value: -0.2,
      lower: -0.3,
      upper: -0.1,
      baseline: 1,
      candidate: 0.8,
      cases: 60,
      moved: 12,
      isPaired: true,
      isRelative: false,
    },
    shown: { allowed: 'at most 5 points down', value: '−20 points', interval: '−30 points to −10 points' },
    casesNeeded: undefined,
    runsNeeded: undefined,
    isOnCases: false,
    examples: [],
    ...changed,
  };
}

function countOf(decision: JudgedRule['decision'], changed: Partial<JudgedCount> = {}): JudgedCount {
  return {
    is: 'count',
    suite: 'scheduling',
    rule: 'newly_hard_failing',
    allowed: 0,
    decision,
    because: '7 cases that passed in the baseline fail hard now.',
    counted: {
      broken: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      changed: [],
      undecided: ['x'],
      notRun: 2,
      cases: 20,
      leftOut: { only_in_baseline: 1, only_in_candidate: 0, changed: 0, not_scored: 0 },
    },
    shown: { allowed: 'no case', value: '7 of 20 cases', interval: '3 undecided' },
    examples: ['a', 'b', 'c', 'd', 'e'],
    readWith: 'assay compare a-id b-id --transcripts a',
    ...changed,
  };
}

function resultOf(...rules: readonly JudgedRule[]): GateResult {
  const side = { agentVersion: undefined, commit: undefined, startedAt: '2026-11-20T10:00:00Z', runs: 60 };
  return {
    decision: 'regression',
    sentence: 'Regression: 7 of 20 cases broke.',
    confidence: 0.95,
    candidate: { ...side, id: 'b-id', name: HOSTILE },
    baseline: { ...side, id: 'a-id', name: 'a' },
    rules,
    about: new Map(),
    look: undefined,
    warnings: [HOSTILE],
  };
}

test('what text from elsewhere says is text in a pull request, and nothing else', () => {
  const markdown = gateMarkdown(resultOf(ruleOf('regression', { suite: HOSTILE, examples: [HOSTILE] })));

  // Between backticks, of which the text has none, no character is special.
  const text = markdown.replaceAll(/`[^`]*`/g, '');
  expect(text).not.toMatch(/<img/);
  expect(text).not.toMatch(/(^|[^\\])\]\(javascript/);
  expect(markdown).not.toMatch(/^# Passed/m);
  expect(text).not.toContain('@everyone');
  // A row has as many cells as the header.
  const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.map((row) => row.replaceAll('\\|', '').split('|').length)).toEqual([7, 7, 7]);
});

test.each([
  [{ number: 2, isEnd: true }, 'regression', 'decided. The experiment ended here, and 1 case was not run.', true],
  [{ number: 2, isEnd: true }, 'not_enough_evidence', 'not decided. The experiment ended here', true],
  [{ number: 2, isEnd: false }, 'not_enough_evidence', 'not decided, and 1 case is left to run.', false],
] as const)('a look is told with what was left out: %j, %s', (at, decision, text, isEarly) => {
  const look = { cases: 45, share: 0.2, of: 3, ofCases: 46, ...at };
  const result: GateResult = { ...resultOf(ruleOf('pass')), decision, look };

  expect(gateMarkdown(result)).toContain(`Look 2 of 3, at 45 of 46 cases\\: ${text}`);
  expect(gateMarkdown(result)).toContain(
    'Limits and tests are decided at 99 % at this look, which is 95 % over all looks,',
  );
  expect(gateJson(result).look).toEqual({
    number: 2,
    of: 3,
    cases: 45,
    of_cases: 46,
    share_of_error: 0.2,
    ended_early: isEarly,
  });
});

test('what is worst stands first', () => {
  const markdown = gateMarkdown(
    resultOf(
      ruleOf('pass', { rule: 'first' }),
      ruleOf('not_enough_evidence', { rule: 'second' }),
      ruleOf('regression'),
    ),
  );

  const rules = [...markdown.matchAll(/^\| [^|]+ \| `([^`]+)`/gm)].map(([, rule]) => rule);
  expect(rules).toEqual(['criterion.correct_time', 'second', 'first']);
});

test('criteria without a change are named once in a terminal, and each limit has its row in Markdown', () => {
  const still = { ...ruleOf('pass').figures, moved: 0 } as JudgedLimit['figures'];
  const open = (limit: JudgedLimit['limit'], casesNeeded: number | undefined) =>
    ruleOf('not_enough_evidence', { limit, figures: still, casesNeeded });
  const result = resultOf(open('floor', undefined), open('max_drop', undefined), open('max_rise', 72));

  const shown = printed((terminal) => printDocument(terminal, gateDocument(result, undefined)));

  expect(shown).toMatch(/not enough evidence +1 criterion unchanged: correct_time; too near the limit to tell\n/);
  expect(shown).toMatch(/not enough evidence +1 criterion unchanged: correct_time; about 72 cases would tell\n/);
  expect(gateMarkdown(result).match(/^\| not enough evidence \| `criterion\.correct_time` \|/gm)).toHaveLength(3);
});

test('JUnit counts what can not be told as the gate does', () => {
  const result = resultOf(
    ruleOf('pass'),
    ruleOf('regression'),
    ruleOf('not_enough_evidence'),
    ruleOf('not_applicable'),
  );

  expect(gateJUnit(result, { onNotEnoughEvidence: 'fail' })).toContain('tests="4" failures="2" errors="0" skipped="1"');
  expect(gateJUnit(result, { onNotEnoughEvidence: 'pass' })).toContain('tests="4" failures="1" errors="0" skipped="2"');
});

test('a count names its cases: all in JSON, the first few and the command that shows one elsewhere', () => {
  const result = resultOf(countOf('regression'));

  expect(gateJson(result)).toMatchObject({
    rules: [
      {
        rule: 'newly_hard_failing',
        limit: 'cases',
        value: 7,
        cases: 20,
        examples: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
        undecided: ['x'],
        not_run: 2,
        left_out: { only_in_baseline: 1 },
        command: 'assay compare a-id b-id --transcripts a',
      },
    ],
  });
  expect(gateMarkdown(result)).toContain(
    'Cases\\: `a`, `b`, `c`, `d`, `e`. Read the first\\: `npx assay compare a-id b-id --transcripts a`.',
  );
  expect(gateJUnit(result, { onNotEnoughEvidence: 'fail' })).toContain('assay compare a-id b-id --transcripts a');
});

test('a case id of a count is no more than text in a pull request', () => {
  const hostile = { examples: [HOSTILE], readWith: `assay compare a b --transcripts '${HOSTILE}'` };
  const markdown = gateMarkdown(resultOf(countOf('regression', hostile)));

  const text = markdown.replaceAll(/`[^`]*`/g, '');
  expect(text).not.toMatch(/<img/);
  expect(text).not.toContain('@everyone');
  expect(markdown).not.toMatch(/^# Passed/m);
});

test('what lets limits pass without enough evidence does not let counts pass', () => {
  const open = resultOf(countOf('not_enough_evidence'), ruleOf('not_enough_evidence'));
  const result: GateResult = { ...open, decision: 'not_enough_evidence' };

  expect(gateJUnit(result, { onNotEnoughEvidence: 'pass' })).toContain('tests="2" failures="1" errors="0" skipped="1"');
  expect(mayRelease(result, 'pass')).toBe(false);
  expect(mayRelease({ ...result, rules: [countOf('pass'), ruleOf('not_enough_evidence')] }, 'pass')).toBe(true);
  expect(mayRelease({ ...result, rules: [countOf('pass'), ruleOf('not_enough_evidence')] }, 'fail')).toBe(false);
});

test('JSON has every figure, and null where there is none', () => {
  const open = { ...ruleOf('pass').figures, upper: Number.POSITIVE_INFINITY } as JudgedLimit['figures'];
  const result = resultOf(ruleOf('pass', { figures: open }), ruleOf('not_applicable', { figures: undefined }));
  const json: unknown = JSON.parse(JSON.stringify(gateJson(result)));

  expect(json).toMatchObject({
    decision: 'regression',
    candidate: { id: 'b-id', agent_version: null },
    rules: [
      { value: -0.2, lower: -0.3, upper: null, baseline: 1, paired: true, relative: false, cases: 60 },
      { value: null, lower: null, paired: null },
    ],
  });
});
