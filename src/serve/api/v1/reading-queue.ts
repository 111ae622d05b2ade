/**
 * `GET /api/v1/readings/queue`: conversations for people to read, in the order of their lots, so that those that were
 * read are a sample with known chances.
 */
import { type ReadingQueue, readingQueue, readingQueueQuery } from '../../../api/estimate.ts';
import type { Candidate } from '../../../store/frame-reader.ts';
import { placeOf } from '../../../store/conversation-search.ts';
import { isForTwo, sampleOf } from '../../../engine/estimate/sample.ts';
import { frameQueryOf } from './frame-asked.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Read ones come before those that are left. */
const LOOKED_AT_MAX = 2000;

export const getReadingQueue = v1Read({
  path: '/api/v1/readings/queue',
  summary: `?agent= &agent_version= &environment= &segment= &since=7d &until= &by= (leaves out what this person has read) &part=1/2 &limit=
conversations for people to read, whole and without what was said of them`,
  query: readingQueueQuery,
  answer: readingQueue,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<ReadingQueue> => {
    const { by, part, limit } = asked;
    const [own = 1, of = 1] = (part ?? '1/1').split('/').map(Number);
    const query = frameQueryOf(asked);
    const { conversations: read } = await reader.frame.readByPeople(query);
    const candidates = await reader.frame.firstToRead(query, Math.min(LOOKED_AT_MAX, read + limit * of));
    const left = candidates.filter((one) => isFor(one, by)).slice(0, limit * of);
    // A part that nobody reads must not break the row of those that were read: the others come to it after their own.
    const isOwn = ({ row }: Candidate) => (row.lot ?? 0) % of === own - 1;
    const inOrder = [...left.filter(isOwn), ...left.filter((one) => !isOwn(one))];
    return {
      items: inOrder.slice(0, limit).map(itemOf),
      read: sampleOf(candidates).drawn.length,
    };
  },
});

/** One in ten is read by two people; any other by one. */
function isFor(candidate: Candidate, by: string | undefined): boolean {
  const readers = readersOf(candidate);
  if (by !== undefined && readers.includes(by)) return false;
  return readers.length < (isForTwo(candidate) && by !== undefined ? 2 : 1);
}

function readersOf({ readings }: Candidate): readonly string[] {
  return readings.flatMap(({ source, by }) => (source === 'person' ? [by] : []));
}

function itemOf(candidate: Candidate): ReadingQueue['items'][number] {
  const { row } = candidate;
  return {
    conversation_id: row.conversationId,
    agent: row.agent,
    agent_version: row.agentVersion,
    ...(row.glance.asked === undefined ? {} : { asked: row.glance.asked }),
    began_at: isoTime(placeOf(row).at),
    people: readersOf(candidate).length,
  };
}
