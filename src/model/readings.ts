/**
 * Readings: answers to "did this conversation go well for its user?". A person gives one after reading the conversation
 * without seeing what was said of it; a program may do the same, and counts as a person nowhere; an outcome of the world
 * is one that came later.
 */
import type { NamedOutcome, SaidOutcome } from './validity.ts';

const READING_SOURCES = ['person', 'agent', 'outcome'] as const;
export type ReadingSource = (typeof READING_SOURCES)[number];

/** `cannot_tell` keeps that somebody has read it. `withdrawn` takes back what the same one said. */
export const READING_ANSWERS = ['good', 'bad', 'cannot_tell'] as const;
export type ReadingAnswer = (typeof READING_ANSWERS)[number];

interface Reading {
  readonly conversationId: string;
  readonly source: ReadingSource;
  /** Name of the person, of the program, or of the outcome (`csat`, `reopened`). One answers once of a conversation; the last answer counts. */
  readonly by: string;
  readonly answer: ReadingAnswer;
  /** Known with certainty, as a refund that was reversed: the conversation counts as read, and needs no reader. */
  readonly isCertain: boolean;
  /** An outcome as it was written: `4`, `reopened`. */
  readonly value: string | undefined;
  /** The task, where several conversations try the same one. */
  readonly case: string | undefined;
  /** Span id of the first step that went wrong. */
  readonly firstWrong: string | undefined;
  readonly note: string | undefined;
}

export type SaidReading = Omit<Reading, 'answer'> & { readonly answer: ReadingAnswer | 'withdrawn' };

/** As it is kept. */
export interface KeptReading extends Reading {
  /** Wall-clock time in milliseconds. */
  readonly at: number;
}

/** Outcomes of the world among readings. */
export function outcomesAmong(readings: readonly Reading[]): readonly NamedOutcome[] {
  return readings.flatMap(({ conversationId, source, by, answer, value, case: ofCase }) =>
    source !== 'outcome' || answer === 'cannot_tell'
      ? []
      : [{ conversationId, label: by, isGood: answer === 'good', value, case: ofCase }],
  );
}

export function readingOf(
  { conversationId, label, isGood, value, case: ofCase }: SaidOutcome,
  isCertain = false,
): SaidReading {
  const answer = isGood === undefined ? 'withdrawn' : isGood ? 'good' : 'bad';
  const rest = { value, case: ofCase, firstWrong: undefined, note: undefined };
  return { conversationId, source: 'outcome', by: label, answer, isCertain, ...rest };
}
