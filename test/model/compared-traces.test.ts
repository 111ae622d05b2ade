/** Golden traces that no evaluation names. */
import { expect, test } from 'vitest';
import { unusedTraces } from '../../src/model/compared-traces.ts';
import type { Verdict } from '../../src/model/evaluation.ts';
import type { ConversationId } from '../../src/model/ids.ts';

const SUITE = { name: 'refunds', golden: ['gt_1', 'gt_10', 'gt_1.5'] };
let made = 0;
const evaluation = (...verdicts: readonly Verdict[]) => {
  made += 1;
  return {
    suite: 'refunds',
    // The cast brands it.
    conversationId: `c-${made}` as ConversationId,
    verdicts: new Map(verdicts.map((verdict, at) => [`criterion_${at}`, verdict])),
  };
};
const passed = (reason: string): Verdict => ({ verdict: 'pass', reason, evidence: [] });
const without: Verdict = {
  verdict: 'not_applicable',
  reason:
    'No golden trace is for this conversation: the most similar input, of gt_1, is 0.62 alike, and 0.8 is wanted.',
};

test('traces that no evaluation was compared with are named, with why one was compared with none', () => {
  const other = { ...evaluation(passed('All is as in golden trace gt_1: 1 of 1 steps made.')), suite: 'other' };

  expect(unusedTraces([SUITE], [evaluation(without), evaluation(without), other], 'run')).toEqual([
    'golden traces gt_1, gt_10, gt_1.5 of refunds were compared with 0 of 2 runs (the most similar input, of gt_1, is 0.62 alike, and 0.8 is wanted): put `*` into `input`, or name the trace by `golden` in the truth or by a scenario',
  ]);
});

test.each<[string, readonly string[]]>([
  ['It stayed within the budget of golden trace gt_1.', ['gt_10', 'gt_1.5']],
  ['Golden trace gt_10 has no max_steps and no max_tokens.', ['gt_1', 'gt_1.5']],
  ['The answer is not that of golden trace gt_1.5: it does not contain "x".', ['gt_1', 'gt_10']],
])('%s', (reason, unused) => {
  const [text = ''] = unusedTraces([SUITE], [evaluation(passed(reason), without)], 'conversation');

  expect(text).toContain(`golden traces ${unused.join(', ')} of refunds were compared with 0 of 1 conversation`);
});

test('nothing is said of suites without traces, without evaluations, or whose judge grades the steps', () => {
  const graded: Verdict = { verdict: 'pass', reason: 'Good.', evidence: [], steps: [] };

  expect(unusedTraces([{ ...SUITE, golden: [] }], [evaluation(without)], 'run')).toEqual([]);
  expect(unusedTraces([SUITE], [], 'run')).toEqual([]);
  expect(unusedTraces([SUITE], [evaluation(graded)], 'run')).toEqual([]);
});
