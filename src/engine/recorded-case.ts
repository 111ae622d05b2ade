/**
 * A recorded conversation as a case of a dataset: what its user said, what is known to be right, and where it comes
 * from. Texts are as they are stored, with what was redacted left out. A conversation whose requests were not recorded
 * whole cannot be run again.
 */
import { createHash } from 'node:crypto';
import { mediaAskedWith } from '../model/asked-media.ts';
import type { Conversation } from '../model/conversation.ts';
import type { CaseOrigin } from '../model/dataset.ts';
import type { Evaluation, Outcome } from '../model/evaluation.ts';
import type { Json } from '../model/json.ts';
import { bySeverity } from '../model/severity.ts';
import type { Content } from '../model/step.ts';
import { visibleJson } from '../model/visible-text.ts';

export interface RecordedCase {
  readonly id: string;
  readonly turns: readonly Json[];
  readonly truth: Json | undefined;
  readonly from: CaseOrigin;
}

export const LEFT_OUT = ['not_recorded', 'truncated', 'redacted', 'not_kept'] as const;
/** `not_recorded`, `truncated` and `redacted` are what a user said, or a part of it, such as pictures; `not_kept` are the spans. */
export type LeftOut = (typeof LEFT_OUT)[number];

/** Parts of the store's row. */
type Origin = Pick<CaseOrigin, 'agent' | 'agentVersion'>;

export function recordedCase(
  conversation: Conversation,
  { agent, agentVersion }: Origin,
  evaluations: readonly Evaluation[],
): RecordedCase | LeftOut {
  const said = conversation.turns.map((turn) =>
    mediaAskedWith(turn).length > 0 ? 'truncated' : saidIn(turn.userInput),
  );
  const problem = said.find((one) => typeof one === 'string');
  if (problem !== undefined) return problem;
  return {
    id: caseIdOf(conversation.id),
    turns: said.flatMap((one) => (typeof one === 'string' ? [] : [one.said])),
    truth: conversation.truth,
    from: {
      conversation: conversation.id.toWellFormed(),
      agent,
      agentVersion,
      recordedAt: new Date(conversation.startedAtMs).toISOString(),
      outcomes: worstBySuite(evaluations),
    },
  };
}

function saidIn({ state, text, json }: Content): { readonly said: Json } | LeftOut {
  switch (state) {
    case 'missing':
      return 'not_recorded';
    case 'truncated':
    case 'redacted':
      return state;
    case 'whole':
      if (text === '') return 'not_recorded';
      // A user who says 42 says it in words; what has members was JSON.
      return { said: typeof json === 'object' && json !== null ? json : text.toWellFormed() };
  }
}

const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$/;
const MADE_ID = /^recorded-[0-9a-f]{16}$/;

/** The conversation's own, unless it would be unwieldy. */
function caseIdOf(conversation: string): string {
  if (PLAIN_ID.test(conversation) && !MADE_ID.test(conversation)) return conversation;
  return `recorded-${createHash('sha256').update(conversation).digest('hex').slice(0, 16)}`;
}

/** For a suite that scores turns, the worst turn. */
function worstBySuite(evaluations: readonly Evaluation[]): Readonly<Record<string, string>> {
  const worst = new Map<string, Outcome>();
  for (const { suite, outcome, waitsFor } of evaluations) {
    const known = worst.get(suite);
    if (waitsFor === undefined && (known === undefined || bySeverity(outcome, known) > 0)) worst.set(suite, outcome);
  }
  return Object.fromEntries([...worst].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A line of a dataset. */
export function caseLine({ id, turns, truth, from }: RecordedCase): string {
  const [only] = turns;
  return visibleJson({
    id,
    ...(turns.length === 1 ? { input: only } : { turns }),
    ...(truth !== undefined && { truth }),
    from: {
      conversation: from.conversation,
      agent: from.agent,
      agent_version: from.agentVersion,
      recorded_at: from.recordedAt,
      outcomes: from.outcomes,
    },
  });
}
