/** What can go wrong in a release of the agent, and which criterion should notice. */
export const FAULTS = ['wrong-participant', 'wrong-time', 'silent-crash', 'skip-alternatives', 'loop'] as const;
export type Fault = (typeof FAULTS)[number];

/** Criteria that a conversation with this fault fails: of the suite `scheduling`, and `default/…` of the suite `default`. */
export const FAILS: Readonly<Record<Fault, readonly string[]>> = {
  'wrong-participant': ['correct_participants'],
  'wrong-time': ['correct_time'],
  'silent-crash': ['correct_participants', 'correct_time', 'correct_duration', 'clear_explanation'],
  'skip-alternatives': ['explored_alternatives'],
  loop: ['default/no_identical_loop'],
};

export function parseFault(text: string): Fault {
  const fault = FAULTS.find((known) => known === text);
  if (fault === undefined) throw new Error(`there is no fault "${text}"; known are ${FAULTS.join(', ')}`);
  return fault;
}
