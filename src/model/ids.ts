/**
 * The identifiers of the pipeline. Each brand is put on in one place, at the edge (the OTLP reader, the store, a
 * command line), and trusted inside.
 */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** 32 lower-case hexadecimal digits, not all zero. */
export type TraceId = Branded<string, 'TraceId'>;
/** 16 lower-case hexadecimal digits, not all zero. */
export type SpanId = Branded<string, 'SpanId'>;
/** The agent's name of the conversation, or `trace:<trace id>` if it gave none. */
export type ConversationId = Branded<string, 'ConversationId'>;
/** The trace id, or `<trace id>/<root span id>` where one trace holds several turns. */
export type TurnId = Branded<string, 'TurnId'>;

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

export function tryParseTraceId(text: string): TraceId | undefined {
  const id = text.toLowerCase();
  // The cast is the brand: the pattern has just been checked.
  return TRACE_ID.test(id) && id !== '0'.repeat(32) ? (id as TraceId) : undefined;
}

export function tryParseSpanId(text: string): SpanId | undefined {
  const id = text.toLowerCase();
  // The cast is the brand: the pattern has just been checked.
  return SPAN_ID.test(id) && id !== '0'.repeat(16) ? (id as SpanId) : undefined;
}

/** A conversation that its agent gave no id: it consists of this one trace. */
export function syntheticConversationId(traceId: TraceId): ConversationId {
  return `trace:${traceId}` as ConversationId;
}

export function isSynthetic(id: ConversationId): boolean {
  return id.startsWith('trace:');
}
