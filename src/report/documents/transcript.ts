/** A conversation as a person follows it: what the user said, what the agent did, one thing after the other, and what it answered. */
import type { Conversation } from '../../model/conversation.ts';
import type { Content, StepError, StepKind } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';

/** As JSON; null where it was not recorded. */
export interface TranscriptTurn {
  readonly trace_id: string;
  readonly user: string | null;
  readonly steps: readonly TranscriptStep[];
  readonly answer: string | null;
  readonly error: TranscriptError | null;
}

export type TranscriptStep =
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly arguments: string | null;
      readonly result: string | null;
      readonly error: TranscriptError | null;
    }
  | {
      readonly kind: Exclude<StepKind, 'tool' | 'workflow'>;
      readonly name: string;
      readonly error: TranscriptError | null;
    };

export interface TranscriptError {
  readonly type: string;
  readonly message: string;
}

export function transcriptOf({ turns }: Pick<Conversation, 'turns'>): readonly TranscriptTurn[] {
  return turns.map((turn) => ({
    trace_id: turn.traceId,
    user: textOf(turn.userInput),
    steps: stepsOf(turn),
    answer: textOf(turn.finalAnswer),
    error: errorOf(turn.error),
  }));
}

/** Tool calls stand where they began, whether they have a span of their own or not. */
function stepsOf({ steps, toolCalls, rootSpanId }: Turn): readonly TranscriptStep[] {
  const others = steps.flatMap(({ kind, spanId, name, error, startedAtMs }) => {
    // The root is the turn itself, and what only holds other steps is none that the agent took.
    if (kind === 'tool' || kind === 'workflow' || kind === 'step' || kind === 'other' || spanId === rootSpanId)
      return [];
    return [{ startedAtMs, step: { kind, name, error: errorOf(error) } }];
  });
  const calls = toolCalls.map((call) => ({ startedAtMs: call.startedAtMs, step: callOf(call) }));
  return [...others, ...calls].sort((a, b) => a.startedAtMs - b.startedAtMs).map(({ step }) => step);
}

function callOf({ name, args, result, error }: ToolCall): TranscriptStep {
  return { kind: 'tool', name, arguments: textOf(args), result: textOf(result), error: errorOf(error) };
}

function textOf({ text, state }: Content): string | null {
  if (state === 'missing') return null;
  return text.toWellFormed();
}

function errorOf(error: StepError | undefined): TranscriptError | null {
  return error === undefined ? null : { type: error.type.toWellFormed(), message: error.message.toWellFormed() };
}
