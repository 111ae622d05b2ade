/**
 * Measures how far a judge agrees with itself: a small sample of answered questions is asked a second time, and only a
 * metric uses the result.
 */
import { createHash } from 'node:crypto';
import type { JudgeOutcome } from '../model/judging.ts';
import type { Vote } from '../model/questions.ts';

const SAMPLE_BYTES = 6;

/** Draws the sample by the question, so that it is the same everywhere; a larger share contains the smaller one. */
export function isProbed(key: string, share: number): boolean {
  if (share <= 0) return false;
  const digest = createHash('sha256').update(`probe:${key}`).digest();
  return digest.readUIntBE(0, SAMPLE_BYTES) < share * 2 ** (8 * SAMPLE_BYTES);
}

/** Whether all criteria of the question were answered alike; undefined where there is nothing to compare. */
export function agreed(outcome: JudgeOutcome, again: Vote): boolean | undefined {
  if (outcome.is !== 'answered' || again.is !== 'said') return undefined;
  const before = new Map(outcome.answers.map(({ criterion, pass }) => [criterion, pass]));
  return again.answers.every(({ criterion, pass }) => before.get(criterion) === pass);
}
