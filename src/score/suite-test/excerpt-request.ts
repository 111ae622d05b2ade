/**
 * The conversation of a test as the spans that an agent would have exported, by the conventions of OpenTelemetry. There
 * is a span for the turn, one for each tool call, and the model calls that asked for them and gave the answer. So it
 * goes the way of every conversation, and means in a test what it means in production.
 */
import type { Excerpt, ExcerptCall, ExcerptModelCall, ExcerptTurn } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';
import { END_MARK, STATE_MARK, TRUTH_MARK } from '../../model/marks.ts';

export const EXAMPLE_START_MS = 1_790_000_000_000;
const TURN_EVERY_MS = 60_000;
const STEP_MS = 100;
/**
 * Messages that a model call repeats. Beyond them it has those of late, as an agent that trims its context: with all of
 * them, a conversation of 4,900 tool calls would be gigabytes.
 */
const REPEATED_MAX = 100;
const REPEATED_BEYOND = 20;

/** Ids of the spans, if they are not just an example. */
interface ExcerptIdentity {
  readonly conversationId: string;
  /** Number of the trace of a turn, from 1. */
  readonly traceIdOf: (turn: number) => string;
  readonly startedAtMs: number;
  /** A minute unless given. */
  readonly turnEveryMs?: number | undefined;
}

const EXAMPLE: ExcerptIdentity = {
  conversationId: 'example',
  traceIdOf: (turn) => turn.toString(16).padStart(32, '0'),
  startedAtMs: EXAMPLE_START_MS,
};

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly from: number;
  readonly to: number;
  readonly error?: string | undefined;
}

/** An OTLP/JSON export request. */
export function excerptRequest(excerpt: Excerpt, truth: Json | undefined, identity = EXAMPLE): string {
  const last = excerpt.turns.length - 1;
  const history: object[] = [];
  const spans = excerpt.turns.flatMap((turn, index) => {
    const marks = [
      ...(turn.state === undefined ? [] : [text(STATE_MARK, JSON.stringify(turn.state))]),
      ...(index < last || excerpt.state === undefined ? [] : [text(STATE_MARK, JSON.stringify(excerpt.state))]),
      ...(index < last || truth === undefined ? [] : [text(TRUTH_MARK, JSON.stringify(truth))]),
      ...(index < last ? [] : [{ key: END_MARK, value: { boolValue: true } }]),
    ];
    return turnSpans(turn, { excerpt, index, marks, identity, history });
  });
  const { agent = 'agent', version, environment } = excerpt;
  const attributes = [
    text('service.name', agent),
    ...(version === undefined ? [] : [text('service.version', version)]),
    ...(environment === undefined ? [] : [text('deployment.environment.name', environment)]),
  ];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'assay.example' }, spans }] }],
  });
}

function turnSpans(
  turn: ExcerptTurn,
  {
    excerpt,
    index,
    marks,
    identity,
    history,
  }: {
    readonly excerpt: Excerpt;
    readonly index: number;
    readonly marks: readonly Attribute[];
    readonly identity: ExcerptIdentity;
    /** Earlier messages; the turn adds its own. */
    readonly history: object[];
  },
): readonly object[] {
  const startedAt =
    turn.models?.[0]?.startedAtMs ?? identity.startedAtMs + index * (identity.turnEveryMs ?? TURN_EVERY_MS);
  const beganAt = history.length;
  if (turn.user !== undefined) history.push(message('user', { type: 'text', content: turn.user }));
  const spans: Span[] = [];
  let at = startedAt;
  let calls = 0;
  const modelCall = (said: readonly object[], finish: string | undefined, facts: ExcerptModelCall | undefined) => {
    const from = facts?.startedAtMs ?? at;
    at = from + STEP_MS;
    const reasoning = facts?.reasoning;
    const parts = reasoning === undefined ? said : [{ type: 'reasoning', content: reasoning }, ...said];
    const shown = chat(repeated(history, beganAt), parts, finish);
    const attributes = [...instructionsIn(excerpt), ...(facts === undefined ? shown : withFacts(shown, facts))];
    spans.push({ name: 'chat example-model', kind: 3, from, to: at, attributes });
    history.push(message('assistant', ...parts));
  };
  for (const [number, group] of turn.calls.entries()) {
    const facts = turn.models?.[number];
    const asked = group.map((call) => {
      calls += 1;
      return { ...call, id: `call_${index + 1}_${calls}` };
    });
    const said = group[0]?.said ?? facts?.said;
    modelCall(
      [
        ...(said === undefined ? [] : [{ type: 'text', content: said }]),
        ...asked.map(({ id, tool, args }) => ({ type: 'tool_call', id, name: tool, arguments: args })),
      ],
      group.length === 0 ? undefined : 'tool_call',
      facts,
    );
    const from = at;
    at += STEP_MS;
    for (const call of asked) {
      if (call.isOpen === true) continue;
      spans.push({
        name: `execute_tool ${call.tool}`,
        kind: 1,
        from,
        to: at,
        attributes: toolCall(call),
        error: call.error,
      });
      const response = call.error ?? call.result;
      if (response !== undefined) history.push(message('tool', { type: 'tool_call_response', id: call.id, response }));
    }
  }
  // Where model calls are known, none is made up for an answer that did not come.
  if (turn.models === undefined || turn.answer !== undefined)
    modelCall([{ type: 'text', content: turn.answer ?? '' }], turn.finish, turn.models?.[turn.calls.length]);
  const root: Span = {
    name: `invoke_agent ${excerpt.agent ?? 'agent'}`,
    kind: 1,
    from: startedAt - 1,
    to: at + 1,
    error: turn.error,
    attributes: [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', excerpt.agent ?? 'agent'),
      ...(excerpt.version === undefined ? [] : [text('gen_ai.agent.version', excerpt.version)]),
      ...[...excerpt.attributes].map(([key, value]) => ({ key, value: scalar(value) })),
      ...marks,
    ],
  };
  // Children before their parents, as they are exported.
  return [...spans, root].map((span, number) =>
    written(span, { identity, turn: index + 1, number, rootNumber: spans.length }),
  );
}

/** History with the message that began the turn. */
function repeated(history: readonly object[], beganAt: number): readonly object[] {
  if (history.length <= REPEATED_MAX) return history;
  const from = history.length - REPEATED_BEYOND;
  return [...history.slice(beganAt, Math.min(beganAt + 1, from)), ...history.slice(from)];
}

function chat(input: readonly object[], parts: readonly object[], finish: string | undefined): readonly Attribute[] {
  return [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.request.model', 'example-model'),
    ...(finish === undefined
      ? []
      : [{ key: 'gen_ai.response.finish_reasons', value: { arrayValue: { values: [{ stringValue: finish }] } } }]),
    ...(input.length === 0 ? [] : [text('gen_ai.input.messages', JSON.stringify(input))]),
    text('gen_ai.output.messages', JSON.stringify([{ ...message('assistant', ...parts), finish_reason: finish }])),
  ];
}

/** Facts that are not known are left out, the model's name among them. */
function withFacts(shown: readonly Attribute[], facts: ExcerptModelCall): readonly Attribute[] {
  const known = {
    'gen_ai.request.model': facts.model,
    'gen_ai.usage.input_tokens': facts.inputTokens,
    'gen_ai.usage.output_tokens': facts.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': facts.cachedTokens,
    'gen_ai.usage.cost': facts.costUsd,
  };
  return [
    ...shown.filter(({ key }) => key !== 'gen_ai.request.model'),
    ...Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: scalar(value) }])),
  ];
}

function instructionsIn({ instructions }: Excerpt): readonly Attribute[] {
  if (instructions === undefined) return [];
  return [text('gen_ai.system_instructions', JSON.stringify([{ type: 'text', content: instructions }]))];
}

function toolCall({ tool, id, args, result, error }: ExcerptCall & { readonly id: string }): readonly Attribute[] {
  return [
    text('gen_ai.operation.name', 'execute_tool'),
    text('gen_ai.tool.name', tool),
    text('gen_ai.tool.call.id', id),
    text('gen_ai.tool.call.arguments', typeof args === 'string' ? args : JSON.stringify(args)),
    ...(result === undefined
      ? []
      : [text('gen_ai.tool.call.result', typeof result === 'string' ? result : JSON.stringify(result))]),
    ...(error === undefined ? [] : [text('error.type', 'Error')]),
  ];
}

function written(
  { name, kind, attributes, from, to, error }: Span,
  {
    identity,
    turn,
    number,
    rootNumber,
  }: {
    readonly identity: ExcerptIdentity;
    readonly turn: number;
    readonly number: number;
    readonly rootNumber: number;
  },
): object {
  const spanIdOf = (one: number) => (turn * 0x10000 + one + 1).toString(16).padStart(16, '0');
  return {
    traceId: identity.traceIdOf(turn),
    spanId: spanIdOf(number),
    ...(number === rootNumber ? {} : { parentSpanId: spanIdOf(rootNumber) }),
    name,
    kind,
    startTimeUnixNano: `${from}000000`,
    endTimeUnixNano: `${to}000000`,
    attributes: [text('gen_ai.conversation.id', identity.conversationId), ...attributes],
    status: error === undefined ? { code: 0 } : { code: 2, message: error },
  };
}

function message(role: string, ...parts: readonly object[]): object {
  return { role, parts };
}

function text(key: string, value: string): Attribute {
  return { key, value: { stringValue: value } };
}

function scalar(value: string | number | boolean): Attribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
