/**
 * Computes once per conversation what all golden checks of a suite and its findings need: the trace to compare with,
 * the comparison, whether the answer is right, and whether the run took too much.
 */
import { scopeMaker } from '../cel/scope.ts';
import { occurs } from '../cel/linear-regex.ts';
import { answerGap, gapIn } from '../subject/needs.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { compareRun, type RunComparison } from './compare-run.ts';
import { type DiffLine, firstWrong } from './describe-comparison.ts';
import type { GoldenLibrary } from './golden-library.ts';
import type { GoldenTrace } from './golden-trace.ts';
import type { ToolCall } from '../../model/turn.ts';
import type { ArgumentScope } from './match-arguments.ts';
import { argumentScope } from './read-arguments.ts';
import { runOf } from './run.ts';
import type { PolicyFindings, PolicyGuard } from './tool-policy.ts';

/** Parts of a suite, beyond its criteria, that checks of trajectories need. */
export interface SuiteParts {
  readonly golden?: GoldenLibrary | undefined;
  readonly policy?: PolicyGuard | undefined;
}

export interface AssessedRun {
  readonly comparison: RunComparison;
  readonly first: DiffLine | undefined;
}

const scopeOf = scopeMaker(new Map());

export function argumentScopeOf(subject: Subject): ArgumentScope {
  return argumentScope(() => scopeOf(subject));
}

export function policyFindings(policy: PolicyGuard, subject: Subject): PolicyFindings {
  return subject.once(policy, () => policy.inspect(subject, argumentScopeOf(subject)));
}

/** The run beside the trace; a text says why they can't be compared. */
export function assessRun(
  trace: GoldenTrace,
  subject: Subject,
  { golden, policy }: SuiteParts & { readonly golden: GoldenLibrary },
): AssessedRun | string {
  return subject.once(golden.comparisonKey, () => {
    const gap = trace.steps.some(({ args }) => args !== undefined) ? gapIn(subject, ['tool_args']) : undefined;
    if (gap !== undefined) return gap;
    const scope = argumentScopeOf(subject);
    const unsafe = new Map<ToolCall, string>();
    if (policy !== undefined) {
      for (const { call, reason } of policyFindings(policy, subject).violations) unsafe.set(call, reason);
    }
    const comparison = compareRun(trace, runOf(subject), { isWrite: golden.isWriteIn(subject), scope, unsafe });
    return { comparison, first: firstWrong(comparison, scope) };
  });
}

/** Mistake in the answer, in words, or why it cannot be decided; undefined if the answer is right. */
export function outputMistake(
  { output }: GoldenTrace,
  { turns, turn }: Pick<Subject, 'turns' | 'turn'>,
): { readonly is: 'wrong' | 'unknown'; readonly because: string } | undefined {
  const looked = output.in === 'any_answer' ? turns : [turn];
  const lacking = lackingIn(
    output,
    looked.map(({ finalAnswer }) => finalAnswer.text),
  );
  if (lacking === undefined) return undefined;
  // An answer that was not recorded may have it.
  const gap = looked.map(answerGap).find((one) => one !== undefined);
  return gap === undefined ? { is: 'wrong', because: lacking } : { is: 'unknown', because: gap };
}

function lackingIn({ contains, matches }: GoldenTrace['output'], answers: readonly string[]): string | undefined {
  const lower = answers.map((answer) => answer.toLowerCase());
  const part = contains.find((text) => !lower.some((answer) => answer.includes(text.toLowerCase())));
  if (part !== undefined) return `it does not contain "${toExcerpt(part)}"`;
  const pattern = matches.find((one) => !answers.some((answer) => occurs(one, answer)));
  return pattern === undefined ? undefined : `nothing in it matches ${toExcerpt(pattern)}`;
}

/** Excess over the trace's allowance, in words; undefined if there is none, 'unknown' if tokens were not recorded. */
export function overBudget({ maxSteps, maxTokens }: GoldenTrace, subject: Subject): string | 'unknown' | undefined {
  const calls = subject.toolCalls.length;
  if (maxSteps !== undefined && calls > maxSteps) return `${calls} tool calls; ${maxSteps} are allowed`;
  if (maxTokens === undefined) return undefined;
  const { usage } = subject.conversation;
  if (usage === undefined) return 'unknown';
  const tokens = usage.inputTokens + usage.outputTokens;
  return tokens > maxTokens ? `${tokens} tokens; ${maxTokens} are allowed` : undefined;
}
