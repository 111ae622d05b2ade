/**
 * What a criterion needs to have been recorded. Where content capture is off, or the content is redacted or cut, the
 * question cannot be answered, and that is nobody's failure: the verdict is `not_applicable` with the reason given here.
 *
 * What the agent did not produce is another matter: an answer that never came is an answer of '' to judge, not a gap.
 */
import type { Content, Step } from '../model/step.ts';
import type { ToolCall, Turn } from '../model/turn.ts';
import type { Subject } from './subject.ts';

export const NEEDS = [
  'truth',
  'state',
  'final_answer',
  'user_input',
  'tool_args',
  'tool_results',
  'messages',
  'usage',
] as const;
export type Need = (typeof NEEDS)[number];

const CAPTURE_HINT = 'content capture may be off: see OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** The first gap among the needs, as a sentence; undefined where all were met. */
export function gapIn(subject: Subject, needs: readonly Need[]): string | undefined {
  for (const need of needs) {
    const gap = GAPS[need](subject);
    if (gap !== undefined) return gap;
  }
  return undefined;
}

const GAPS = {
  truth: ({ truth }) => (truth === undefined ? 'No truth is known for this conversation (assay.truth).' : undefined),
  state: ({ state }) => (state === undefined ? 'No state was recorded (assay.conversation.state).' : undefined),
  final_answer: ({ turn }) => {
    const { state } = turn.finalAnswer;
    if (state === 'missing')
      return isAnswerUnknown(turn) ? `The final answer was not recorded (${CAPTURE_HINT}).` : undefined;
    return spoiled('The final answer', turn.finalAnswer);
  },
  user_input: ({ turn }) => {
    if (turn.userInput.state === 'missing') return `The user's request was not recorded (${CAPTURE_HINT}).`;
    return spoiled("The user's request", turn.userInput);
  },
  tool_args: (subject) => gapInCalls(subject.toolCalls, 'arguments', (call) => call.args),
  tool_results: (subject) =>
    gapInCalls(
      subject.toolCalls.filter((call) => call.answered && call.error === undefined),
      'result',
      (call) => call.result,
    ),
  messages: (subject) => {
    const step = subject.steps.find((candidate) => candidate.kind === 'llm' && lacksMessages(candidate));
    return step === undefined
      ? undefined
      : `The messages of the model call ${step.spanId} were not recorded in full (${CAPTURE_HINT}).`;
  },
  usage: ({ conversation }) => (conversation.usage === undefined ? 'No token usage was recorded.' : undefined),
} satisfies Record<Need, (subject: Subject) => string | undefined>;

/**
 * Whether there may have been an answer that was not recorded. It is known that there was none where the turn failed,
 * or where the last model call shows its content and still there is no answer.
 */
export function isAnswerUnknown(turn: Turn): boolean {
  if (turn.finalAnswer.state !== 'missing' || turn.error !== undefined) return false;
  const lastModelCall = turn.steps.findLast((step) => step.kind === 'llm');
  if (lastModelCall === undefined) return turn.userInput.state === 'missing';
  return lastModelCall.flags.includes('content-missing');
}

/** Whether the turn gave the user something: an answer that is there, redacted or not, or may have been. */
export function hasAnswer({ finalAnswer }: Turn): boolean {
  switch (finalAnswer.state) {
    case 'redacted':
    case 'truncated':
      return true;
    case 'whole':
      return finalAnswer.text.trim() !== '';
    case 'missing':
      return false;
  }
}

/** How a piece of content came to be unusable; undefined where it is whole or missing. */
function spoiled(what: string, content: Content): string | undefined {
  if (content.state === 'redacted') return `${what} is redacted.`;
  return content.state === 'truncated' ? `${what} was cut off by an attribute limit.` : undefined;
}

/**
 * One spoiled value is a gap. Missing values are one only where no call has any: tools without arguments or without a
 * result are common, and instrumentations leave empty ones out.
 */
function gapInCalls(
  calls: readonly ToolCall[],
  what: 'arguments' | 'result',
  contentOf: (call: ToolCall) => Content,
): string | undefined {
  let missing = 0;
  for (const call of calls) {
    const content = contentOf(call);
    const gap = spoiled(`The ${what} of ${call.name}`, content);
    if (gap !== undefined) return gap;
    if (content.state === 'missing') missing += 1;
  }
  return calls.length > 0 && missing === calls.length
    ? `The ${what} of the tool calls were not recorded (${CAPTURE_HINT}).`
    : undefined;
}

function lacksMessages({ flags }: Step): boolean {
  return flags.includes('content-missing') || flags.includes('redacted') || flags.includes('truncated-json');
}
