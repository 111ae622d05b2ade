/** Defines the meaning of an expression's result as a check, as a condition of one, or as an outcome rule. */
import type { Conversation } from '../../model/conversation.ts';
import { type SpanId, tryParseSpanId } from '../../model/ids.ts';
import type { Evaluated, Program } from '../cel/program.ts';
import type { Scope } from '../cel/scope.ts';
import { show } from '../subject/values.ts';
import { StepView, ToolCallView } from '../cel/views.ts';
import { toExcerpt, toReason } from '../subject/sentences.ts';
import { type Subject, subjectOf } from '../subject/subject.ts';
import { type Answer, CheckError, type NotApplicable, notApplicable } from '../subject/answer.ts';
import type { Reason } from './reason.ts';

interface ExpressionCheck {
  readonly program: Program;
  /** Expression for the calls or steps to show; without it, the ones that the check read last are shown. */
  readonly evidence: Program | undefined;
  readonly reasons: { readonly pass: Reason | undefined; readonly fail: Reason | undefined };
  readonly scopeOf: (subject: Subject) => Scope;
}

export function expressionCheck({
  program,
  evidence,
  reasons,
  scopeOf,
}: ExpressionCheck): (subject: Subject) => Answer {
  return (subject) => {
    const scope = scopeOf(subject);
    scope.watch();
    const end = program.run(scope);
    if (end.kind !== 'value') return undecided(end, scope);
    const pass = toBoolean(end.value, program);
    const seen = pass ? [] : scope.evidence();
    const named = evidence === undefined ? [] : spansIn(evidence.run(scope));
    const reason = (pass ? reasons.pass : reasons.fail)?.(scope);
    return {
      pass,
      reason: reason ?? (pass ? undefined : program.describeFalse(scope)),
      evidence: named.length > 0 ? named : seen,
    };
  };
}

/** Evaluates `when`: absence means that the question does not arise. */
export function applies(program: Program, scopeOf: (subject: Subject) => Scope) {
  return (subject: Subject): boolean | NotApplicable => {
    const scope = scopeOf(subject);
    const end = program.run(scope);
    if (end.kind !== 'value') return undecided(end, scope);
    return toBoolean(end.value, program) || notApplicable(`It is for conversations where ${program.text.trim()}.`);
  };
}

/** Evaluates `completed`, `failed` and outcome rules: an absent value does not hold, a failure throws. */
export function holds(program: Program, scope: Scope): boolean {
  const end = program.run(scope);
  if (end.kind === 'error') throw new CheckError(end.reason);
  return end.kind === 'value' && toBoolean(end.value, program);
}

function undecided(end: Exclude<Evaluated, { readonly kind: 'value' }>, scope: Scope): NotApplicable {
  if (end.kind === 'error') throw new CheckError(`The expression failed: ${end.reason}`);
  if (end.kind === 'gap') return notApplicable(end.reason, 'not_recorded');
  const because = end.root === undefined ? undefined : scope.absenceOf(end.root);
  const reason = because === undefined ? `${end.reason}.` : `${end.reason}, because ${because}.`;
  return notApplicable(reason, end.of === 'argument' ? 'argument_absent' : 'absent');
}

function toBoolean(value: unknown, program: Program): boolean {
  if (typeof value === 'boolean') return value;
  throw new CheckError(`The expression gave ${toExcerpt(show(value))}, not true or false: ${program.text.trim()}`);
}

function spansIn(end: Evaluated): readonly SpanId[] {
  if (end.kind !== 'value') return [];
  const values: readonly unknown[] = Array.isArray(end.value) ? end.value : [end.value];
  return values.flatMap((value) => {
    const text = value instanceof ToolCallView || value instanceof StepView ? value.span_id : value;
    const id = typeof text === 'string' ? tryParseSpanId(text) : undefined;
    return id === undefined ? [] : [id];
  });
}

/** Reason why an expression of `match` does not select a conversation. */
export function whyNotBy(program: Program, scopeOf: (subject: Subject) => Scope) {
  const wanted = toReason(`The suite is for conversations where ${program.text.trim()}`);
  return (conversation: Conversation): string | undefined => {
    const end = program.run(scopeOf(subjectOf(conversation, undefined)));
    if (end.kind === 'value') return end.value === true ? undefined : `${wanted}.`;
    return `${wanted}: ${end.reason}`;
  };
}
