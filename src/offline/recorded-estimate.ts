/** How many conversations of a recording went well, from readings that are no part of it, and which to read next. */
import { chancesOf, isRead, sampleOfAll } from '../engine/estimate/sample.ts';
import { estimateJson, windowEstimate } from '../engine/estimate/window-estimate.ts';
import { tryParseTraceId } from '../model/ids.ts';
import { saidReading, type WrittenReading, withoutContradictions } from '../model/readings.ts';
import type { Store } from '../store/sqlite/store.ts';

export type RecordedEstimate = Awaited<ReturnType<typeof recordedEstimate>>;

/** As many as the first advice asks for. */
const TO_READ_MAX = 20;
const ALL = { since: 0, until: Number.MAX_SAFE_INTEGER };

/** Puts the readings into the store of the recording, which is thrown away; between transactions. */
export async function recordedEstimate(store: Store, written: readonly WrittenReading[]) {
  const reader = store.reader();
  const named = written.flatMap((one) => {
    const isThere = (reader.find(one.conversation_id)?.turns ?? 0) > 0;
    const id = isThere ? one.conversation_id : conversationOf(store, one.conversation_id);
    return id === undefined ? [] : [{ ...one, conversation_id: id }];
  });
  const readings = withoutContradictions(named);
  store.readings.put(readings.map(saidReading));
  const found = await windowEstimate(reader.frame, ALL, sampleOfAll);
  const first = reader.frame.firstToRead(ALL, reader.frame.readByPeople(ALL).conversations + TO_READ_MAX);
  const { drawn } = sampleOfAll(first);
  const toRead = first.flatMap((one) => (isRead(one) ? [] : [one.row.conversationId])).slice(0, TO_READ_MAX);
  return {
    ...{ estimate: estimateJson(found), toRead, readings },
    /** Chances of the conversations that lots chose to be read. */
    chances: new Map([...chancesOf(drawn)].map(([{ row }, chance]) => [row.conversationId as string, chance])),
    /** Readings of conversations that are not in the recording. */
    ofOthers: written.length - named.length,
  };
}

/** Other tools name a conversation by one of its traces. */
function conversationOf(store: Store, named: string): string | undefined {
  const traceId = tryParseTraceId(named.replace(/^trace:/, ''));
  const trace = traceId === undefined ? undefined : store.traces.find(traceId);
  return trace === undefined ? undefined : store.idOfConversation(trace.conversation);
}
