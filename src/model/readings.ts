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
  /** Name of the kind of failure, with a person's bad answer only. */
  readonly kind: string | undefined;
}

/** A kind that is undefined stays as it is if the answer does; null takes it away. */
export type SaidReading = Omit<Reading, 'answer' | 'kind'> & {
  readonly answer: ReadingAnswer | 'withdrawn';
  readonly kind?: string | null | undefined;
};

/** As people and programs write it: null takes it back, and it is a person's unless it says. */
export interface WrittenReading {
  readonly conversation_id: string;
  readonly by: string;
  readonly answer: ReadingAnswer | null;
  readonly source?: 'person' | 'agent' | undefined;
  readonly first_wrong?: string | undefined;
  readonly note?: string | undefined;
  readonly kind?: string | null | undefined;
}

export function saidReading(written: WrittenReading): SaidReading {
  const {
    conversation_id: conversationId,
    by,
    answer,
    source = 'person',
    first_wrong: firstWrong,
    note,
    kind,
  } = written;
  const rest = { isCertain: false, value: undefined, case: undefined, firstWrong, note, kind };
  return { conversationId, source, by, answer: answer ?? 'withdrawn', ...rest };
}

/** The last answer of each counts, with the kind that an equal one before it named: as if each were put into a service. */
export function latestReadings(readings: readonly WrittenReading[]): readonly WrittenReading[] {
  const latest = new Map<string, WrittenReading>();
  for (const one of readings) {
    const before = latest.get(readerOf(one));
    const kept = one.kind === undefined && before?.answer === one.answer ? { kind: before.kind } : {};
    latest.set(readerOf(one), { ...one, ...kept });
  }
  return [...latest.values()];
}

/** Traces of one conversation may be annotated differently: whoever does that cannot tell how all of it went. */
export function withoutContradictions(readings: readonly WrittenReading[]): readonly WrittenReading[] {
  return [...Map.groupBy(readings, readerOf).values()].flatMap((same) => {
    const answers = new Set(same.map(({ answer }) => answer));
    return same.slice(-1).map((last) => (answers.size > 1 ? { ...last, answer: 'cannot_tell' } : last));
  });
}

function readerOf({ conversation_id: id, source = 'person', by }: WrittenReading): string {
  return JSON.stringify([id, source, by]);
}

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
