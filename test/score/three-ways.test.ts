/**
 * One suite in YAML, in TypeScript, and in TypeScript with expressions and built-in checks by name: whichever an author prefers, what it says
 * of a conversation is the same, reasons and evidence included.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Conversation } from '../../src/model/conversation.ts';
import { formatMistakes } from '../../src/model/mistake.ts';
import type { ToolCall } from '../../src/model/turn.ts';
import { noIdenticalLoop } from '../../src/score/checks/no-identical-loop.ts';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import {
  type DefinedSuite,
  defineSuite,
  expressions,
  followsGoldenPath,
  goldenTraces,
  notApplicable,
  order,
  type Subject,
  uses,
} from '../../src/score/define-suite.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { goldenFilesIn } from '../../src/score/trajectory/golden-files.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { aConversation, aToolCall, aTurn, anError, content, REDACTED } from './conversations.ts';
import { answered, judgesWho } from './judge/judging-suite.ts';
import { GT_001 } from './trajectory/ticket-agent.ts';
import { rounds } from '../rounds.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path.join(folder, 'gt_001.yaml'), GT_001);

const YAML = `
suite: tickets
scope: conversation
match: { agent: 'sched*' }
extract:
  found: last(tools('search_tickets').filter(c, c.ok))
completed: found != null && turn.ok
golden: { files: gt_001.yaml }
criteria:
  - name: right_account
    question: Was it the right account?
    weight: 0.3
    needs: [truth]
    when: found != null
    check: found.args.account_id == truth.account
    reason: Looked at {{ found.args.account_id }} instead of {{ truth.account }}.
    evidence: found
  - name: no_loop
    question: Did it get on?
    weight: 0.1
    uses: no_identical_loop
    with: { in_a_row: 2 }
  - name: searched_first
    question: Did it search before it read?
    weight: 0.2
    order: { before: [search_tickets, get_ticket_detail], when_absent: pass }
  - name: path
    question: Did it go the right way?
    weight: 0.2
    uses: follows_golden_path
  - name: tone
    question: Is it civil?
    weight: 0.1
    judge: { guidance: "No: it blames the user." }
  - name: short
    question: Is it short?
    weight: 0.1
    needs: [final_answer]
    when: has(state.short)
    check: size(final_answer) < 30
    reason: It has {{ size(final_answer) }} characters.
    when_not_applicable: pass
    critical: graceful_failure
`;

/** The part that all ways share. */
const HEAD = { name: 'tickets', scope: 'conversation', match: { agent: 'sched*' } } as const;
const golden = goldenTraces({ files: 'gt_001.yaml', from: folder });
const [account, loop, first, way, civil, brief] = [
  { name: 'right_account', question: 'Was it the right account?', weight: 0.3 },
  { name: 'no_loop', question: 'Did it get on?', weight: 0.1 },
  { name: 'searched_first', question: 'Did it search before it read?', weight: 0.2 },
  { name: 'path', question: 'Did it go the right way?', weight: 0.2 },
  { name: 'tone', question: 'Is it civil?', weight: 0.1 },
  { name: 'short', question: 'Is it short?', weight: 0.1 },
] as const;
const searchedFirst = order.before('search_tickets', 'get_ticket_detail', { whenAbsent: 'pass' });
const judge = { guidance: 'No: it blames the user.' };
const shortParts = { needs: ['final_answer'], whenNotApplicable: 'pass', critical: 'graceful_failure' } as const;

const found = expressions({ found: "last(tools('search_tickets').filter(c, c.ok))" });
const mixed = defineSuite({
  ...HEAD,
  golden,
  completed: found.holds('found != null && turn.ok'),
  criteria: [
    {
      ...account,
      needs: ['truth'],
      when: found.when('found != null'),
      check: found.check('found.args.account_id == truth.account', {
        reason: 'Looked at {{ found.args.account_id }} instead of {{ truth.account }}.',
        evidence: 'found',
      }),
    },
    { ...loop, ...uses('no_identical_loop', { in_a_row: 2 }) },
    { ...first, check: searchedFirst },
    { ...way, check: followsGoldenPath({ golden }) },
    { ...civil, judge },
    {
      ...brief,
      ...shortParts,
      when: found.when('has(state.short)'),
      check: found.check('size(final_answer) < 30', { reason: 'It has {{ size(final_answer) }} characters.' }),
    },
  ],
});

function foundIn(c: Subject): ToolCall | undefined {
  return c.tools('search_tickets').findLast(({ error, answered: isOver }) => error === undefined && isOver);
}

const typeScript = defineSuite({
  ...HEAD,
  golden,
  extract: { found: foundIn },
  completed: (c) => c.extracts.found !== undefined && c.turn.error === undefined,
  criteria: [
    {
      ...account,
      needs: ['truth'],
      when: ({ extracts }) =>
        extracts.found !== undefined || notApplicable('It is for conversations where found != null.'),
      check: ({ extracts: { found: call }, truth }) => {
        if (call?.args.state !== 'whole')
          return notApplicable('The arguments of search_tickets is redacted.', 'not_recorded');
        const [actual, wanted]: unknown[] = [Object(call.args.json).account_id, Object(truth).account];
        const pass = actual === wanted;
        return {
          pass,
          reason: pass ? undefined : `Looked at ${actual} instead of ${wanted}.`,
          evidence: [call.spanId],
        };
      },
    },
    { ...loop, needs: noIdenticalLoop.needs, check: noIdenticalLoop.make({ in_a_row: 2 }) },
    { ...first, check: searchedFirst },
    { ...way, check: followsGoldenPath({ golden }) },
    { ...civil, judge },
    {
      ...brief,
      ...shortParts,
      when: ({ state }) =>
        Object.hasOwn(Object(state), 'short') || notApplicable('It is for conversations where has(state.short).'),
      check: ({ finalAnswer }) =>
        finalAnswer.length < 30 || { pass: false, reason: `It has ${finalAnswer.length} characters.` },
    },
  ],
});

function compiled(suite: DefinedSuite): CompiledSuite {
  const result = compileSuite(suite, { file: 'suite.ts', placeOf: () => ({ line: undefined, column: undefined }) });
  if (result.suite === undefined) throw new Error(formatMistakes(result.mistakes));
  return result.suite;
}

const fromYaml = readSuite(YAML, 'tickets.yaml', { files: goldenFilesIn(folder) });

const aCall = fc.record({
  tool: fc.constantFrom('search_tickets', 'search_tickets', 'get_ticket_detail', 'reply'),
  account: fc.constantFrom('ACC-4821', 'ACC-4821', 'ACC-1'),
  fails: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
  redacted: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
});
const anyConversation: fc.Arbitrary<Conversation> = fc
  .record({
    calls: fc.array(aCall, { maxLength: 5 }),
    answer: fc.constantFrom('ACC-4821 has one ticket.', 'ACC-4821 has a ticket, and this is what it says.', 'No.', ''),
    truth: fc.constantFrom({ account: 'ACC-4821' }, { account: 'ACC-4821' }, undefined),
    state: fc.constantFrom({ short: true }, {}, undefined),
    fails: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  })
  .map(({ calls, answer, truth, state, fails }) => {
    const toolCalls = calls.map(({ tool, account: id, fails: failed, redacted }, at) =>
      aToolCall(tool, {
        startedAtMs: 2000 + at * 10,
        endedAtMs: 2005 + at * 10,
        args: redacted
          ? REDACTED
          : content(tool === 'search_tickets' ? { account_id: id, limit: 3 } : { ticket_id: 'TKT-1' }),
        ...(failed ? { error: anError('no'), result: content(undefined) } : { result: content([{ id: 'TKT-1' }]) }),
      }),
    );
    const asked = 'Show me the last 3 support tickets for account ACC-4821';
    const error = fails ? anError('it broke') : undefined;
    return aConversation([aTurn({ asked, answered: answer, toolCalls, truth, state, error })]);
  });

test('the same evaluations, reasons and evidence included', () => {
  const { suite: yaml } = fromYaml;
  if (yaml === undefined) throw new Error(formatMistakes(fromYaml.mistakes));
  const ways = [compiled(typeScript), compiled(mixed)];
  const seen = new Set<string>();
  const said: (boolean | undefined)[] = [true, false, undefined];

  fc.assert(
    fc.property(anyConversation, fc.constantFrom(...said), (conversation, tone) => {
      const target = { conversation, turnId: undefined, revision: 1 };
      const judges = judgesWho(() =>
        tone === undefined ? 'waiting' : answered({ criterion: 'tone', pass: tone, reason: 'So it seems.' }),
      );

      const evaluation = evaluate(yaml, target, { judges });

      // Code has no property by which it could be distinguished from other code.
      const known = { ...evaluation, basis: expect.anything() };
      for (const way of ways) expect(evaluate(way, target, { judges })).toEqual(known);
      expect(ways.map((way) => way.whyNot(conversation))).toEqual([
        yaml.whyNot(conversation),
        yaml.whyNot(conversation),
      ]);
      for (const [criterion, { verdict }] of evaluation.verdicts) seen.add(`${criterion} ${verdict}`);
    }),
    { numRuns: rounds(1000), seed: 20_261_121 },
  );

  // Each of them has been seen to pass and to fail, and what can be undecided to be so.
  const criteria = yaml.criteria.map(({ name }) => name);
  expect([...seen]).toEqual(
    expect.arrayContaining([
      ...criteria.flatMap((criterion) => [`${criterion} pass`, `${criterion} fail`]),
      'right_account not_applicable',
      'short not_applicable',
      'tone skipped',
    ]),
  );
});

test.each([
  ['an expression that is none', () => expressions().check('found.x =='), /found\.x ==/],
  ['a name that does not exist', () => expressions().when('fond == 1'), /fond/],
  ['an extract with the name of something else', () => expressions({ turn: '1' }), /'turn' cannot be the name/],
  ['a check that does not exist', () => uses('no_identical_lop'), /did you mean 'no_identical_loop'\?/],
  ['a check that needs golden traces', () => uses('follows_golden_path'), /no built-in check 'follows_golden_path'/],
  ['a parameter that does not exist', () => uses('no_identical_loop', { in_row: 2 }), /did you mean 'in_a_row'\?/],
])('%s is a mistake when the module is loaded', (_claim, make, message) => {
  expect(make).toThrow(message);
});
