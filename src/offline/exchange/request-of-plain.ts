/**
 * Spans of a conversation that came in another format, by the conventions of OpenTelemetry, so that it goes the way of all
 * others. Ids of traces and spans are new. Steps without a time follow one another.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../../model/json.ts';
import { END_MARK, STATE_MARK, TRUTH_MARK } from '../../model/marks.ts';
import { exchangesOf, textOf } from '../../reader/exchanges.ts';
import type { PlainConversation, PlainModelCall, PlainToolCall, PlainTurn } from '../../reader/plain-conversation.ts';

const STEP_MS = 100;
const TURN_MS = 60_000;

type Value = string | number | boolean | readonly string[] | null | undefined;
type Attributes = Readonly<Record<string, Value>>;

interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly error: PlainTurn['error'];
  readonly attributes: Attributes;
  /** True below an agent's span of its own, as the calls of sub-agents are. */
  readonly isInner: boolean;
}

/** An OTLP/JSON export request. `place` tells conversations of one id in several files apart. */
export function requestOfPlain(
  conversation: PlainConversation,
  { place, startedAtMs }: { readonly place: string; readonly startedAtMs: number },
): string {
  const { agent, agent_version: version, environment } = conversation;
  const resource = { 'service.name': agent, 'service.version': version, 'deployment.environment.name': environment };
  let at = startedAtMs;
  const spans = conversation.turns.flatMap((turn, index) => {
    const from = msOf(turn.started_at) ?? at;
    at = from + TURN_MS;
    return turnSpans(conversation, index, { place, from });
  });
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: written(resource) }, scopeSpans: [{ scope: { name: 'exchange' }, spans }] },
    ],
  });
}

function turnSpans(
  conversation: PlainConversation,
  index: number,
  { place, from }: { readonly place: string; readonly from: number },
): readonly object[] {
  const { conversation_id: id, agent, turns } = conversation;
  const turn = turns[index];
  if (turn === undefined) return [];
  const steps = stepsOf(turn, conversation, from);
  const to = Math.max(msOf(turn.ended_at) ?? from, ...steps.map((step) => step.to));
  const isLast = index === turns.length - 1;
  const root: Span = {
    ...{ name: `invoke_agent ${agent ?? ''}`.trim(), from, to, error: turn.error, isInner: false },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.agent.version': conversation.agent_version,
      'user.id': conversation.user_id,
      'gen_ai.input.messages': message('user', turn.user_input),
      'gen_ai.output.messages': message('assistant', turn.final_answer),
      ...(isLast && {
        [STATE_MARK]: json(conversation.state),
        [TRUTH_MARK]: json(conversation.truth),
        [END_MARK]: true,
      }),
    },
  };
  const inner = steps.filter(({ isInner }) => isInner);
  const around: readonly Span[] =
    inner.length === 0
      ? []
      : [{ ...root, name: 'invoke_agent', error: null, attributes: { 'gen_ai.operation.name': 'invoke_agent' } }];
  const spanId = (number: number) => ((index + 1) * 0x100000 + number + 1).toString(16).padStart(16, '0');
  return [root, ...around, ...steps].map((span, number) => ({
    traceId: createHash('md5').update(`${place}/${id}/${index}`).digest('hex'),
    spanId: spanId(number),
    ...(number > 0 && { parentSpanId: spanId(span.isInner ? 1 : 0) }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: `${span.from}000000`,
    endTimeUnixNano: `${span.to}000000`,
    attributes: written({ ...span.attributes, 'gen_ai.conversation.id': id, 'error.type': span.error?.type }),
    status: span.error === null ? {} : { code: 2, message: span.error.message },
  }));
}

/** Steps without an end take what is left until the next that has a time. */
function stepsOf(turn: PlainTurn, { instructions }: PlainConversation, startedAtMs: number): readonly Span[] {
  const spans: Span[] = [];
  const exchanges = exchangesOf(turn);
  let at = startedAtMs;
  for (const [place, { call, tools }] of exchanges.entries()) {
    const from = msOf(call?.started_at ?? null) ?? at;
    const next = msOf(exchanges[place + 1]?.call?.started_at ?? null) ?? Number.POSITIVE_INFINITY;
    const stepMs = Math.max(0, Math.min(STEP_MS, Math.floor((next - from) / 3)));
    const isInner = call?.main === false;
    if (call !== undefined) {
      spans.push(modelSpan(call, tools, { from, stepMs, user: turn.user_input, instructions }));
      at = spans.at(-1)?.to ?? from;
    }
    // Tool calls that one model call asked for ran side by side, unless they have times.
    const made = tools.filter(({ answered }) => answered).map((tool) => toolSpan(tool, { at, stepMs, isInner }));
    spans.push(...made);
    at = Math.max(at, ...made.map(({ to }) => to));
  }
  return spans;
}

function modelSpan(
  call: PlainModelCall,
  asked: readonly PlainToolCall[],
  {
    from,
    stepMs,
    user,
    instructions,
  }: {
    readonly from: number;
    readonly stepMs: number;
    readonly user: string | null;
    readonly instructions: string | null;
  },
): Span {
  const parts = [
    ...(call.reasoning === null ? [] : [{ type: 'reasoning', content: call.reasoning }]),
    ...(call.text === null ? [] : [{ type: 'text', content: call.text }]),
    ...asked.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args })),
  ];
  return {
    ...{ name: 'chat', from, to: msOf(call.ended_at) ?? from + stepMs, error: call.error, isInner: !call.main },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.agent.name': call.agent,
      'gen_ai.response.model': call.model,
      'gen_ai.response.finish_reasons': call.finish_reason === null ? null : [call.finish_reason],
      'gen_ai.usage.input_tokens': call.tokens?.input,
      'gen_ai.usage.output_tokens': call.tokens?.output,
      'gen_ai.usage.cache_read.input_tokens': call.tokens?.cached_input,
      'gen_ai.usage.reasoning.output_tokens': call.tokens?.reasoning,
      'gen_ai.usage.cost': call.cost_usd,
      'gen_ai.system_instructions': instructions === null ? null : json([{ type: 'text', content: instructions }]),
      'gen_ai.input.messages': message('user', user),
      'gen_ai.output.messages': parts.length === 0 ? null : json([{ role: 'assistant', parts }]),
    },
  };
}

function toolSpan(
  call: PlainToolCall,
  { at, stepMs, isInner }: { readonly at: number; readonly stepMs: number; readonly isInner: boolean },
): Span {
  const from = msOf(call.started_at) ?? at;
  return {
    ...{
      name: `execute_tool ${call.name}`,
      from,
      to: msOf(call.ended_at) ?? from + stepMs,
      error: call.error,
      isInner,
    },
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.agent.name': call.agent,
      'gen_ai.tool.name': call.name,
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.call.arguments': call.args === null ? null : textOf(call.args),
      'gen_ai.tool.call.result': call.result === null ? null : textOf(call.result),
    },
  };
}

function message(role: string, content: string | null): string | null {
  return content === null ? null : json([{ role, parts: [{ type: 'text', content }] }]);
}

function json(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}

function msOf(time: string | null): number | undefined {
  const ms = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

function written(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );
}

function otlpValue(value: NonNullable<Value>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
