/** Faults of a release of the agent, and the criteria that should notice them. */
import type { Random } from './random.ts';

export const FAULTS = ['wrong-participant', 'wrong-time', 'silent-crash', 'skip-alternatives', 'loop'] as const;
export type Fault = (typeof FAULTS)[number];

/**
 * Criteria that a conversation with this fault fails: in the suite `scheduling`, and `default/…` in the suite
 * `default`.
 */
export const FAILS: Readonly<Record<Fault, readonly string[]>> = {
  'wrong-participant': ['correct_participants', 'nothing_else_booked'],
  'wrong-time': ['correct_time', 'nothing_else_booked'],
  'silent-crash': ['correct_participants', 'correct_time', 'correct_duration', 'clear_explanation'],
  'skip-alternatives': ['explored_alternatives'],
  loop: ['default/no_identical_loop'],
};

export function parseFault(text: string): Fault {
  const fault = FAULTS.find((known) => known === text);
  if (fault === undefined) throw new Error(`there is no fault "${text}"; known are ${FAULTS.join(', ')}`);
  return fault;
}

/** The fault of a conversation, by chance; undefined for most. */
export function chooseFault(
  random: Random,
  {
    faults,
    rate,
    hasConflict,
  }: { readonly faults: readonly Fault[]; readonly rate: number; readonly hasConflict: boolean },
): Fault | undefined {
  if (random.next() >= rate) return undefined;
  const others = faults.filter((fault) => fault !== 'skip-alternatives');
  // Alternatives can only be skipped if there is a conflict, so this is the usual fault then.
  const skips = hasConflict && others.length < faults.length;
  if (skips && (others.length === 0 || random.next() < 0.5)) return 'skip-alternatives';
  return others.length === 0 ? undefined : random.pick(others);
}
