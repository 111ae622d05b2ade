/**
 * The format of the state that detection keeps in the store: a number of the rounds and one of the detectors. Raising
 * one throws away what detectors have learned, unless the older format is read as well. An Assay must not overwrite the
 * state of a newer one beside it, which would throw that away, too; so its rounds wait until it is replaced.
 */
import { zstdDecompressSync } from 'node:zlib';
import { SNAPSHOT_VERSION } from '../../statistics/detect/detection.ts';

export const ROUNDS_FORMAT = 1;
export const DETECTION_FORMAT = `${ROUNDS_FORMAT}.${SNAPSHOT_VERSION}`;

/** A state that a newer Assay has written. */
export class NewerState extends Error {}

/** Throws if the state is broken. The cast holds for states of any format so far, and what it finds is looked at. */
export function formatOf(state: unknown): { readonly rounds: number; readonly detectors: number } {
  const { format, detectors } = state as {
    readonly format?: unknown;
    readonly detectors?: {
      readonly suites?: readonly (readonly [unknown, unknown, { readonly version?: unknown }?])[];
    };
  };
  const versions = (detectors?.suites ?? []).map(([, , suite]) => Number(suite?.version));
  return { rounds: Number(format), detectors: versions.length === 0 ? SNAPSHOT_VERSION : Math.max(...versions) };
}

export function isNewer({ rounds, detectors }: ReturnType<typeof formatOf>): boolean {
  return rounds > ROUNDS_FORMAT || (rounds === ROUNDS_FORMAT && detectors > SNAPSHOT_VERSION);
}

/** Sentence part about what a start would throw away; undefined if the state is used as it is, or left to a newer Assay. */
export function discardedState(snapshot: Uint8Array | undefined): string | undefined {
  if (snapshot === undefined) return undefined;
  try {
    const format = formatOf(JSON.parse(zstdDecompressSync(snapshot).toString()));
    if (isNewer(format) || `${format.rounds}.${format.detectors}` === DETECTION_FORMAT) return undefined;
    return `what detection has learned (format ${format.rounds}.${format.detectors}, and this Assay reads ${DETECTION_FORMAT}): it learns from stored conversations`;
  } catch {
    // Broken: the first round says so, and begins from scratch.
    return 'what detection has learned, because its state is broken: it learns from stored conversations';
  }
}
