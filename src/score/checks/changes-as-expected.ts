/**
 * Whether the agent changed exactly what it should have: the calls that change something and succeeded are the expected actions
 * (`truth.actions`), each as often, with at least the expected arguments, in any order unless `truth.order` says otherwise.
 *
 * Actions of tools that only look, or that hand the conversation over, are not asked for. Nothing may be known of a tool
 * (`../subject/tool-effects.ts`): where it is expected it must have been called, and calls of it that nobody expected are let pass.
 *
 * An empty list asks that nothing be changed. Keeping that is no success by itself: see `../expected/enough-truth.ts`.
 */
import type { ToolCall } from '../../model/turn.ts';
import { type Answer, notApplicable, type ReasonedAnswer } from '../subject/answer.ts';
import { compareCalls, describeDifferences, isSame, type MadeCall } from '../expected/compare-calls.ts';
import { mayChange, whyNotEnough } from '../expected/enough-truth.ts';
import { type ExpectedOrder, expectedActionsIn, expectedOrderIn } from '../expected/expected-actions.ts';
import type { ExpectedCall } from '../expected/compare-calls.ts';
import { isPending } from '../subject/failed-call.ts';
import { argumentsGap } from '../subject/needs.ts';
import { order } from '../order/order.ts';
import { enumerate, toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { restricted } from '../alignment/partial-order.ts';
import { callSpan } from '../trajectory/call-span.ts';
import { runOf } from '../trajectory/run.ts';
import { builtInCheck } from './built-in-check.ts';

function changesAsExpected(): (subject: Subject) => Answer {
  return (subject) => {
    const actions = expectedActionsIn(subject.truth);
    if (actions === undefined) return notApplicable('The truth of this conversation names no actions.');
    const expected = actions.filter(({ name }) => mayChange(subject, name));
    const made = changesIn(subject, expected);
    const comparison = compareCalls(expected, made.map(asMade(subject)));
    if (!isSame(comparison)) {
      const reason = describeDifferences(comparison, made.map(asMade(subject)), failedAttempts(subject));
      const suspects = [...comparison.different.map((one) => one.made), ...comparison.extra];
      return { pass: false, reason: `${reason}.`, evidence: suspects.map((at) => spanOf(made[at])) };
    }
    const gap = argumentsGap(made.filter((_, at) => expectsArguments(expected) && comparison.right.includes(at)));
    if (gap !== undefined) return notApplicable(gap);
    const pending = made.find((call) => isPending(call));
    if (pending !== undefined)
      return notApplicable(`${toExcerpt(pending.name)} was still pending: whether it was done is not known.`);
    const misplaced = outOfOrder(expectedOrderIn(subject.truth), { expected, subject });
    if (misplaced !== undefined) return misplaced;
    const more = whyNotEnough(subject);
    return more === undefined ? asExpected(expected, subject) : notApplicable(more, 'absent');
  };
}

/** Calls that are known to have been carried out: no failed attempts, and none without an end. */
function changesIn(subject: Subject, expected: readonly ExpectedCall[]): readonly ToolCall[] {
  const named = new Set(expected.map(({ name }) => name));
  return subject.toolCalls.filter(
    (call) =>
      call.answered && !subject.hasFailed(call) && (subject.effectOf(call.name) === 'writes' || named.has(call.name)),
  );
}

function asMade(subject: Subject): (call: ToolCall) => MadeCall {
  return ({ name, args }) => ({
    name,
    args: args.state === 'whole' ? args.json : undefined,
    mayBeExtra: subject.effectOf(name) !== 'writes',
  });
}

function expectsArguments(expected: readonly ExpectedCall[]): boolean {
  return expected.some(({ args }) => typeof args === 'object' && args !== null && Object.keys(args).length > 0);
}

function failedAttempts(subject: Subject): (missing: ExpectedCall) => string {
  return ({ name }) => {
    const { toolCalls } = subject;
    const failed = toolCalls.findLast((call) => call.name === name && subject.hasFailed(call));
    if (failed === undefined)
      return toolCalls.some((call) => call.name === name && !call.answered) ? ' to its end' : '';
    return ` successfully (${toExcerpt(failed.error?.message ?? failed.result.text)})`;
  };
}

function outOfOrder(
  wanted: ExpectedOrder,
  { expected, subject }: { readonly expected: readonly ExpectedCall[]; readonly subject: Subject },
): Answer | undefined {
  if (wanted === 'free') return undefined;
  if (typeof wanted !== 'string') return outOfToolOrder(wanted, subject);
  const run = runOf(subject);
  const changes = new Set(changesIn(subject, expected));
  const places = [...run.calls.keys()].filter((at) => changes.has(run.calls[at] as ToolCall));
  const made = places.map((at) => run.calls[at] as ToolCall);
  const { missing, different } = compareCalls(expected, made.map(asMade(subject)), restricted(run.order, places));
  // Calls of one tool in the wrong order are the right ones with other arguments.
  const misplaced = missing[0] ?? different[0];
  if (misplaced === undefined) return undefined;
  const span = spanOf(made.find(({ name }) => name === misplaced.name));
  return {
    pass: false,
    reason: `${toExcerpt(misplaced.name)} was called out of the expected order.`,
    evidence: [span],
  };
}

function outOfToolOrder(tools: readonly string[], subject: Subject): Answer | undefined {
  const pairs = tools.slice(1).map((later, at) => order.before(tools[at] ?? '', later));
  const answers = pairs.map((check) => check(subject));
  return answers.find(
    (answer): answer is ReasonedAnswer => typeof answer === 'object' && 'pass' in answer && !answer.pass,
  );
}

function asExpected(expected: readonly ExpectedCall[], subject: Subject): Answer {
  const called = [...expected, ...subject.toolCalls].map(({ name }) => name);
  const unknown = [...new Set(called)].filter((name) => subject.effectOf(name) === 'unknown').map(toExcerpt);
  const note = unknown.length === 0 ? '' : ` Nothing says whether ${enumerate(unknown)} changes something.`;
  if (expected.length === 0) return { pass: true, reason: `Nothing was to be changed, and nothing was.${note}` };
  const names = enumerate([...new Set(expected.map(({ name }) => toExcerpt(name)))]);
  const changes = expected.length === 1 ? 'the expected change was' : `the ${expected.length} expected changes were`;
  return { pass: true, reason: `Exactly ${changes} made: ${names}.${note}` };
}

function spanOf(call: ToolCall | undefined) {
  return call && callSpan(call);
}

export const changesAsExpectedCheck = builtInCheck({
  summary: 'the calls that change something are the expected actions of the truth, and no others',
  about: 'task',
  needs: ['truth', 'tools'],
  readsTaskTruth: true,
  make: () => changesAsExpected(),
});
