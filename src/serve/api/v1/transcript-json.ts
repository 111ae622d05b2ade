/**
 * Turns with all their steps as the page shows them. Texts are cut so that all of them together stay within a limit,
 * the longest first: short ones stay whole beside one of ten megabytes.
 */
import type { TEXT_FIELDS, TranscriptStepJson, TurnJson } from '../../../api/conversation-detail.ts';
import { type Actors, actingSpanOf, actorsOf } from '../../../model/actors.ts';
import { labelValue } from '../../../model/agent-labels.ts';
import { mediaAskedWith } from '../../../model/asked-media.ts';
import { DOUBT_WORDS } from '../../../model/doubts.ts';
import type { Json } from '../../../model/json.ts';
import type { Content, Step, StepError } from '../../../model/step.ts';
import type { ToolCall, Turn } from '../../../model/turn.ts';
import { hasFailed } from '../../../score/subject/failed-call.ts';
import type { TraceRow } from '../../../store/conversation-reader.ts';
import { isoTime } from './iso-time.ts';

const STEPS_MAX = 5_000;
/** Characters of one text, and of all of them. */
const TEXT_MAX = 20_000;
const TEXTS_MAX = 2_000_000;
const NAME_MAX = 300;
/** Arguments and results that are nested deeper are given as text: who reads them may not go as deep. */
const DEPTH_MAX = 60;

interface TranscriptJson {
  readonly turns: readonly TurnJson[];
  readonly stepsLeftOut: number;
}

export function transcriptJson(
  turns: readonly Turn[],
  { traces, provenance }: { readonly traces: readonly TraceRow[]; readonly provenance: boolean },
): TranscriptJson {
  let room = STEPS_MAX;
  let stepsLeftOut = 0;
  const listed = turns.map((turn) => {
    const all = stepsOf(turn);
    const steps = all.slice(0, room);
    room -= steps.length;
    stepsLeftOut += all.length - steps.length;
    return { turn, steps };
  });
  const textMax = limitFor(listed.flatMap(({ turn, steps }) => [...textsOfTurn(turn), ...steps.flatMap(textsOfStep)]));
  const causes = new Map(traces.map(({ traceId, cause }) => [String(traceId), cause]));
  return {
    turns: listed.map(({ turn, steps }) =>
      turnJson(turn, steps, { textMax, provenance, cause: causes.get(turn.traceId) }),
    ),
    stepsLeftOut,
  };
}

/** Text of a transcript by its name; undefined if there is none. */
export function textIn(turns: readonly Turn[], of: string, field: (typeof TEXT_FIELDS)[number]): string | undefined {
  for (const turn of turns) {
    if (turn.id === of) {
      const found = turnText(turn, field);
      if (found !== undefined) return found;
    }
  }
  const listed = stepIn(turns, of);
  return listed === undefined ? undefined : stepText(listed, field);
}

export function stepIn(turns: readonly Turn[], id: string): ListedStep | undefined {
  for (const turn of turns) for (const listed of stepsOf(turn)) if (listed.id === id) return listed;
  return undefined;
}

/** A step, a tool call, or both: a call's arguments and result may be known from the model's messages alone. */
export interface ListedStep {
  readonly id: string;
  readonly parent: string | undefined;
  readonly step: Step | undefined;
  readonly call: ToolCall | undefined;
  readonly traceId: string;
  readonly startedAtMs: number;
}

function stepsOf(turn: Turn): readonly ListedStep[] {
  const idOf = (traceId: string, spanId: string) => `${traceId}:${spanId}`;
  const calls = new Map(turn.toolCalls.flatMap((call) => (call.spanId === undefined ? [] : [[call.spanId, call]])));
  const known = new Map(turn.steps.map(({ traceId, spanId }) => [String(spanId), idOf(traceId, spanId)]));
  const steps = turn.steps.map((step) => ({
    id: idOf(step.traceId, step.spanId),
    parent: step.parentSpanId === undefined ? undefined : known.get(step.parentSpanId),
    step,
    call: calls.get(step.spanId),
    traceId: step.traceId,
    startedAtMs: step.startedAtMs,
  }));
  const withoutSpan = turn.toolCalls.flatMap((call, index) =>
    call.spanId !== undefined && known.has(call.spanId)
      ? []
      : [
          {
            id: `${turn.id}#${index}`,
            parent: call.requestedBy === undefined ? undefined : known.get(call.requestedBy),
            step: undefined,
            call,
            traceId: turn.traceId,
            startedAtMs: call.startedAtMs,
          },
        ],
  );
  return [...steps, ...withoutSpan].sort((a, b) => a.startedAtMs - b.startedAtMs);
}

interface Shown {
  readonly textMax: number;
  readonly provenance: boolean;
  readonly cause: string | undefined;
}

function turnJson(turn: Turn, steps: readonly ListedStep[], shown: Shown): TurnJson {
  const { textMax, cause } = shown;
  const actors = actorsOf(turn);
  const error = errorText(turn.error);
  const attached = attachedTo(turn);
  const scopes = new Set(turn.steps.map(({ scopeName }) => name(scopeName)).filter((scope) => scope !== ''));
  return {
    turn_id: turn.id,
    trace_ids: [...new Set([turn.traceId, ...turn.steps.map(({ traceId }) => traceId)])],
    began_at: isoTime(turn.startedAtMs),
    ended_at: isoTime(turn.endedAtMs),
    ...(cause === undefined ? {} : { ended: cause }),
    asked: cut(turn.userInput.text, textMax),
    answered: cut(turn.finalAnswer.text, textMax),
    ...(attached.length === 0 ? {} : { attached }),
    ...(textsOfTurn(turn).some((length) => length > textMax) ? { cut: true } : {}),
    ...(error === undefined ? {} : { error: cut(error, textMax) }),
    ...(turn.doubts.length === 0 ? {} : { doubts: turn.doubts.map((doubt) => ({ doubt, ...DOUBT_WORDS[doubt] })) }),
    dialects: [...scopes],
    steps: steps.map((one) => stepJson(one, shown, actorOf(one, turn.agent.name, actors))),
  };
}

const ATTACHED_MAX = 20;
const ADDRESS_MAX = 300;

function attachedTo(turn: Turn): string[] {
  const media = mediaAskedWith(turn);
  return media.slice(0, ATTACHED_MAX).map(({ modality, mime, uri }) => {
    // As the API of a model names its parts: image_url, input_image.
    const what = name(modality.replaceAll(/^input_|_url$/g, ''));
    const kind = mime === undefined ? what : `${what} (${name(mime)})`;
    return uri === undefined ? kind : `${kind}: ${cut(uri, ADDRESS_MAX)}`;
  });
}

function actorOf({ step, call }: ListedStep, own: string | undefined, actors: Actors): string | undefined {
  const span = step?.spanId ?? (call === undefined ? undefined : actingSpanOf(call, actors));
  return (span === undefined ? undefined : actors.get(span)) ?? own;
}

function stepJson(listed: ListedStep, { textMax, provenance }: Shown, actor: string | undefined): TranscriptStepJson {
  const { step, call } = listed;
  const { args, result } = contentsOf(listed);
  const [input, output, thinking, error] = (['input', 'output', 'thinking', 'error'] as const).map((field) =>
    stepText(listed, field),
  );
  const failed = call?.error ?? step?.error;
  const isError = failed !== undefined || step?.status === 'error';
  const isTool = call !== undefined || step?.tool !== undefined;
  return {
    step_id: listed.id,
    ...(step === undefined ? {} : { span_id: step.spanId }),
    trace_id: listed.traceId,
    ...(listed.parent === undefined ? {} : { parent: listed.parent }),
    kind: step?.kind ?? 'tool',
    name: name(call?.name ?? step?.name ?? ''),
    ...(actor === undefined ? {} : { agent: labelValue(actor) }),
    began_at: isoTime(listed.startedAtMs),
    ended_at: isoTime(step?.endedAtMs ?? call?.endedAtMs ?? listed.startedAtMs),
    ...(isError
      ? { status: 'error' }
      : { status: 'ok', ...(call !== undefined && hasFailed(call) ? { says_failed: true } : {}) }),
    ...(error === undefined ? {} : { error: cut(error, textMax) }),
    ...(args === undefined ? {} : { arguments: shownJson(args, textMax) }),
    ...(result === undefined ? {} : { result: shownJson(result, textMax) }),
    ...(isTool || input === undefined ? {} : { input: cut(input, textMax) }),
    ...(isTool || output === undefined ? {} : { output: cut(output, textMax) }),
    ...(isTool || thinking === undefined ? {} : { thinking: cut(thinking, textMax) }),
    ...modelPart(step),
    ...(step === undefined || step.scopeName === '' ? {} : { dialect: name(step.scopeName) }),
    ...(textsOfStep(listed).some((length) => length > textMax) ? { cut: true } : {}),
    ...(provenance && step !== undefined
      ? { provenance: [...step.rules].map(([field, rule]) => ({ field, rule: name(rule) })) }
      : {}),
  };
}

function modelPart(step: Step | undefined): Pick<TranscriptStepJson, 'model' | 'tokens' | 'cost_usd'> {
  if (step === undefined) return {};
  const { model, usage, costUsd } = step;
  const called = model?.response ?? model?.request;
  return {
    ...(called === undefined ? {} : { model: name(called) }),
    ...(usage === undefined
      ? {}
      : { tokens: { input: amount(usage.inputTokens), output: amount(usage.outputTokens) } }),
    ...(costUsd === undefined || !(costUsd >= 0) ? {} : { cost_usd: costUsd }),
  };
}

/** Spans may say anything. */
function amount(reported: number): number {
  return Number.isSafeInteger(reported) && reported >= 0 ? reported : 0;
}

function contentsOf({ step, call }: ListedStep): { readonly args?: Content; readonly result?: Content } {
  const args = call?.args ?? step?.tool?.args;
  const result = call?.result ?? step?.tool?.result;
  return {
    ...(args === undefined || args.state === 'missing' ? {} : { args }),
    ...(result === undefined || result.state === 'missing' ? {} : { result }),
  };
}

function turnText(turn: Turn, field: (typeof TEXT_FIELDS)[number]): string | undefined {
  if (field === 'asked') return turn.userInput.text;
  if (field === 'answered') return turn.finalAnswer.text;
  return field === 'error' ? errorText(turn.error) : undefined;
}

function stepText(listed: ListedStep, field: (typeof TEXT_FIELDS)[number]): string | undefined {
  const { step, call } = listed;
  const { args, result } = contentsOf(listed);
  switch (field) {
    case 'arguments':
      return args?.text;
    case 'result':
      return result?.text;
    case 'input':
      return presentText(step?.input);
    case 'output':
      return presentText(step?.output);
    case 'thinking':
      return thinkingOf(step);
    case 'error':
      return errorText(call?.error ?? step?.error);
    case 'asked':
    case 'answered':
      return undefined;
    default:
      return field satisfies never;
  }
}

function presentText(content: Content | undefined): string | undefined {
  return content === undefined || content.state === 'missing' ? undefined : content.text;
}

function thinkingOf(step: Step | undefined): string | undefined {
  const parts = (step?.messagesOut ?? []).flatMap((message) => message.parts);
  const texts = parts.flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function errorText(error: StepError | undefined): string | undefined {
  if (error === undefined) return undefined;
  return error.message === '' ? error.type : `${error.type}: ${error.message}`;
}

function textsOfTurn(turn: Turn): readonly number[] {
  return [turn.userInput.text.length, turn.finalAnswer.text.length, errorText(turn.error)?.length ?? 0];
}

const STEP_FIELDS = ['arguments', 'result', 'input', 'output', 'thinking', 'error'] as const;
const NOT_OF_TOOLS: readonly string[] = ['input', 'output', 'thinking'];

function textsOfStep(listed: ListedStep): readonly number[] {
  const isTool = listed.call !== undefined || listed.step?.tool !== undefined;
  const fields = isTool ? STEP_FIELDS.filter((field) => !NOT_OF_TOOLS.includes(field)) : STEP_FIELDS;
  return fields.map((field) => stepText(listed, field)?.length ?? 0);
}

/** The most that each text may have, so that all of them are within their limit. */
function limitFor(lengths: readonly number[]): number {
  const shortFirst = lengths.filter((length) => length > 0).toSorted((a, b) => a - b);
  let room = TEXTS_MAX;
  for (const [index, length] of shortFirst.entries()) {
    const each = Math.floor(room / (shortFirst.length - index));
    if (length > each) return Math.min(TEXT_MAX, each);
    room -= length;
  }
  return TEXT_MAX;
}

export function cut(text: string, max: number): string {
  return (text.length > max ? `${text.slice(0, max)}…` : text).toWellFormed();
}

function name(text: string): string {
  return cut(text, NAME_MAX);
}

function shownJson({ text, json }: Content, max: number): Json {
  return text.length > max || isDeeper(json, DEPTH_MAX) ? cut(text, max) : json;
}

function isDeeper(json: Json, depth: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (depth === 0) return true;
  return Object.values(json).some((inner: Json) => isDeeper(inner, depth - 1));
}
