/**
 * Cases that are many and slow are divided over commits: CI runs a share of them, another one at each commit, and the
 * night all of them (scripts/long-checks.ts). A person who runs the tests runs all.
 */
const round = Number(process.env.ASSAY_TEST_ROUND ?? 0);

/** Cases that are in the share of this round, of `shares`. */
export function shareOf<Case>(cases: readonly Case[], shares: number): readonly Case[] {
  return cases.filter((_, number) => isInShare(number, shares));
}

/** Whether the case of this number is in the share of this round, of `shares`. */
export function isInShare(number: number, shares: number): boolean {
  return process.env.ASSAY_TEST_SHARE !== 'part' || (number + round) % shares === 0;
}
