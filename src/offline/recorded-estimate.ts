/** How many conversations of a recording went well, from readings that are no part of it, and which to read next. */
import { type EstimateJson, estimateJson } from '../engine/estimate/estimate-json.ts';
import { isRead, sampleOfAll } from '../engine/estimate/sample.ts';
import { windowEstimate } from '../engine/estimate/window-estimate.ts';
import { tryParseTraceId } from '../model/ids.ts';
import { saidReading, type WrittenReading, withoutContradictions } from '../model/readings.ts';
import type { Store } from '../store/sqlite/store.ts';

export interface RecordedEstimate {
  readonly estimate: EstimateJson;
  /** Conversations that come first of those that nobody has read. */
  readonly toRead: readonly string[];
  /** Readings of conversations that are not in the recording. */
  readonly ofOthers: number;
}

/** As many as the first advice asks for. */
const TO_READ_MAX = 20;
const ALL = { since: 0, until: Number.MAX_SAFE_INTEGER };

/** Between transactions: the readings are put into the store of the recording, which is thrown away. */
export async function recordedEstimate(store: Store, written: readonly WrittenReading[]): Promise<RecordedEstimate> {
  const reader = store.reader();
  const isThere = ({ conversation_id: id }: WrittenReading) => (reader.find(id)?.turns ?? 0) > 0;
  const ofTraces = written.flatMap((one) => {
    const id = isThere(one) ? undefined : conversationOf(store, one.conversation_id);
    return id === undefined ? [] : [{ ...one, conversation_id: id }];
  });
  const readings = [...written.filter(isThere), ...withoutContradictions(ofTraces)];
  store.readings.put(readings.map(saidReading));
  const found = await windowEstimate(reader.frame, ALL, sampleOfAll);
  const first = reader.frame.firstToRead(ALL, reader.frame.readByPeople(ALL) + TO_READ_MAX);
  const unread = first.filter((one) => !isRead(one)).map(({ row }) => row.conversationId);
  const toRead = unread.slice(0, TO_READ_MAX);
  const ofOthers = written.filter((one) => !isThere(one)).length - ofTraces.length;
  return { estimate: estimateJson(found), toRead, ofOthers };
}

/** Other tools name a conversation by one of its traces. */
function conversationOf(store: Store, named: string): string | undefined {
  const traceId = tryParseTraceId(named.replace(/^trace:/, ''));
  const trace = traceId === undefined ? undefined : store.traces.find(traceId);
  return trace === undefined ? undefined : store.idOfConversation(trace.conversation);
}
