/**
 * Model calls that have no span, and are log records of the agent's: one `gen_ai.client.inference.operation.details`
 * each. An instrumentation that takes the place of the framework's own spans (OpenInference of ADK's) leaves them so.
 * They are read as spans directly below the agent's, whose attributes are those of the record.
 */
import { createHash } from 'node:crypto';
import type { SpanId } from '../model/ids.ts';
import type { Step } from '../model/step.ts';
import type { LogsIndex } from '../otlp/logs-reader.ts';
import type { LogRecordView, SpanView } from '../otlp/views.ts';
import type { Draft } from './draft.ts';
import type { SpanSource } from './evidence.ts';
import type { IdKeys } from './id-keys.ts';
import { readResource } from './reading.ts';
import { SpanStep } from './span-step.ts';

const CALL = 'gen_ai.client.inference.operation.details';

/** None where the trace has spans of model calls: a record is of one of those then. */
export function loggedCalls(steps: readonly Step[], logs: LogsIndex, idKeys: IdKeys | undefined): readonly Step[] {
  if (steps.some(({ kind }) => kind === 'llm')) return [];
  const agents = new Set(steps.flatMap(({ kind, spanId }) => (kind === 'agent' ? spanId : [])));
  if (agents.size === 0) return [];
  const calls: Step[] = [];
  const source = new RecordSource(logs, idKeys);
  for (let position = 0; position < logs.recordCount; position++) {
    const { eventName, spanId } = logs.view(position);
    if (eventName !== CALL || spanId === undefined || !agents.has(spanId)) continue;
    calls.push(new SpanStep(source, position, source.view(position), { isLoggedCall: true }));
  }
  return calls;
}

class RecordSource implements SpanSource {
  readonly idKeys: IdKeys | undefined;
  readonly #logs: LogsIndex;

  constructor(logs: LogsIndex, idKeys: IdKeys | undefined) {
    this.#logs = logs;
    this.idKeys = idKeys;
  }

  view(position: number): SpanView {
    return spanOf(this.#logs.view(position));
  }

  bytesAt(position: number): number {
    const { rows } = this.#logs;
    return rows.end(position) - rows.start(position);
  }

  logsOf(): undefined {
    return undefined;
  }

  resourceAt(position: number): Draft {
    return readResource(this.#logs.view(position).resource, undefined);
  }
}

function spanOf(record: LogRecordView): SpanView {
  const { traceId, spanId, timeMs, attributes, scope, resource } = record;
  if (traceId === undefined || spanId === undefined) throw new Error('a log record without a trace was read as a call');
  return {
    ...{ traceId, spanId: idOf(record), parentSpanId: spanId, name: CALL, otelKind: 3 },
    // Emitted when the answer is there: how long it took is not known.
    ...{ startedAtMs: timeMs, endedAtMs: timeMs, statusCode: 'unset', statusMessage: '', flags: 0 },
    ...{ droppedAttributes: 0, attributes, hasEvents: false, events: [], links: [], scope, resource },
  };
}

/** The same for a record that is delivered again. */
function idOf({ timeMs, spanId, attributes }: LogRecordView): SpanId {
  const hash = createHash('sha256').update(`${spanId} ${timeMs} ${attributes.text('gcp.vertex.agent.event_id') ?? ''}`);
  // The cast is the brand: 16 hexadecimal digits.
  return hash.digest('hex').slice(0, 16) as SpanId;
}
