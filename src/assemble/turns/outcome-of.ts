/** Finds what the user asked, what the agent answered, and whether the turn itself failed. */
import type { Content, Step, StepError, StepKind } from '../../model/step.ts';
import { firstThere, MISSING } from './deferred-content.ts';

/** The input on the agent's span; otherwise the last message of the user in the first model call. */
export function userInputOf(root: Step, calls: readonly Step[], steps: readonly Step[]): Content {
  return firstThere(
    () => spoken(root, root.input),
    () => (calls[0] ?? ownSteps(root, calls, steps).find(isAsked))?.input ?? MISSING,
  );
}

/**
 * The output on the agent's span; otherwise the answer of the last model call, if that call ended the work: an answer
 * that also asks for tools was a remark on the way.
 */
export function finalAnswerOf(root: Step, calls: readonly Step[], steps: readonly Step[]): Content {
  return firstThere(
    () => withoutRemarks(spoken(root, root.output), calls),
    () => lastWord(calls.at(-1) ?? speaking(ownSteps(root, calls, steps).at(-1))),
  );
}

/** Steps directly below an agent without model calls: some pass on what it was asked and what it answered. */
function ownSteps(root: Step, calls: readonly Step[], steps: readonly Step[]): readonly Step[] {
  if (calls.length > 0 || !SPEAKS.has(root.kind)) return [];
  return steps.filter(({ kind, parentSpanId }) => kind === 'step' && parentSpanId === root.spanId);
}

function speaking(step: Step | undefined): Step | undefined {
  return step?.messagesOut.some(({ role }) => role === 'assistant') === true ? step : undefined;
}

function isAsked({ messagesIn }: Step): boolean {
  return messagesIn.some(({ role }) => role === 'user');
}

/**
 * Some agents give back all that the model said, one text after the other, or end it with a line of their own. The answer
 * is then what the last call said; what came before were remarks on the way.
 */
function withoutRemarks(said: Content, calls: readonly Step[]): Content {
  if (said.state !== 'whole' || calls.length === 0) return said;
  const last = lastWord(calls.at(-1));
  if (last.state !== 'whole' || last.text.length >= said.text.length || last.text === '') return said;
  const text = said.text.trimEnd();
  if (!text.endsWith(last.text.trimEnd())) return said;
  const before = text.slice(0, text.length - last.text.trimEnd().length);
  const remarks = () => calls.slice(0, -1).map(({ output }) => output.text);
  return isBlank(before) || squeezed(before) === squeezed(remarks().join('')) ? last : said;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function squeezed(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/**
 * Why the last model call stopped, and why the agent's span says that its answer did: some agents leave it out of their calls, or export no
 * calls at all. That a tool was asked for is known from the calls alone, as an agent's messages may be all that was said on the way.
 */
export function finishReasonsOf(root: Step, calls: readonly Step[]): readonly string[] {
  const ofCall = calls.at(-1)?.model?.finishReasons ?? [];
  const last = SPEAKS.has(root.kind) ? root.messagesOut.findLast(({ role }) => role === 'assistant') : undefined;
  const ofAgent = last?.finishReason;
  return ofAgent === undefined || ofAgent === 'tool_call' || ofCall.includes(ofAgent) ? ofCall : [...ofCall, ofAgent];
}

/** A tool's input and output are not what user and agent said, and a model call is one of several that may speak. */
function spoken(root: Step, content: Content): Content {
  return root.kind === 'tool' || root.kind === 'llm' ? MISSING : content;
}

function lastWord(call: Step | undefined): Content {
  if (call === undefined || call.error !== undefined) return MISSING;
  const asksForTools = call.messagesOut.some((message) => message.parts.some((part) => part.type === 'tool_call'));
  return asksForTools ? MISSING : call.output;
}

interface Ending {
  readonly root: Step;
  readonly calls: readonly Step[];
  readonly steps: readonly Step[];
  readonly answer: Content;
}

/**
 * The turn failed if its root says so, in words of its own. If the root has no status (some streams leave it unset,
 * some roots never arrive), it failed if it gave no answer and ended with an error, of a tool or of the agent below the
 * root. If an answer follows a failed tool, the agent recovered.
 */
export function turnErrorOf({ root, calls, steps, answer }: Ending): StepError | undefined {
  if (root.error !== undefined && !isEcho(root.error, { root, calls, steps, answer })) return root.error;
  const last = calls.at(-1);
  if (last?.error !== undefined) return last.error;
  if (answer.state !== 'missing') return undefined;
  const afterMs = last?.startedAtMs ?? Number.NEGATIVE_INFINITY;
  return (root.status === 'ok' ? undefined : lastToolError(steps, afterMs)) ?? errorBelow(root, steps);
}

const SPEAKS: ReadonlySet<StepKind> = new Set<StepKind>(['agent', 'workflow']);

/** Kinds of step that an agent's work passes through without calling anything. */
const WORK: ReadonlySet<StepKind> = new Set<StepKind>(['agent', 'workflow', 'step']);

/** A stream's root is content once the stream is closed, whatever became of the work directly below it. */
function errorBelow(root: Step, steps: readonly Step[]): StepError | undefined {
  let last: Step | undefined;
  for (const step of steps) {
    if (step.parentSpanId !== root.spanId || !WORK.has(step.kind)) continue;
    if (last === undefined || step.endedAtMs >= last.endedAtMs) last = step;
  }
  return last?.error;
}

/**
 * Some instrumentations copy the first error of a trace to its root when the trace ends. Where a model was asked after
 * the tool had failed so, and an answer came, the agent coped. An answer that was not recorded may have come: the agent is not worse for it.
 */
function isEcho(error: StepError, { calls, steps, answer }: Ending): boolean {
  const last = calls.at(-1);
  if (error.message === '' || last === undefined || last.error !== undefined) return false;
  if (answer.state === 'missing' && !last.flags.includes('content-missing')) return false;
  return steps.some(
    (step) => step.kind === 'tool' && step.endedAtMs <= last.startedAtMs && step.error?.message === error.message,
  );
}

/**
 * Errors of tools that ran after the last model call: no model was left to handle them. One that was tried after the
 * failed one had ended, and went well, shows that somebody was.
 */
function lastToolError(steps: readonly Step[], afterMs: number): StepError | undefined {
  let wentWellFromMs = Number.NEGATIVE_INFINITY;
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at];
    if (step === undefined || step.startedAtMs < afterMs) return undefined;
    if (step.kind !== 'tool') continue;
    if (step.error === undefined) wentWellFromMs = Math.max(wentWellFromMs, step.startedAtMs);
    else if (step.endedAtMs > wentWellFromMs) return step.error;
  }
  return undefined;
}
