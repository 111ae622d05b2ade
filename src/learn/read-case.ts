/** A conversation that was read, as a search for criteria sees it. */
import type { Conversation } from '../model/conversation.ts';
import { SCENARIO_ATTRIBUTE } from '../model/marks.ts';

export interface ReadCase {
  readonly conversation: Conversation;
  readonly isBad: boolean;
  /** Notes of people who say that it went badly. */
  readonly notes: readonly string[];
  /** Name that a person gave to the kind of its failure. */
  readonly kind: string | undefined;
  /** Inverse of the chance with which lots chose it; 0 where a person chose it, which measures nothing. */
  readonly weight: number;
  /** Conversations of one user or one case are not independent of each other. */
  readonly cluster: string;
  /** Suites called it fine. */
  readonly isCalledFine: boolean;
  /** Criteria that failed, as `suite/criterion`. */
  readonly failed: readonly string[];
}

export function clusterOf({ id, turns, attributes }: Conversation): string {
  const scenario = attributes.get(SCENARIO_ATTRIBUTE);
  if (scenario !== undefined) return `case ${scenario}`;
  const user = turns.find(({ userId }) => userId !== undefined)?.userId;
  return user === undefined ? `conversation ${id}` : `user ${user}`;
}
