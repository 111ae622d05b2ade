/**
 * Content that a criterion needs to have been recorded. Where content capture is off, or the content is redacted or
 * cut, the question cannot be answered, and that is nobody's failure: the verdict is `not_applicable` with the reason
 * given here.
 *
 * Content that the agent did not produce is another matter: an answer that never came is an answer of '' to judge, not
 * a gap.
 */
import { BLOCKED, isAnswerUnknown } from './turn-answer.ts';
import { enumerate, toExcerpt } from './sentences.ts';
import { isGivenTools } from '../../model/exporter-traffic.ts';
import type { Content, Step } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import type { Subject } from './subject.ts';

export const NEEDS = [
  'truth',
  'feedback',
  'state',
  'final_answer',
  'user_input',
  'tools',
  'tool_errors',
  'tool_args',
  'tool_results',
  'messages',
  'usage',
  'instructions',
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
  feedback: ({ conversation }) =>
    (conversation.feedback ?? []).length === 0 ? 'No user has given feedback about this conversation.' : undefined,
  state: ({ state }) => (state === undefined ? 'No state was recorded (assay.conversation.state).' : undefined),
  final_answer: ({ turn }) => answerGap(turn),
  tools: toolsGap,
  tool_errors: (subject) =>
    subject.sends('tool_errors') === 'not_sent' && !subject.toolCalls.some((call) => subject.hasFailed(call))
      ? `The exporter (${exportersIn(subject)}) sends no errors of tools.`
      : undefined,
  user_input: ({ turn }) => {
    if (turn.doubts.includes('question-misread')) return `The user's request was not understood: ${PRINTED}.`;
    if (turn.userInput.state === 'missing') return `The user's request was not recorded (${CAPTURE_HINT}).`;
    return spoiled("The user's request", turn.userInput);
  },
  tool_args: (subject) => argumentsGap(subject.toolCalls),
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
  usage: ({ conversation, turns }) => {
    if (turns.some(({ doubts }) => doubts.includes('counted-twice'))) return 'Some tokens stand on two spans.';
    return conversation.usage === undefined ? 'No token usage was recorded.' : undefined;
  },
  instructions: ({ steps }) =>
    steps.some(({ systemInstructions }) => systemInstructions !== undefined)
      ? undefined
      : `The agent's instructions were not recorded (${CAPTURE_HINT}).`,
} satisfies Record<Need, (subject: Subject) => string | undefined>;

const PRINTED = 'it is an object as a program prints it';

/**
 * Why a tool call could be missing without having been left out by the agent: nobody knows whether the exporter would
 * have sent it, or it is known that it would not. Undefined where there is one.
 */
export function toolsGap(subject: Subject): string | undefined {
  if (subject.turns.some(({ doubts }) => doubts.includes('tool-misread'))) {
    return 'The tool calls were not understood: a method stands for a name, or arguments are wrapped.';
  }
  if (subject.turns.some(({ doubts }) => doubts.includes('tools-unseen'))) {
    return 'A model asked for tools and went on, and the spans do not show what they gave.';
  }
  if (subject.turns.some(({ toolCalls }) => toolCalls.length > 0)) return undefined;
  const exporters = exportersIn(subject);
  switch (subject.sends('tools')) {
    case 'sent':
      return subject.sends('roots') !== 'sent' && subject.steps.some(isMute)
        ? `The exporter (${exporters}) shows tool calls in what models say, and that was not captured (${CAPTURE_HINT}).`
        : undefined;
    case 'not_sent':
      return `The exporter (${exporters}) sends no tool calls.`;
    case 'unknown':
      if (subject.turns.every(({ steps }) => saysWhatModelsAsked(steps))) return undefined;
      return `No tool call was seen, and nobody knows whether the exporter (${exporters}) sends them (see exporters.known).`;
  }
}

/** A model call that tells neither what was said nor why it ended. */
function isMute({ kind, flags, model }: Step): boolean {
  return kind === 'llm' && flags.includes('content-missing') && (model?.finishReasons.length ?? 0) === 0;
}

/** Models were given tools, and every answer of theirs is here: a call would be among them. */
function saysWhatModelsAsked(steps: readonly Step[]): boolean {
  const calls = steps.filter(({ kind, error }) => kind === 'llm' && error === undefined);
  return (
    calls.some(isGivenTools) && calls.every(({ messagesOut }) => messagesOut.some(({ parts }) => parts.length > 0))
  );
}

const EXPORTERS_NAMED_MAX = 3;

function exportersIn({ steps }: Subject): string {
  const scopes = [...new Set(steps.filter(({ kind }) => kind !== 'other').map(({ scopeName }) => scopeName))];
  return enumerate(scopes.slice(0, EXPORTERS_NAMED_MAX).map((scope) => toExcerpt(scope || 'a scope without a name')));
}

/** Why none of the turns' facts can be relied on; undefined where they can. */
export function doubtGap({ turns }: Subject): string | undefined {
  const doubt = turns.flatMap(({ doubts }) => doubts).find((one) => one in BLOCKED);
  // The cast holds: it is one of them.
  return doubt === undefined ? undefined : BLOCKED[doubt as keyof typeof BLOCKED];
}

/** Why nothing can be said of the answer of a turn; undefined where it is known, or known to be missing. */
export function answerGap(turn: Turn): string | undefined {
  if (turn.doubts.includes('answer-misread')) return `The answer was not understood: ${PRINTED}, or the instructions.`;
  if (turn.finalAnswer.state !== 'missing') return spoiled('The final answer', turn.finalAnswer);
  return isAnswerUnknown(turn) ? `The final answer was not recorded (${CAPTURE_HINT}).` : undefined;
}

/** Why the arguments of some calls are not known; undefined where they are. */
export function argumentsGap(calls: readonly ToolCall[]): string | undefined {
  return gapInCalls(calls, 'arguments', (call) => call.args);
}

/** How a piece of content came to be unusable; undefined where it is whole or missing. */
function spoiled(what: string, content: Content): string | undefined {
  if (content.state === 'redacted') return `${what} is redacted.`;
  return content.state === 'truncated' ? `${what} was cut off by an attribute limit.` : undefined;
}

/**
 * A spoiled value is a gap. Missing values are one only if no call has any: tools without arguments or without a result
 * are common, and instrumentations leave empty ones out.
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
    ? `The tool calls show no ${what}: empty, or not recorded (${CAPTURE_HINT}).`
    : undefined;
}

function lacksMessages({ flags }: Step): boolean {
  return flags.includes('content-missing') || flags.includes('redacted') || flags.includes('truncated-json');
}
