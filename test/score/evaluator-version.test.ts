/** The version under which an evaluator's results are sent out: another one whenever it says something else, and only then. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { defineSuite } from '../../src/score/define-suite.ts';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import { evaluatorVersions, sameVersions } from '../../src/score/suite/evaluator-version.ts';
import type { JudgeSettings } from '../../src/score/judge/judge-settings.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { tempDirectory } from '../temp-directory.ts';

const SUITE = `suite: refunds
version: "1"
scope: conversation
extract: { refund: last(tools('refund')) }
golden: { files: golden.yaml }
min_decided: 0.5
criteria:
  - { name: made, question: Was it made?, weight: 0.5, check: refund.ok }
  - { name: path, question: Right way?, weight: 0.3, uses: trajectory_score, with: { at_least: 0.8 } }
  - { name: tone, question: Civil?, weight: 0.2, judge: { guidance: Curt is a no. } }
outcomes:
  - { outcome: successful_completion, when: score >= 0.8 }
`;
const GOLDEN = 'id: gt_1\ninput: Refund order 17\nsteps: [{ tool: refund }]\n';
const JUDGE: JudgeSettings = { fingerprint: 'openai/a', evidenceTokens: 8000, share: 1 };

async function loaded(file: string, texts: Readonly<Record<string, string>>, judges = ['default']) {
  const folder = tempDirectory();
  for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text);
  const { suites, mistakes } = await loadSuites([`./${file}`], { baseDir: folder, builtinDir: folder, judges });
  expect(mistakes).toEqual([]);
  const [suite] = suites;
  if (suite === undefined) throw new Error('no suite');
  return suite;
}

const fromYaml = (text = SUITE, golden = GOLDEN) =>
  loaded('refunds.yaml', { 'refunds.yaml': text, 'golden.yaml': golden });
const versionsOf = (suite: CompiledSuite, judge = JUDGE) => evaluatorVersions(suite, () => judge);

function changed(before: CompiledSuite, after: CompiledSuite, judge = JUDGE): readonly string[] {
  const [was, is] = [versionsOf(before), versionsOf(after, judge)];
  const criteria = [...is.criteria].filter(([name, version]) => was.criteria.get(name) !== version);
  return [...criteria.map(([name]) => name), ...(was.suite === is.suite ? [] : ['the suite'])];
}

test.each<[string, string, string, readonly string[]]>([
  ['a check', 'check: refund.ok', 'check: refund.ok && !refund.failed', ['made', 'the suite']],
  ['the parameter of a built-in check', 'at_least: 0.8', 'at_least: 0.9', ['path', 'the suite']],
  ['a guidance', 'Curt is a no.', 'Curt is a yes.', ['tone', 'the suite']],
  ['an extract', "last(tools('refund'))", "first(tools('refund'))", ['made', 'path', 'tone', 'the suite']],
  ['weights', 'weight: 0.5', 'weight: 0.50', []],
  ['an outcome rule', 'score >= 0.8', 'score >= 0.9', ['the suite']],
  ['min_decided', 'min_decided: 0.5', 'min_decided: 0.6', ['the suite']],
  ['what fails hard', 'check: refund.ok }', 'check: refund.ok, critical: hard_failure }', ['the suite']],
  ['a comment', 'criteria:', '# Three of them.\ncriteria:', []],
  ['its form', '{ name: made, question: Was it made?', '{ name: "made", question: "Was it made?"', []],
])('%s: with the same `version:` these have another one', async (_what, from, to, expected) => {
  expect(SUITE).toContain(from);

  expect(changed(await fromYaml(), await fromYaml(SUITE.replace(from, to)))).toEqual(expected);
});

test('a golden trace is what a suite says as well', async () => {
  const after = await fromYaml(SUITE, GOLDEN.replace('tool: refund', 'tool: refund_order'));

  expect(changed(await fromYaml(), after)).toEqual(['made', 'path', 'tone', 'the suite']);
});

test('so is the judge: its model and parameters', async () => {
  const suite = await fromYaml();

  expect(changed(suite, suite)).toEqual([]);
  expect(changed(suite, suite, { ...JUDGE, fingerprint: 'openai/b' })).toEqual(['tone', 'the suite']);
  expect(changed(suite, suite, { ...JUDGE, evidenceTokens: 16_000 })).toEqual(['tone', 'the suite']);
  expect(evaluatorVersions(suite, () => undefined).criteria.get('tone')).toMatch(/^[0-9a-f]{12}$/);
});

const MODULE = `
import { defineSuite, uses } from '${new URL('../../src/score/define-suite.ts', import.meta.url).href}';
export default defineSuite({
  name: 'refunds',
  scope: 'conversation',
  criteria: [
    { name: 'made', question: 'Made?', weight: 0.5, check: (c) => c.tools('refund').length === 1 },
    { name: 'no_loop', question: 'No loop?', weight: 0.5, ...uses('no_identical_loop', { in_a_row: 3 }) },
  ],
});
`;

test.each([
  ['a check', 'length === 1', 'length >= 1'],
  ['the parameter of a built-in check', 'in_a_row: 3', 'in_a_row: 4'],
])('a suite in TypeScript: %s changes the version', async (_what, from, to) => {
  const before = await loaded('refunds.ts', { 'refunds.ts': MODULE });
  const after = await loaded('refunds.ts', { 'refunds.ts': MODULE.replace(from, to) });

  expect(changed(before, before)).toEqual([]);
  expect(changed(before, after)).toContain('the suite');
  expect(changed(before, after)).toContain('made');
});

test('of a suite that is no module the text of its functions counts, and what refers to itself is no trouble', () => {
  const nowhere = { file: 'suite.ts', placeOf: () => ({ line: undefined, column: undefined }) };
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const made = (check: () => boolean) => {
    const suite = defineSuite({
      name: 's',
      scope: 'turn',
      match: { attributes: { ring: 'x' } },
      criteria: [{ name: 'a', question: 'A?', weight: 1, check }],
    });
    const { suite: compiled } = compileSuite(Object.assign(suite, { ring, big: 1n }), nowhere);
    if (compiled === undefined) throw new Error('no suite');
    return compiled;
  };

  expect(
    changed(
      made(() => true),
      made(() => true),
    ),
  ).toEqual([]);
  expect(
    changed(
      made(() => true),
      made(() => false),
    ),
  ).toEqual(['a', 'the suite']);
});

test('a shadow with the version of the live suite and another content is told apart', async () => {
  const live = await fromYaml();
  const other = await fromYaml(SUITE.replace('score >= 0.8', 'score >= 0.9'));

  expect(sameVersions([live], [live])).toEqual([]);
  expect(sameVersions([live], [{ ...other, version: '2' }])).toEqual([]);
  expect(sameVersions([], [other])).toEqual([]);
  expect(sameVersions([live], [other])).toEqual([
    'refunds.yaml: the suite in shadow is refunds@1, as is the live one in refunds.yaml, and says something else: give it a `version` of its own',
  ]);
});
