/** Two versions side by side by what people read of them: how often it goes well, and whether readings tell them apart. */
import { windowEstimate } from '../../../engine/estimate/window-estimate.ts';
import type { VersionsCompared } from '../../../api/versions.ts';
import { figureOf, headlineWords } from '../../../model/estimate-words.ts';
import type { Estimate } from '../../../model/estimate.ts';
import { AGAINST_OF_FOUR } from '../../../statistics/estimate/interval.ts';
import { withOtherUsers } from '../../../statistics/estimate/other-users.ts';
import { successEstimate } from '../../../statistics/estimate/success-estimate.ts';
import type { FrameQuery, FrameReader } from '../../../store/frame-reader.ts';
import type { LatestEvaluation } from './latest-evaluations.ts';

export interface ReadVersion {
  /** As surely as that of other users. */
  readonly own: Estimate | undefined;
  readonly others: Estimate | undefined;
  readonly json: Pick<VersionsCompared['a'], 'estimated'>;
}

/** Figures of users are from the evaluations that are compared. */
export async function readVersion(
  frame: FrameReader,
  query: FrameQuery,
  evaluations: readonly Pick<LatestEvaluation, 'conversation' | 'user'>[],
): Promise<ReadVersion> {
  const found = await windowEstimate(frame, query);
  const { readings, conversations, success, missRate } = found;
  const n = readings.sample + readings.certain;
  const wide = successEstimate(found.frame, AGAINST_OF_FOUR)?.success;
  const others = wide && withOtherUsers(wide, conversationsByUser(evaluations));
  const spokenFor = conversations.spoken_for;
  if (spokenFor === 0) return { own: undefined, others: undefined, json: {} };
  return {
    own: wide,
    others,
    json: {
      estimated: {
        says: headlineWords({
          ...{ success, missRate, spokenFor, calledFine: conversations.called_fine },
          ...{ read: readings.sample, certain: readings.certain },
        }),
        ...(success === undefined ? {} : { success: figureOf(success, n) }),
        ...(others === undefined ? {} : { other_users: figureOf(others, n) }),
      },
    },
  };
}

/** Nothing where one of them was not read. */
export function toldApart(a: ReadVersion, b: ReadVersion): readonly string[] {
  const words = { less: 'less often', more: 'more often' };
  const others = apart(a.others, b.others);
  if (others !== undefined) return [`Readings say that it goes well ${words[others]} with B, for other users as well.`];
  const own = apart(a.own, b.own);
  if (own !== undefined)
    return [`Readings say that it went well ${words[own]} with B; there are too few users to say so of others.`];
  return a.own === undefined || b.own === undefined
    ? []
    : ['Readings do not tell the two versions apart: read more of both.'];
}

function apart(a: Estimate | undefined, b: Estimate | undefined): 'less' | 'more' | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a.lower > b.upper) return 'less';
  return b.lower > a.upper ? 'more' : undefined;
}

/** One who is not named counts as a user of one conversation. */
function conversationsByUser(
  evaluations: readonly Pick<LatestEvaluation, 'conversation' | 'user'>[],
): readonly number[] {
  const userOf = new Map(evaluations.map(({ conversation, user }) => [conversation, user ?? `of ${conversation}`]));
  return [...Map.groupBy(userOf.values(), (user) => user).values()].map(({ length }) => length);
}
