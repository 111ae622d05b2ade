/** Order criteria in YAML, in TypeScript, and in TypeScript with expressions: the same evaluations, reasons included. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { compileSuite } from '../../../src/score/suite/compile-suite.ts';
import { defineSuite, notApplicable, order } from '../../../src/score/define-suite.ts';
import { evaluate } from '../../../src/score/suite/evaluate.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { readSuite } from '../../../src/score/suite/read-suite.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import {
  aConversation,
  aStep,
  aToolCall,
  aTurn,
  anError,
  content,
  REDACTED,
  ROOT_SPAN,
  spanId,
} from '../conversations.ts';
import { rounds } from '../../rounds.ts';

const YAML = `
suite: refunds
scope: conversation
normalize: true
extract:
  limit: 'state.limit'
criteria:
  - name: looked_first
    question: Did it look the order up before it refunded?
    weight: 0.3
    order: { before: [look_up, { tool: refund, where: call.args.amount > 10 }] }
  - name: confirmed
    question: Was the user asked just before?
    weight: 0.2
    order:
      immediately_before: [{ tool: confirm, ok: true }, refund]
      among: { tool: '*' }
      when_absent: pass
  - name: told
    question: Was the user told soon?
    weight: 0.2
    order: { within: [2 steps, refund, { kind: llm }] }
  - name: modest
    question: Not too much of anything?
    weight: 0.2
    order:
      all:
        - at_most: [2, 'look_*']
        - any: [{ first: look_up }, { not: { never: confirm } }]
        - never: { tool: refund, args_match: 'amount":9' }
  - name: small
    question: Was it a small sum?
    weight: 0.1
    check: tool_calls.all(c, c.name != 'refund' || c.args.amount < 90)
`;

const name = 'refunds';
const scope = 'conversation';
const shared = [
  {
    name: 'told',
    question: 'Was the user told soon?',
    weight: 0.2,
    check: order.within('2 steps', 'refund', { kind: 'llm' }),
  },
  {
    name: 'modest',
    question: 'Not too much of anything?',
    weight: 0.2,
    check: order.all(
      order.atMost(2, 'look_*'),
      order.any(order.first('look_up'), order.not(order.never({ tool: 'confirm' }))),
      order.never({ tool: 'refund', argsMatch: 'amount":9' }),
    ),
  },
] as const;

const looked = (where: string) => ({
  name: 'looked_first',
  question: 'Did it look the order up before it refunded?',
  weight: 0.3,
  check: order.before({ tool: 'look_up' }, { tool: 'refund', where }),
});
const confirmed = {
  name: 'confirmed',
  question: 'Was the user asked just before?',
  weight: 0.2,
  check: order.immediatelyBefore({ tool: 'confirm', ok: true }, 'refund', { among: '*', whenAbsent: 'pass' }),
} as const;

/** The last criterion is a check in either language; its reason is the default one in TypeScript, so that it gives its own. */
const typeScript = defineSuite({
  name,
  scope,
  normalize: true,
  criteria: [
    looked('call.args.amount > 10'),
    confirmed,
    ...shared,
    {
      name: 'small',
      question: 'Was it a small sum?',
      weight: 0.1,
      check: (c) => {
        const refunds = c.tools('refund');
        const gap = refunds.find(({ args }) => args.state !== 'whole');
        const large = refunds.find(({ args }) => Number(Object(args.json).amount) >= 90);
        if (large === undefined && gap !== undefined)
          return notApplicable('The arguments of refund is redacted.', 'not_recorded');
        return {
          pass: large === undefined,
          ...(large !== undefined && {
            reason: "This is false: tool_calls.all(c, c.name != 'refund' || c.args.amount < 90)",
            evidence: [large.spanId],
          }),
        };
      },
    },
  ],
});

function compiled(suite: typeof typeScript): CompiledSuite {
  const result = compileSuite(suite, { file: 'suite.ts', placeOf: () => ({ line: undefined, column: undefined }) });
  if (result.suite === undefined) throw new Error(formatMistakes(result.mistakes));
  return result.suite;
}

const fromYaml = readSuite(YAML, 'refunds.yaml');

const anyConversation = fc
  .array(
    fc.record({
      tool: fc.constantFrom('look_up', 'look_around', 'confirm', 'refund', 'llm'),
      start: fc.nat(8),
      takes: fc.nat(3),
      amount: fc.constantFrom(5, 50, 95),
      fails: fc.boolean(),
      redacted: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    }),
    { maxLength: 8 },
  )
  .map((deeds) => {
    const timed = deeds.map((deed, at) => ({
      ...deed,
      spanId: spanId(at + 1),
      startedAtMs: deed.start,
      endedAtMs: deed.start + deed.takes,
    }));
    const toolCalls = timed
      .filter(({ tool }) => tool !== 'llm')
      .map(({ tool, amount, fails, redacted, start: _start, takes: _takes, ...parts }) =>
        aToolCall(tool, {
          ...parts,
          id: undefined,
          requestedBy: undefined,
          args: redacted ? REDACTED : content({ amount }),
          error: fails ? anError('no') : undefined,
        }),
      )
      .sort((a, b) => a.startedAtMs - b.startedAtMs);
    const models = timed
      .filter(({ tool }) => tool === 'llm')
      .map(({ spanId: id, startedAtMs, endedAtMs }) => aStep({ spanId: id, startedAtMs, endedAtMs }));
    const root = aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined, startedAtMs: 0, endedAtMs: 100 });
    return aConversation([aTurn({ steps: [root, ...models], toolCalls, state: { limit: 10 } })]);
  });

test('the same evaluations, reasons included', () => {
  const yaml = fromYaml.suite;
  if (yaml === undefined) throw new Error(formatMistakes(fromYaml.mistakes));
  const ts = compiled(typeScript);
  const kinds = new Set<string>();

  fc.assert(
    fc.property(anyConversation, (conversation) => {
      const target = { conversation, turnId: undefined, revision: 1 };

      const evaluation = evaluate(yaml, target);

      // Code has no property by which it could be distinguished from other code.
      expect(evaluate(ts, target)).toEqual({ ...evaluation, basis: expect.anything() });
      for (const [criterion, { verdict }] of evaluation.verdicts) kinds.add(`${criterion} ${verdict}`);
    }),
    { numRuns: rounds(500), seed: 20_261_121 },
  );
  // Each of the order criteria has been seen to pass, to fail, and (where it can) not to apply.
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining(
      ['looked_first', 'confirmed', 'told', 'modest'].flatMap((criterion) => [
        `${criterion} fail`,
        `${criterion} pass`,
      ]),
    ),
  );
});

test('a function in place of an expression decides the same', () => {
  const byText = order.before('look_up', { tool: 'refund', where: 'call.args.amount > 10' });
  const byFunction = order.before('look_up', {
    tool: 'refund',
    where: ({ call }) => Number(Object(call?.args.json).amount) > 10,
  });

  fc.assert(
    fc.property(anyConversation, (conversation) => {
      fc.pre(conversation.turns.every(({ toolCalls }) => toolCalls.every(({ args }) => args.state === 'whole')));
      const subject = subjectOf(conversation, undefined);
      const [text, made] = [byText(subject), byFunction(subject)].map((answer) =>
        typeof answer === 'object' && 'pass' in answer ? [answer.pass, answer.evidence] : undefined,
      );
      expect(made).toEqual(text);
    }),
    { numRuns: rounds(200), seed: 20_261_121 },
  );
});

test('the selectors of YAML know the extracts of their suite', () => {
  const text = YAML.replace('call.args.amount > 10', 'call.args.amount > limit');
  const { suite, mistakes } = readSuite(text, 'refunds.yaml');
  const yaml = fromYaml.suite;
  if (suite === undefined || yaml === undefined) throw new Error(formatMistakes(mistakes));

  fc.assert(
    fc.property(anyConversation, (conversation) => {
      const target = { conversation, turnId: undefined, revision: 1 };
      const { verdicts } = evaluate(suite, target);
      expect(verdicts.get('looked_first')?.verdict).toBe(evaluate(yaml, target).verdicts.get('looked_first')?.verdict);
    }),
    { numRuns: rounds(200), seed: 20_261_121 },
  );
});

const PREDICATES =
  'before, immediately_before, never_after, responds_to, within, between, exactly, at_least, at_most, never, first, last, all, any, not';

test('every mistake has its line, what was expected, and what may have been meant', () => {
  const { mistakes } = readSuite(
    `suite: s
scope: conversation
normalize: true
criteria:
  - { name: a, question: Q?, weight: 1, order: { befor: [x, y] } }
  - { name: b, question: Q?, weight: 1, order: { before: [x] } }
  - { name: c, question: Q?, weight: 1, order: { before: [x, { tol: y }] } }
  - { name: d, question: Q?, weight: 1, order: { before: [x, y], never: x } }
  - { name: e, question: Q?, weight: 1, order: { at_most: [x, 3] } }
  - { name: f, question: Q?, weight: 1, order: { within: [3, x, y] } }
  - { name: g, question: Q?, weight: 1, order: { all: [{ never: { tool: x, args_match: '(' } }] } }
  - name: h
    question: Q?
    weight: 1
    order:
      first:
        tool: x
        where: call.nam == 'x' && turn.ok
  - { name: i, question: Q?, weight: 1, order: { never: x, among: y } }
  - { name: j, question: Q?, weight: 1, order: { before: [x, y], when_absent: maybe } }
  - { name: k, question: Q?, weight: 1, order: }
  - { name: l, question: Q?, weight: 1, order: { kind: tool } }
  - { name: m, question: Q?, weight: 1, order: { never: x }, check: turn.ok }
  - { name: n, question: Q?, weight: 1, order: { not: { never: { tool: x, kind: llm, ok: 1 } } } }
  - { name: p, question: Q?, weight: 1, order: { last: { kind: toool } } }
  - { name: o, question: Q?, weight: 1, order: { before: [x, y], whenAbsent: pass } }
`,
    's.yaml',
  );

  expect(
    mistakes.map(({ line, path, problem, expected }) => [line, path, problem.split('\n')[0], expected].join(' | ')),
  ).toEqual([
    "5 | criteria[0].order.befor | unknown field 'befor' | did you mean 'before'?",
    '6 | criteria[1].order.before | the list has 1 | [a, b]: a before b',
    "7 | criteria[2].order.before[1].tol | unknown field 'tol' | did you mean 'tool'?",
    '8 | criteria[3].order | there are before and never in one | one of them; put several under `all` or `any`',
    '9 | criteria[4].order.at_most[0] | "x" is not right | a whole number, 0 or more',
    "9 | criteria[4].order.at_most[1] | 3 is not right | a tool's name, or a step by tool, kind, name, agent, ok, args_match, result_match, where",
    '10 | criteria[5].order.within[0] | 3 is not right | a number of steps such as `3 steps`, or a time such as `500ms`, `30s`, `2m`',
    '11 | criteria[6].order.all[0].never.args_match | error parsing regexp: missing closing ): `(` | a pattern in RE2 syntax',
    '18 | criteria[7].order.first.where | No such key: nam | a field that exists (docs/reference/suite-language.md lists them)',
    '19 | criteria[8].order.among | `among` says nothing to never | it belongs to immediately_before, within, first, last',
    '20 | criteria[9].order.when_absent | "maybe" is not right | one of not_applicable, pass, fail',
    `21 | criteria[10].order | nothing is not right | one of ${PREDICATES}, with its steps`,
    `22 | criteria[11].order.kind | unknown field 'kind' | one of ${PREDICATES}, among, when_absent`,
    '23 | criteria[12] | there are both `check` and `order` | one of `check`, `uses`, `order`, `judge`',
    '24 | criteria[13].order.not.never.kind | "llm" is not right | either `tool` or `kind`: a tool is of kind tool',
    '24 | criteria[13].order.not.never.ok | 1 is not right | true or false',
    "25 | criteria[14].order.last.kind | there is no step kind 'toool' | did you mean 'tool'?",
    "26 | criteria[15].order.whenAbsent | unknown field 'whenAbsent' | did you mean 'when_absent'?",
  ]);
});

test('an extract may not have the name of what `where` looks at', () => {
  const text = `suite: s\nscope: turn\nextract: { call: first(tool_calls) }\ncriteria:\n  - { name: a, question: Q?, weight: 1, order: { never: { tool: x, where: call.ok } } }\n`;

  expect(readSuite(text, 's.yaml').mistakes.map(({ line, problem }) => [line, problem])).toEqual([
    [5, "the extract 'call' has the name of what `where` looks at"],
  ]);
});
