/** `GET /api/v1/failures`: kinds of failure, and bad readings that have none. */
import { type FailedConversation, type FailuresAnswer, failuresAnswer, failuresQuery } from '../../../api/failures.ts';
import { failureBoard, type KindOnBoard } from '../../../engine/failures/failure-board.ts';
import { figureOf } from '../../../model/estimate-words.ts';
import type { FailedReading } from '../../../model/named-kinds.ts';
import { boardAdvice, boardWords, unseenWords } from '../../../model/named-kinds-words.ts';
import { frameQueryOf } from './frame-asked.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

type Board = Awaited<ReturnType<typeof failureBoard>>;

const EXAMPLES_MAX = 5;
const WITHOUT_KIND_MAX = 200;
const NOTE_CHARACTERS_MAX = 500;

export const getFailures = v1Read({
  path: '/api/v1/failures',
  summary: `?agent= &since=7d &until=
kinds of failure as people named them, how often each comes, and bad readings without a kind`,
  query: failuresQuery,
  answer: failuresAnswer,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<FailuresAnswer> => {
    const { since, until } = frameQueryOf(asked);
    const board = await failureBoard(reader, { agent: asked.agent, since, until });
    const { newest, readings } = board.withoutKind;
    const words = { kinds: board.kinds, withoutKind: readings, proposed: board.proposed.length };
    return {
      agent: asked.agent,
      since: isoTime(since),
      until: isoTime(until),
      says: boardWords(words),
      next: boardAdvice(words),
      kinds: board.kinds.map((kind) => kindJson(kind, board.read)),
      without_kind: newest.slice(0, WITHOUT_KIND_MAX).map(failedJson),
      without_kind_count: readings,
      proposed: board.proposed.map(({ name, places }) => ({
        name,
        readings: places.flatMap((place) => newest[place] ?? []).map(failedJson),
      })),
      ...unseenJson(board.unseen, board.kinds.length),
    };
  },
});

function kindJson(
  { name, state, stateAt, counted, newest, share }: KindOnBoard,
  read: number,
): FailuresAnswer['kinds'][number] {
  const examples = [...Map.groupBy(newest, ({ conversationId }) => conversationId).values()];
  return {
    ...{ name, state, readings: counted?.readings ?? 0, conversations: counted?.conversations ?? 0 },
    ...(stateAt === undefined ? {} : { state_at: isoTime(stateAt) }),
    ...(counted === undefined ? {} : { first_at: isoTime(counted.firstAt), last_at: isoTime(counted.lastAt) }),
    examples: examples.slice(0, EXAMPLES_MAX).flatMap(([one]) => (one ? failedJson(one) : [])),
    ...(share === undefined ? {} : { share: figureOf(share, read) }),
  };
}

function failedJson({ conversationId, by, asked, note, beganAt }: FailedReading): FailedConversation {
  return {
    ...{ conversation_id: conversationId, by, began_at: isoTime(beganAt) },
    ...(asked === undefined ? {} : { asked }),
    ...(note === undefined ? {} : { note: note.slice(0, NOTE_CHARACTERS_MAX).toWellFormed() }),
  };
}

function unseenJson(unseen: Board['unseen'], kinds: number): Pick<FailuresAnswer, 'unseen'> {
  if (unseen === undefined) return {};
  const { value, lower, upper, failures, unnamed } = unseen;
  const says = unseenWords({ kinds, lower, upper, unnamed });
  return { unseen: { says, kinds, failures, value, low: lower, high: upper } };
}
