/**
 * Bets whose stretch shows a change of a size that concerns anybody: their evidence together, and the stretch of the
 * strongest of them. A bet may collect evidence of a tiny change of much traffic, which is no reason for an alarm.
 */
import type { ChangeEvidence, Stretch } from './change-evidence.ts';
import type { Level } from './expectations.ts';

export function relevantChange(
  evidence: ChangeEvidence,
  level: Level,
): { readonly evidence: number; readonly stretch: Stretch } {
  let all = 0;
  let strongest = evidence.stretch(0);
  let most = 0;
  for (let bet = 0; bet < evidence.bets; bet += 1) {
    const stretch = evidence.stretch(bet);
    if (!isRelevant(stretch, level)) continue;
    const share = evidence.share(bet);
    all += share;
    if (share <= most) continue;
    most = share;
    strongest = stretch;
  }
  return { evidence: all, stretch: strongest };
}

function isRelevant({ bad, expected, quantity, per }: Stretch, level: Level): boolean {
  const excess = bad - expected;
  const usual = level.worse === 'falls' ? quantity - expected : expected;
  return excess >= level.minimumChange * usual && excess >= level.minimumDifference * per;
}
