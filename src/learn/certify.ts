/**
 * Measures candidates on readings that they were not chosen by. Conversations are divided into parts, all of one case or
 * user in the same. Each part is measured only by those that a search finds again without it. So the winner of many is not
 * reported at its lucky figure, and one that only this sample knows has none.
 */
import { createHash } from 'node:crypto';
import type { Estimate } from '../model/estimate.ts';
import { precisionOf, toShown } from '../statistics/certify/precision.ts';
import { type Bits, bitsOf, has, likeness } from './bits.ts';
import type { ReadCase } from './read-case.ts';
import { ALIKE, type Candidate, search, type Space } from './search.ts';

export interface Measured {
  /** Readings of the parts in which it was found again. */
  readonly readings: number;
  readonly fired: number;
  readonly right: number;
  /** Undefined where it fired on none of them. */
  readonly precision: Estimate | undefined;
  /** Failures that suites call fine, and those of them on which it fires. */
  readonly missed: number;
  readonly added: number;
  /** Parts in which the search finds it again. */
  readonly foundIn: number;
  /** Share of bad conversations among all that lots chose. */
  readonly bad: number;
  /** Among the bad ones, the share of the kind: of those on which it fires, and of all. Absent where all are of it. */
  readonly ofKind: { readonly fired: Estimate; readonly all: number } | undefined;
}

type Case = Omit<ReadCase, 'conversation' | 'failed' | 'notes'>;

const PARTS = 5;
const ERRS = 0.05;
const OFFERED = 3;

interface Offered {
  readonly candidate: Candidate;
  readonly measured: Measured;
}

/** The best of each kind; '' stands for failures of no such kind that suites call fine. */
export function offered(
  space: Space,
  cases: readonly Case[],
  kinds: readonly string[],
): ReadonlyMap<string, readonly Offered[]> {
  const parts = partsOf(cases);
  const all = kinds.map((kind) => {
    const whole = searchedIn(space, cases, kind, { kinds, isIn: () => true });
    const without = Array.from({ length: PARTS }, (_, part) =>
      whole.length === 0 ? [] : searchedIn(space, cases, kind, { kinds, isIn: (at) => parts[at] !== part }),
    );
    return { kind, whole, without };
  });
  const tests = all.reduce((sum, { whole }) => sum + whole.length, 0);
  return new Map(
    all.map(({ kind, whole, without }) => [
      kind,
      whole.map((candidate) => {
        const again = without.map((one) => one.find(({ fires }) => likeness(fires, candidate.fires) >= ALIKE));
        const firesAt = (at: number) => again[parts[at] ?? 0]?.fires;
        return {
          candidate,
          measured: measure(cases, firesAt, {
            ...{ foundIn: again.filter((one) => one !== undefined).length, tests },
            kind: kind === '' ? undefined : kind,
          }),
        };
      }),
    ]),
  );
}

interface Measuring {
  readonly foundIn: number;
  /** Candidates that are measured on the same readings. */
  readonly tests: number;
  readonly kind?: string | undefined;
}

/** `firesAt` gives where that fires which measures the conversation at a place; undefined where nothing does. */
export function measure(
  cases: readonly Case[],
  firesAt: (at: number) => Bits | undefined,
  { foundIn, tests, kind }: Measuring,
): Measured {
  const measured = cases.filter(({ weight }, at) => weight > 0 && firesAt(at) !== undefined);
  const fired = cases.filter(({ weight }, at) => {
    const fires = firesAt(at);
    return weight > 0 && fires !== undefined && has(fires, at);
  });
  const errs = ERRS / Math.max(1, tests);
  const precision = precisionOf(fired, errs);
  const bad = cases.filter(({ isBad }) => isBad);
  const isOfKind = (one: Case) => one.kind === kind;
  const firedOfKind = precisionOf(
    fired.filter(({ isBad }) => isBad).map((one) => ({ ...one, isBad: isOfKind(one) })),
    errs,
  );
  const missed = measured.filter(({ isBad, isCalledFine }) => isBad && isCalledFine);
  const weight = (of: readonly Case[]) => of.reduce((sum, one) => sum + one.weight, 0);
  return {
    readings: measured.length,
    fired: fired.length,
    right: fired.filter(({ isBad }) => isBad).length,
    precision,
    missed: missed.length,
    added: fired.filter(({ isBad, isCalledFine }) => isBad && isCalledFine).length,
    foundIn,
    bad: toShown(weight(bad) / weight(cases)),
    ofKind:
      kind === undefined || firedOfKind === undefined || bad.every(isOfKind)
        ? undefined
        : { fired: firedOfKind, all: toShown(weight(bad.filter(isOfKind)) / weight(bad)) },
  };
}

interface Searched {
  readonly kinds: readonly string[];
  readonly isIn: (at: number) => boolean;
}

function searchedIn(space: Space, cases: readonly Case[], kind: string, { kinds, isIn }: Searched) {
  const bits = (of: (one: Case) => boolean) =>
    bitsOf(
      cases.map((one, at) => Number(isIn(at) && of(one))),
      1,
    );
  const isSought = (one: Case) => one.isBad && (kind === '' ? isOfNone(one, kinds) : one.kind === kind);
  return search(
    space,
    {
      ...{ sought: bits(isSought), good: bits(({ isBad }) => !isBad), clusters: cases.map(({ cluster }) => cluster) },
      others: bits((one) => one.isBad && one.kind !== undefined && !isSought(one)),
    },
    OFFERED,
  );
}

/** Suites call it fine, and it is of none of these kinds. */
export function isOfNone({ isBad, isCalledFine, kind }: Case, kinds: readonly string[]): boolean {
  return isBad && isCalledFine && !(kind !== undefined && kinds.includes(kind));
}

/** By a hash of the cluster, so that nobody chooses it and each run has the same. */
function partsOf(cases: readonly Case[]): readonly number[] {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const clusters = [...new Set(cases.map(({ cluster }) => cluster))].toSorted((a, b) => (hash(a) < hash(b) ? -1 : 1));
  const partOf = new Map(clusters.map((cluster, at) => [cluster, at % PARTS]));
  return cases.map(({ cluster }) => partOf.get(cluster) ?? 0);
}
