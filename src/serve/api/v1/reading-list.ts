/** `GET /api/v1/readings`: conversations that people have read, with what suites said of them. */
import { type ReadingList, readingList, readingListQuery } from '../../../api/estimate.ts';
import { answerOf, isRead, sampleOf } from '../../../engine/estimate/sample.ts';
import { isGood } from '../../../model/severity.ts';
import { failuresAmong } from '../../../store/facts.ts';
import { type Candidate, rateOf } from '../../../store/frame-reader.ts';
import { frameQueryOf } from './frame-asked.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Conversations that are left may come before some that were read. */
const LOOKED_AT_MAX = 2000;
const MORE = 200;

export const listReadings = v1Read({
  path: '/api/v1/readings',
  summary: `?agent= &agent_version= &environment= &segment= &since=7d &until= &limit=
conversations that people have read: how they went, of what kind each failure was, and what suites said`,
  query: readingListQuery,
  answer: readingList,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<ReadingList> => {
    const query = frameQueryOf(asked);
    const { conversations } = await reader.frame.readByPeople(query);
    const candidates = await reader.frame.firstToRead(query, Math.min(LOOKED_AT_MAX, conversations + MORE));
    const drawn = new Set(sampleOf(candidates).drawn);
    const read = candidates.filter(isRead).slice(0, asked.limit);
    return { items: read.map((one) => itemOf(one, drawn.has(one))) };
  },
});

function itemOf(candidate: Candidate, isDrawn: boolean): ReadingList['items'][number] {
  const { row, known, readings } = candidate;
  const bad = readings.filter(({ source, answer }) => source === 'person' && answer === 'bad');
  const kind = bad.find((one) => one.kind !== undefined)?.kind;
  return {
    conversation_id: row.conversationId,
    answer: answerOf(candidate),
    ...(isDrawn ? { rate: rateOf(known.called) } : {}),
    called_fine: isGood(known.called),
    failed: [...failuresAmong(row.facts)],
    ...(kind === undefined ? {} : { kind }),
    notes: bad.flatMap(({ note }) => note ?? []),
  };
}
