/**
 * Which runs an experiment consists of, and in which order: all cases once, then all again, so that one that is interrupted is balanced.
 * A run's seed comes from the experiment's, its case and its repeat alone: two experiments with one seed give the same cases the same seeds.
 */
import { hash, randomBytes } from 'node:crypto';
import type { DatasetCase } from '../../model/dataset.ts';
import { compileGlob } from '../../model/glob.ts';

export interface PlannedRun {
  readonly case: DatasetCase;
  /** Number of the repeat, from 1. */
  readonly repeat: number;
  readonly seed: number;
}

export function planRuns(
  cases: readonly DatasetCase[],
  { repeats, seed }: { readonly repeats: number; readonly seed: number },
): readonly PlannedRun[] {
  return Array.from({ length: repeats }, (_, index) => index + 1).flatMap((repeat) =>
    cases.map((one) => ({ case: one, repeat, seed: seedOf(seed, one.id, repeat) })),
  );
}

/**
 * The cases in an order that the seed draws, whatever their order in the file. Each place comes from the seed and the
 * id alone, so a case more or less leaves the order of the others as it is.
 */
export function drawnOrder<Case extends Pick<DatasetCase, 'id'>>(
  cases: readonly Case[],
  seed: number,
): readonly Case[] {
  const placed = cases.map((one) => ({
    one,
    place: hash('sha256', JSON.stringify(['order', seed, one.id])),
  }));
  return placed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ one }) => one);
}

/**
 * The runs between two looks are a part: a look counts whole cases, so all repeats of its cases are run before it.
 * `sizes`: cases up to each look; the last has all.
 */
export function planParts(
  ordered: readonly DatasetCase[],
  sizes: readonly number[],
  options: { readonly repeats: number; readonly seed: number },
): readonly (readonly PlannedRun[])[] {
  return sizes.map((size, index) => planRuns(ordered.slice(sizes[index - 1] ?? 0, size), options));
}

/** A whole number that any language has: from 0 up to 2³¹ − 1. */
export function seedOf(seed: number, caseId: string, repeat: number): number {
  const text = JSON.stringify([seed, caseId, repeat]);
  return hash('sha256', text, 'buffer').readUInt32BE(0) >>> 1;
}

/** The cases that a person wants: all that match the pattern of ids, and have one of the tags. */
export function chosenCases(
  cases: readonly DatasetCase[],
  { only, tags }: { readonly only: string | undefined; readonly tags: readonly string[] },
): readonly DatasetCase[] {
  const matches = compileGlob(only ?? '*');
  return cases.filter((one) => matches(one.id) && (tags.length === 0 || one.tags.some((tag) => tags.includes(tag))));
}

const READABLE_MAX = 60;

/**
 * Changes each time a run is started. An interrupted run may have left a conversation of this name in the agent's
 * memory. In a service that receives two experiments, the same name would mix their scores.
 */
export function newConversationId(experiment: string, { case: { id }, repeat }: PlannedRun): string {
  const readable = id.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, READABLE_MAX);
  return `run-${experiment}-${readable}-${repeat}-${randomBytes(4).toString('hex')}`;
}
