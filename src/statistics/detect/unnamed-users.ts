/**
 * Where spans name no users, conversations of one user look like those of many, and how much they count is not known
 * before it has happened. So an alarm takes more evidence: its logarithm is a quarter larger at first, and less so with
 * each day that has shown how high evidence climbs (usual-peaks.ts).
 */
import { DAY_MS } from './settings.ts';

const AT_FIRST = 0.25;
const KNOWN_AFTER_MS = 40 * DAY_MS;

/** Power to which the evidence for an alarm is raised. */
export function unnamedCaution(historyMs: number): number {
  return 1 + AT_FIRST * Math.max(0, 1 - historyMs / KNOWN_AFTER_MS);
}
