/**
 * Keeps one of several copies of a span, the same one whichever came first. Copies of one delivery are alike; two that
 * differ were changed on their way (by a processor of a Collector, or a retry with another resource) or made up. So the
 * choice goes by everything that a step says: a field left out here would let the order of arrival decide.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Content, Step } from '../../model/step.ts';

export function eachOnce(steps: readonly Step[]): readonly Step[] {
  const kept = new Map<SpanId, Step>();
  for (const step of steps) {
    const there = kept.get(step.spanId);
    kept.set(step.spanId, there === undefined ? step : fuller(there, step));
  }
  return [...kept.values()];
}

/** Prefers the later end, then more attributes, then any stable difference. */
function fuller(a: Step, b: Step): Step {
  const difference = a.endedAtMs - b.endedAtMs || a.attributes.size - b.attributes.size;
  if (difference !== 0) return difference > 0 ? a : b;
  return fingerprint(a) >= fingerprint(b) ? a : b;
}

function fingerprint(step: Step): string {
  // Every field by name: most are getters, which copying the object would miss, and the type asks for each new one.
  const everything: { readonly [field in keyof Step]: unknown } = {
    traceId: step.traceId,
    spanId: step.spanId,
    parentSpanId: step.parentSpanId,
    parentIsRemote: step.parentIsRemote,
    links: step.links,
    kind: step.kind,
    name: step.name,
    spanName: step.spanName,
    agent: step.agent,
    conversationId: step.conversationId,
    userId: step.userId,
    input: step.input,
    output: step.output,
    systemInstructions: step.systemInstructions,
    messagesIn: step.messagesIn,
    messagesOut: step.messagesOut,
    tool: step.tool,
    model: step.model,
    usage: step.usage,
    costUsd: step.costUsd,
    status: step.status,
    error: step.error,
    startedAtMs: step.startedAtMs,
    endedAtMs: step.endedAtMs,
    environment: step.environment,
    serviceName: step.serviceName,
    attributes: step.attributes,
    marks: step.marks,
    toolEffects: step.toolEffects,
    scopeName: step.scopeName,
    flags: step.flags,
    rules: step.rules,
    bytes: step.bytes,
  };
  return JSON.stringify(everything, (_key, value: unknown) => readable(value));
}

/**
 * Includes what JSON would leave out: the entries of maps, content that is decoded when read, and numbers that JSON
 * cannot write.
 */
function readable(value: unknown): unknown {
  if (value instanceof Map) return [...value].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  if (isDecodedWhenRead(value)) return { state: value.state, text: value.text, json: value.json };
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  return value;
}

function isDecodedWhenRead(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && 'json' in value && !Object.hasOwn(value, 'json');
}
