import { expect, test } from 'vitest';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { diffLines } from '../../../src/score/trajectory/describe-comparison.ts';
import type { MatchMode } from '../../../src/score/trajectory/golden-trace.ts';
import { GoldenLibrary } from '../../../src/score/trajectory/golden-library.ts';
import { assessRun } from '../../../src/score/trajectory/assess-run.ts';
import { readGolden } from '../../../src/score/trajectory/read-golden.ts';
import { scoreMillionths } from '../../../src/score/trajectory/compare-run.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import { anError, MISSING } from '../conversations.ts';
import { aRun, call } from './ticket-agent.ts';

function compare(steps: string, calls: readonly ToolCall[], mode: MatchMode = 'in_order') {
  const { traces, mistakes } = readGolden(`{ id: x, input: '', mode: ${mode}, steps: ${steps} }`, 'x.yaml');
  const [trace] = traces;
  if (trace === undefined) throw new Error(formatMistakes(mistakes));
  const judged = assessRun(trace, subjectOf(aRun(calls), undefined), { golden: new GoldenLibrary(traces) });
  if (typeof judged === 'string') throw new Error(judged);
  return {
    score: scoreMillionths(judged.comparison) / 1e6,
    follows: judged.first === undefined,
    lines: diffLines(judged.comparison, () => ({})).map(
      ({ kind, step, call: at }) => `${kind} ${step ?? '-'}:${at ?? '-'}`,
    ),
  };
}

/** Calls one after another, by the letters of the tools. */
function calls(tools: string): readonly ToolCall[] {
  return [...tools].map((tool, index) => call(tool, {}, { startedAtMs: index * 10, endedAtMs: index * 10 + 5 }));
}

const ABC = '[{ tool: a }, { tool: b }, { tool: c }]';

test.each<[mode: MatchMode, followed: string]>([
  ['exact', 'abc'],
  ['in_order', 'abc abcd adbc'],
  ['any_order', 'abc acb cba'],
  ['superset', 'abc acb cba abcd adbc dcba'],
  ['subset', 'abc acb cba a ba c'],
])('the mode %s is followed by the runs it is for, and by no others', (mode, followed) => {
  const runs = ['abc', 'acb', 'cba', 'abcd', 'adbc', 'dcba', 'a', 'ba', 'c', 'da', 'd'];

  expect(runs.filter((run) => compare(ABC, calls(run), mode).follows).join(' ')).toBe(followed);
});

test.each<[mode: MatchMode, run: string, score: number]>([
  ['in_order', 'abcd', 1],
  ['exact', 'abcd', 0.75],
  ['any_order', 'dcba', 0.75],
  ['in_order', 'acb', 0.666666],
  ['in_order', 'ab', 0.666666],
  ['subset', 'ab', 1],
  ['subset', 'abd', 0.666666],
  ['subset', '', 1],
  ['superset', 'dcb', 0.666666],
])('in the mode %s the run %s scores %d', (mode, run, score) => {
  expect(compare(ABC, calls(run), mode).score).toBe(score);
});

test('a step at another time is shown as such, once as a step and once as a call', () => {
  expect(compare(ABC, calls('acb'))).toMatchObject({
    follows: false,
    lines: ['matched 1:1', 'out_of_order 2:3', 'matched 3:2', 'extra -:3'],
  });
});

test('calls that ran side by side come in either order', () => {
  const beside = [call('b', {}, { startedAtMs: 0, endedAtMs: 50 }), call('a', {}, { startedAtMs: 10, endedAtMs: 40 })];

  expect(compare('[{ tool: a }, { tool: b }]', beside).follows).toBe(true);
  expect(compare('[{ tool: a }, { tool: b }]', calls('ba')).follows).toBe(false);
});

test('the retry that succeeded is the step, and the attempt that failed is extra', () => {
  const failed = call('a', {}, { error: anError('timeout'), result: MISSING, startedAtMs: 0, endedAtMs: 1 });

  const { lines } = compare('[{ tool: a }]', [failed, call('a', {}, { startedAtMs: 5, endedAtMs: 6 })]);

  expect(lines).toEqual(['extra -:1', 'matched 1:2']);
});

test('the best alignment is found where the first that fits is not', () => {
  const steps = '[{ tool: a, args: { n: "*" } }, { tool: a, args: { n: "1" } }]';
  const run = [call('a', { n: '1' }), call('a', { n: '2' })];

  expect(compare(steps, run, 'any_order')).toMatchObject({ score: 1, follows: true });
});

test('a write weighs three times a read, unless the step says otherwise', () => {
  expect(compare('[{ tool: get_x }, { tool: delete_x }]', [call('get_x', {})]).score).toBe(0.25);
  expect(compare('[{ tool: get_x }, { tool: delete_x, weight: 1 }]', [call('get_x', {})]).score).toBe(0.5);
  expect(compare('[{ tool: get_x }, { tool: delete_x, writes: false }]', [call('get_x', {})]).score).toBe(0.5);
});

test('more calls than are compared count as beyond the trace', () => {
  const many = calls('a'.repeat(600));

  expect(compare('[{ tool: a }]', many, 'exact').follows).toBe(false);
  expect(compare('[{ tool: a }]', many).follows).toBe(true);
});
