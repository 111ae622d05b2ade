/** `GET /api/v1/readings`: conversations that people have read, with what suites said of them. */
import { type ReadingList, readingList, readingListQuery } from '../../../api/estimate.ts';
import { kindOf, type ReadCandidate, readConversations } from '../../../engine/estimate/read-conversations.ts';
import { answerOf } from '../../../engine/estimate/sample.ts';
import { isGood } from '../../../model/severity.ts';
import { failuresAmong } from '../../../store/facts.ts';
import { frameQueryOf } from './frame-asked.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

export const listReadings = v1Read({
  path: '/api/v1/readings',
  summary: `?agent= &agent_version= &environment= &segment= &since=7d &until= &limit=
conversations that people have read: how they went, of what kind each failure was, and what suites said`,
  query: readingListQuery,
  answer: readingList,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<ReadingList> => ({
    items: (await readConversations(reader.frame, frameQueryOf(asked), asked.limit)).map(itemOf),
  }),
});

function itemOf({ candidate, chance }: ReadCandidate): ReadingList['items'][number] {
  const { row, known, readings } = candidate;
  const kind = kindOf(candidate);
  return {
    conversation_id: row.conversationId,
    answer: answerOf(candidate),
    ...(chance === undefined ? {} : { chance }),
    called_fine: isGood(known.called),
    failed: [...failuresAmong(row.facts)],
    ...(kind === undefined ? {} : { kind }),
    notes: readings.flatMap(({ source, answer, note }) =>
      source === 'person' && answer === 'bad' && note !== undefined ? note : [],
    ),
  };
}
