/**
 * `GET /api/v1/spans/{conversation}`: the spans and log records of a conversation as they are stored, redacted. One OTLP message for each
 * trace, in base64, so that a reader understands them as it would understand the agent's own.
 */
import { z } from 'zod';
import { jsonAnswer } from '../../report/http/answer.ts';
import { reading } from '../../report/http/route.ts';
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { intactContent } from '../../store/intact-content.ts';
import { noSuchConversation } from './v1/no-such-conversation.ts';

/** Answers are built in memory, beside the receivers. */
const BYTES_MAX = 64 << 20;

interface StoredTrace {
  readonly trace_id: string;
  /** A TracesData message. */
  readonly spans: string;
  /** A LogsData message. */
  readonly log_records: string | null;
}

interface StoredSpans {
  readonly conversation_id: string;
  readonly traces: readonly StoredTrace[];
  /** Traces that retention deleted, and those beyond what one answer holds. */
  readonly traces_left_out: number;
  /** Traces whose spans are damaged on disk. */
  readonly traces_damaged: number;
}

interface SpansSide {
  readonly reader: Pick<ConversationReader, 'find' | 'traces' | 'content'>;
  readonly onDamage: (damage: DamageNotice) => void;
}

interface DamageNotice {
  /** The conversation. */
  readonly what: string;
  readonly reason: string;
}

export const getSpans = reading(z.strictObject({}), async ({ reader, onDamage }: SpansSide, _query, parameters) => {
  const id = parameters.get('conversation') ?? '';
  const row = await reader.find(id);
  if (row === undefined) return noSuchConversation(id);
  const traces: StoredTrace[] = [];
  const report = (reason: string) => onDamage({ what: `conversation ${row.conversationId}`, reason });
  let bytes = 0;
  let leftOut = 0;
  let damaged = 0;
  for (const trace of await reader.traces(row)) {
    const content = bytes > BYTES_MAX ? undefined : await intactContent(reader, trace, report);
    if (content === 'damaged') {
      damaged += 1;
      continue;
    }
    if (content === undefined) {
      leftOut += 1;
      continue;
    }
    bytes += content.traces.length + (content.logs?.length ?? 0);
    traces.push({
      trace_id: trace.traceId,
      spans: base64(content.traces),
      log_records: content.logs === undefined ? null : base64(content.logs),
    });
  }
  const answer: StoredSpans = {
    conversation_id: row.conversationId,
    traces,
    traces_left_out: leftOut,
    traces_damaged: damaged,
  };
  return jsonAnswer(200, answer);
});

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
