/**
 * A step of a store's tables, and what it means for other versions of Assay. Never edit a step that was released.
 *
 * Instances are replaced one after the other, so the version before works on the new tables for a while. Most steps can
 * only add: a column that may be empty, a table, an index. The version before leaves those empty, and is started on
 * them as well, which is also the way back. A step that it cannot work on says `stops`: then a running instance of it
 * may fail until it is replaced, it is not started again, and the way back is `assay store downgrade`.
 */
export interface Migration {
  /** Version of Assay that brings it. */
  readonly since: string;
  readonly sql: string;
  /** SQL that undoes it. Undefined in the first release, which has no version before it. */
  readonly back: string | undefined;
  readonly versionBefore: 'runs' | 'stops';
  /** Data that the step, or the way back, throws away: a noun phrase for an operator. */
  readonly discards?: { readonly forward?: string; readonly back?: string };
}

/** The tables as a store has them. */
export interface StoredSchema {
  /** Number of steps that were made; 0 before the first. */
  readonly version: number;
  /** Version of Assay that brought the last one, if it was noted. */
  readonly since: string | undefined;
  /** The fewest steps that an Assay must know to work on these tables. */
  readonly opensFrom: number;
}

/** A store as an upgrade finds it. */
export interface FoundStore {
  readonly schema: StoredSchema;
  /** The state of detection. */
  readonly detection: Uint8Array | undefined;
}

export const FIRST_RELEASE = '0.1.0';

/** Bounds of a time that can be true, as `engine/conversation-time.ts` has them. They are released with the step that has them. */
export const EARLIEST_MS = Date.UTC(2000, 0, 1);
export const AHEAD_MAX_MS = 10 * 60_000;

export function ofFirstRelease(steps: readonly string[]): readonly Migration[] {
  return steps.map((sql) => ({ since: FIRST_RELEASE, sql, back: undefined, versionBefore: 'stops' }));
}

/** The tables after the first so many steps. */
export function schemaAfter(migrations: readonly Migration[], version: number): StoredSchema {
  const made = migrations.slice(0, version);
  return {
    version,
    since: made.at(-1)?.since,
    opensFrom: made.findLastIndex(({ versionBefore }) => versionBefore === 'stops') + 1,
  };
}

/** Reason why an Assay that knows these steps cannot work on the tables; undefined if it can. */
export function refusalOf({ version, since, opensFrom }: StoredSchema, known: number): string | undefined {
  if (version <= known || opensFrom <= known) return undefined;
  const needed = since === undefined ? 'the newer Assay that wrote it' : `Assay ${since} or newer`;
  const back = 'or take it back with `assay store downgrade` of the newer one';
  return `the store has schema version ${version} and this Assay knows ${known}: start ${needed}, ${back}`;
}

/** Steps by which a store goes back to the tables of a version, the last one first. Throws where there is no way. */
export function stepsBack(
  migrations: readonly Migration[],
  { from, to }: { readonly from: number; readonly to: string },
): readonly (Migration & { readonly back: string })[] {
  if (from > migrations.length)
    throw new Error(
      `the store has schema version ${from} and this Assay knows ${migrations.length}: ask the newer Assay`,
    );
  return migrations
    .slice(0, from)
    .filter(({ since }) => compareVersions(since, to) > 0)
    .toReversed()
    .map((step) => {
      if (step.back === undefined) throw new Error(`there is no way back from the tables of ${step.since} to ${to}`);
      return { ...step, back: step.back };
    });
}

/** Negative if the first is older. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  const differences = [0, 1, 2].map((place) => (a?.[place] ?? 0) - (b?.[place] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
