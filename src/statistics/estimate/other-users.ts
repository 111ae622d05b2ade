/**
 * The second sentence: how often it goes well for other users, as far as those of a window tell. Users are taken for a
 * sample of those that come; the conversations of one are alike, so that they say what one user says.
 *
 * The rate of the window is a mean of users' own rates, each with the user's share of the conversations. By Hoeffding's
 * inequality it is farther than `√(ln(2/α) Σ share² / 2)` from the rate of all users in at most α of such windows. As
 * much error is for the readings (`AGAINST_OF_FOUR`): so the intervals of two versions lie apart by chance in at most one
 * of 20 comparisons.
 */
import type { Estimate } from '../../model/estimate.ts';

const ALPHA = 0.0125;

/** From an interval that leaves out what has evidence of `AGAINST_OF_FOUR`. */
export function withOtherUsers({ value, lower, upper }: Estimate, conversationsByUser: readonly number[]): Estimate {
  const all = conversationsByUser.reduce((sum, count) => sum + count, 0);
  const squares = conversationsByUser.reduce((sum, count) => sum + (count / all) ** 2, 0);
  const by = all === 0 ? 1 : Math.sqrt((Math.log(2 / ALPHA) * squares) / 2);
  return { value, lower: Math.max(0, lower - by), upper: Math.min(1, upper + by) };
}
