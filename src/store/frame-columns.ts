/**
 * The frame from which conversations are drawn to be read. A conversation keeps its lot, and those with the smallest lots
 * are read first: so those of any window that were read are a sample with known chances.
 */
import { createHash } from 'node:crypto';
import { CALLED } from '../model/called.ts';
import type { Outcome } from '../model/evaluation.ts';

/** Lots are whole numbers from 0 up to this. */
export const LOTS = 2 ** 52;

/** Nobody who sends spans knows it, or can have another. */
export function drawLot(): number {
  return Math.floor(Math.random() * LOTS);
}

/**
 * The lot in a store that is thrown away: each run over a recording draws the same. A hash of the id knows nothing of how
 * the conversation went; to know it beforehand helps nobody, because all of the recording is there already.
 */
export function lotOfId(id: string): number {
  return Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, 13), 16);
}

/** Conversations with a lot below it are found by an index of their own: a few hundred of any large window. */
export const LOW_LOT = LOTS / 64;

/** Place of what suites said in `model/called.ts`; −1 where no words were recorded that a person could read, undefined where it is not over. */
export function frameOf({ revision, turns, glance, called }: FramedHead): number | undefined {
  // One without turns was a part of another.
  if (revision === 0 || turns === 0) return undefined;
  if (glance.asked === undefined && glance.answered === undefined) return UNREADABLE;
  return CALLED.indexOf(called ?? 'unscored');
}

interface FramedHead {
  readonly revision: number;
  readonly turns: number;
  readonly glance: { readonly asked?: string | undefined; readonly answered?: string | undefined };
  readonly called: Outcome | undefined;
}

const UNREADABLE = -1;
/** Values that columns of the frame have. */
export const FRAMES = [UNREADABLE, ...CALLED.keys()];

/** Both of conversations that were evaluated before they were kept, from how bad the worst evaluation was. */
export const CALLED_BEFORE = `CASE WHEN revision = 0 OR unscored_because IS NOT NULL THEN NULL
  WHEN worst_outcome = 0 THEN 1 ELSE worst_outcome + 3 END`;
export const FRAME_BEFORE = `CASE WHEN revision = 0 OR turns = 0 THEN NULL
  WHEN asked IS NULL AND answered IS NULL THEN ${UNREADABLE}
  WHEN unscored_because IS NOT NULL THEN 0
  WHEN worst_outcome = 0 THEN 1 ELSE worst_outcome + 3 END`;

/**
 * A prediction speaks of conversations that began so long after all that taught it. So no reading of a window that is
 * not longer has taught what was foretold of it, and the lots of those that were read say nothing of it.
 */
export const LEARNS_BEHIND_MS = 7 * 24 * 60 * 60 * 1000;

/** Chances that a prediction may give a conversation: their log-odds are the middles of the stretches that have them. */
export const CHANCES = [-2.5, -1, 0, 1, 2.5].map((odds) => 1 / (1 + Math.exp(-odds)));

/** Place of the nearest one. */
export function placeOfChance(chance: number): number {
  const off = CHANCES.map((one) => Math.abs(Math.log(one / (1 - one)) - Math.log(chance / (1 - chance))));
  return off.indexOf(Math.min(...off));
}

/** From which number on `came_out` is certain: 0 is a bad outcome, 1 a good one, 2 and 3 are the same with certainty. */
export const CERTAIN = 2;
export const CAME_OUT = [0, 1, 2, 3];

/** An older store has no such column yet. */
export function cameOutAs(cameOut: number | null | undefined): 'good' | 'bad' | undefined {
  if (cameOut === null || cameOut === undefined) return undefined;
  return cameOut % CERTAIN === 1 ? 'good' : 'bad';
}

export type CameOutAsked = 'good' | 'bad' | 'unknown';

/** Values of `coalesce(came_out, -1)` that mean one of these. */
export function cameOutValues(asked: readonly CameOutAsked[]): readonly number[] {
  return [null, ...CAME_OUT].filter((one) => asked.includes(cameOutAs(one) ?? 'unknown')).map((one) => one ?? -1);
}

/** Outcomes that are certain count before others, and of several the worst. */
export function cameOutSql(ofConversation: string): string {
  return `(SELECT coalesce(
      min(CASE WHEN NOT certain THEN NULL WHEN good THEN ${CERTAIN + 1} ELSE ${CERTAIN} END),
      min(CASE WHEN good THEN 1 ELSE 0 END))
    FROM readings WHERE source = 'outcome' AND good IS NOT NULL AND ${ofConversation})`;
}
