/**
 * Defines what the stores keep of a conversation: the columns of both, each with its type and its value. A new column
 * is written here and in a migration of each schema, and has a producer and a reader.
 */
import { type DueCause, readDueCause, readUnscoredCause, type UnscoredCause } from '../model/causes.ts';
import { CALLED } from '../model/called.ts';
import type { Outcome } from '../model/evaluation.ts';
import { POLARITIES, type Polarity } from '../model/feedback.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Column } from './column.ts';
import { frameOf } from './frame-columns.ts';

export interface ConversationLabels {
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  /** Absent where none is configured, or no turn has said it. */
  readonly segment?: string | undefined;
}

/** Shown in lists: see `engine/conversation-glance.ts`. All absent if it was stored before that was kept. */
export interface ConversationGlance {
  /** When it happened: the time at which its first turn began (`engine/conversation-time.ts`). */
  readonly beganAtMs?: number | undefined;
  readonly ceasedAtMs?: number | undefined;
  /** A time of its spans could not be true, so that of arrival counts. */
  readonly isClockWrong?: true | undefined;
  /** The beginning of the user's first words and of the agent's last answer; absent where they were not captured. */
  readonly asked?: string | undefined;
  readonly answered?: string | undefined;
}

/** State of a conversation, as the stores keep it. */
export interface ConversationHead {
  readonly id: ConversationId;
  readonly labels: ConversationLabels;
  /** Undefined where turns have been filed and none has been taken in: for the engine it does not exist. */
  readonly firstClosedAt: number | undefined;
  readonly lastClosedAt: number;
  /** Wall-clock time in milliseconds. */
  readonly updatedAt: number;
  readonly turns: number;
  readonly turnsEvaluated: number;
  readonly dueAt: number | undefined;
  readonly dueCause: DueCause | undefined;
  /** Log time at which the turn closed that says the conversation has ended; undefined once that has been evaluated. */
  readonly endedAt: number | undefined;
  readonly revision: number;
  /** Why it was due when it was scored last. */
  readonly cause: DueCause | undefined;
  /** The severity of the worst outcome that any evaluation of it had. */
  readonly worstOutcome: number;
  readonly unscoredBecause: UnscoredCause | undefined;
  /** All live suites together say this of it; undefined where none has evaluated it. */
  readonly called: Outcome | undefined;
  /** Decides when it is its turn to be read (`frame-columns.ts`). */
  readonly lot: number | undefined;
  /** A prediction reads them (`engine/conversation-facts.ts`). */
  readonly facts: readonly string[] | undefined;
  /** Place of the chance that a prediction gave it (`frame-columns.ts`); undefined where none may speak. */
  readonly foretold: number | undefined;
  readonly glance: ConversationGlance;
  /** Polarity of what its users said; undefined where none has been taken in. */
  readonly feedback: Polarity | undefined;
}

/** As it is before its first turn has joined. */
export const WITHOUT_TURNS = {
  updatedAt: 0,
  turns: 0,
  turnsEvaluated: 0,
  dueAt: undefined,
  dueCause: undefined,
  endedAt: undefined,
  revision: 0,
  cause: undefined,
  worstOutcome: 0,
  unscoredBecause: undefined,
  called: undefined,
  lot: undefined,
  facts: undefined,
  foretold: undefined,
  glance: {},
  feedback: undefined,
} as const satisfies Omit<ConversationHead, 'id' | 'labels' | 'firstClosedAt' | 'lastClosedAt'>;

/** As the rows are read. */
export interface ConversationCells {
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
  readonly first_closed_at: number | null;
  readonly last_closed_at: number;
  readonly updated_at: number;
  readonly turns: number;
  readonly turns_evaluated: number;
  readonly due_at: number | null;
  readonly due_cause: string | null;
  readonly ended_at: number | null;
  readonly revision: number;
  readonly cause: string | null;
  readonly worst_outcome: number;
  readonly unscored_because: string | null;
  readonly segment: string | null;
  readonly began_at: number | null;
  readonly ceased_at: number | null;
  readonly asked: string | null;
  readonly answered: string | null;
  readonly feedback: number | null;
  readonly clock_wrong: number | null;
  readonly called: number | null;
  readonly lot: number | null;
  readonly facts: string | null;
  readonly foretold: number | null;
  readonly frame: number | null;
}

const COLUMNS: { readonly [Name in keyof ConversationCells]: Omit<Column<ConversationHead>, 'name'> } = {
  agent: { type: 'text', of: ({ labels }) => labels.agent },
  agent_version: { type: 'text', of: ({ labels }) => labels.agentVersion },
  environment: { type: 'text', of: ({ labels }) => labels.environment },
  first_closed_at: { type: 'bigint', of: ({ firstClosedAt }) => firstClosedAt },
  last_closed_at: { type: 'bigint', of: ({ lastClosedAt }) => lastClosedAt },
  updated_at: { type: 'bigint', of: ({ updatedAt }) => updatedAt },
  turns: { type: 'int', of: ({ turns }) => turns },
  turns_evaluated: { type: 'int', of: ({ turnsEvaluated }) => turnsEvaluated },
  due_at: { type: 'bigint', of: ({ dueAt }) => dueAt },
  due_cause: { type: 'text', of: ({ dueCause }) => dueCause },
  ended_at: { type: 'bigint', of: ({ endedAt }) => endedAt },
  revision: { type: 'int', of: ({ revision }) => revision },
  cause: { type: 'text', of: ({ cause }) => cause },
  worst_outcome: { type: 'smallint', of: ({ worstOutcome }) => worstOutcome },
  unscored_because: { type: 'text', of: ({ unscoredBecause }) => unscoredBecause },
  segment: { type: 'text', of: ({ labels }) => labels.segment },
  began_at: { type: 'bigint', of: ({ glance, firstClosedAt }) => glance.beganAtMs ?? firstClosedAt },
  ceased_at: { type: 'bigint', of: ({ glance }) => glance.ceasedAtMs },
  asked: { type: 'text', of: ({ glance }) => glance.asked },
  answered: { type: 'text', of: ({ glance }) => glance.answered },
  feedback: {
    type: 'smallint',
    of: ({ feedback }) => (feedback === undefined ? undefined : POLARITIES.indexOf(feedback)),
  },
  clock_wrong: { type: 'smallint', of: ({ glance }) => (glance.isClockWrong === true ? 1 : undefined) },
  called: { type: 'smallint', of: ({ called }) => (called === undefined ? undefined : CALLED.indexOf(called)) },
  lot: { type: 'bigint', of: ({ lot }) => lot },
  facts: { type: 'text', of: ({ facts }) => facts?.join('\n') },
  foretold: { type: 'smallint', of: ({ foretold }) => foretold },
  frame: { type: 'smallint', of: frameOf },
};

export const CONVERSATION_COLUMNS: readonly Column<ConversationHead>[] = Object.entries(COLUMNS).map(
  ([name, column]) => ({ name, ...column }),
);

export function headFrom(
  id: ConversationId,
  cells: ConversationCells,
  text: (stored: string) => string,
): ConversationHead {
  return {
    id,
    labels: {
      agent: text(cells.agent),
      agentVersion: text(cells.agent_version),
      environment: text(cells.environment),
      ...(cells.segment === null ? {} : { segment: text(cells.segment) }),
    },
    firstClosedAt: cells.first_closed_at ?? undefined,
    lastClosedAt: cells.last_closed_at,
    updatedAt: cells.updated_at,
    turns: cells.turns,
    turnsEvaluated: cells.turns_evaluated,
    dueAt: cells.due_at ?? undefined,
    dueCause: cells.due_cause === null ? undefined : readDueCause(cells.due_cause),
    endedAt: cells.ended_at ?? undefined,
    revision: cells.revision,
    cause: cells.cause === null ? undefined : readDueCause(cells.cause),
    worstOutcome: cells.worst_outcome,
    unscoredBecause: cells.unscored_because === null ? undefined : readUnscoredCause(cells.unscored_because),
    called: CALLED[cells.called ?? -1],
    lot: cells.lot ?? undefined,
    facts: cells.facts === null ? undefined : text(cells.facts).split('\n'),
    foretold: cells.foretold ?? undefined,
    glance: {
      beganAtMs: cells.began_at ?? undefined,
      ceasedAtMs: cells.ceased_at ?? undefined,
      asked: cells.asked === null ? undefined : text(cells.asked),
      answered: cells.answered === null ? undefined : text(cells.answered),
      ...(cells.clock_wrong === 1 ? { isClockWrong: true as const } : {}),
    },
    feedback: cells.feedback === null ? undefined : POLARITIES[cells.feedback],
  };
}
