/**
 * Looks for checks that fire on some conversations, such as those of one kind of failure, and not on good ones. A check
 * may be asked under a condition.
 *
 * The shorter of two that fire alike is taken. The evidence for one is the logarithm of how much more likely its firing is
 * if nine in ten of what it fires on are sought ones than by chance, less the logarithm of how many were tried. So
 * luck among many is no evidence.
 */
import { HOLDS, HOLDS_NOT, type Row } from './fires.ts';
import { type Bits, bitsOf, both, countOf, has, overlap } from './bits.ts';

export interface Candidate {
  readonly check: Row;
  readonly when: Row | undefined;
  /** Conversations on which it fires. */
  readonly fires: Bits;
  readonly evidence: number;
}

export interface Space {
  readonly checks: readonly (readonly [row: Row, fires: Bits])[];
  readonly conditions: readonly (readonly [row: Row, on: Bits])[];
}

/** Places of conversations. */
interface Sought {
  readonly sought: Bits;
  readonly good: Bits;
  /** Failures of other kinds, which may be of this one as well. */
  readonly others: Bits;
  /** Clusters of the conversations. */
  readonly clusters: readonly string[];
}

const IF_RIGHT = 0.9;
/** A failure of another kind counts so much of a good conversation against a check. */
const OTHERS = 0.5;
/** A fault of fewer users or cases may be theirs alone. */
const CLUSTERS_MIN = 3;
/** One that fires where another one does as well, by so much, is the same in other words. */
export const ALIKE = 0.8;

export function spaceOf(checks: readonly Row[], conditions: readonly Row[]): Space {
  return {
    checks: checks.map((row) => [row, bitsOf(row.holds, HOLDS_NOT)]),
    conditions: conditions.map((row) => [row, bitsOf(row.holds, HOLDS)]),
  };
}

/** The best ones that fire differently, and of which there is any evidence. */
export function search(space: Space, { sought, good, others, clusters }: Sought, most: number): readonly Candidate[] {
  const count = countOf(sought);
  const by = count / (count + countOf(good));
  if (count === 0 || by >= IF_RIGHT) return [];
  const [right, wrong] = [Math.log(IF_RIGHT / by), Math.log((1 - IF_RIGHT) / (1 - by))];
  const one = Math.log(space.checks.length);
  const two = one + Math.log(Math.max(1, space.conditions.length));
  const evidenceOf = (fires: Bits, tried: number) =>
    right * overlap(fires, sought) + wrong * (overlap(fires, good) + OTHERS * overlap(fires, others)) - tried;
  const isOfMany = (fires: Bits) => clustersOf(both(fires, sought), clusters) >= CLUSTERS_MIN;
  const found: Candidate[] = [];
  for (const [check, fires] of space.checks) {
    // No condition makes the most of it more than this.
    if (right * overlap(fires, sought) <= one) continue;
    found.push({ check, when: undefined, fires, evidence: evidenceOf(fires, one) });
    for (const [when, on] of space.conditions) {
      const narrowed = both(fires, on);
      const evidence = evidenceOf(narrowed, two);
      if (evidence > 0) found.push({ check, when, fires: narrowed, evidence });
    }
  }
  const best: Candidate[] = [];
  for (const candidate of found.filter(({ evidence }) => evidence > 0).toSorted(byEvidence)) {
    if (best.length === most) break;
    const { fires } = candidate;
    if (best.every((other) => overlap(other.fires, fires) < ALIKE * countOf(fires)) && isOfMany(fires))
      best.push(candidate);
  }
  return best;
}

function byEvidence(a: Candidate, b: Candidate): number {
  return b.evidence - a.evidence || sizeOf(a) - sizeOf(b) || (textOf(a) < textOf(b) ? -1 : 1);
}

function sizeOf({ check, when }: Candidate): number {
  return check.of.size + (when?.of.size ?? 0);
}

function textOf({ check, when }: Candidate): string {
  return `${check.of.cel} ${when?.of.cel ?? ''}`;
}

function clustersOf(bits: Bits, clusters: readonly string[]): number {
  return new Set(clusters.filter((_, place) => has(bits, place))).size;
}
