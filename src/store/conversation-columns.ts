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

/** `always`: no row lacks it. */
type Kept = Omit<Column<ConversationHead>, 'name'> & { readonly always?: true };

const COLUMNS = {
  agent: { type: 'text', always: true, of: ({ labels }) => labels.agent },
  agent_version: { type: 'text', always: true, of: ({ labels }) => labels.agentVersion },
  environment: { type: 'text', always: true, of: ({ labels }) => labels.environment },
  first_closed_at: { type: 'bigint', of: ({ firstClosedAt }) => firstClosedAt },
  last_closed_at: { type: 'bigint', always: true, of: ({ lastClosedAt }) => lastClosedAt },
  updated_at: { type: 'bigint', always: true, of: ({ updatedAt }) => updatedAt },
  turns: { type: 'int', always: true, of: ({ turns }) => turns },
  turns_evaluated: { type: 'int', always: true, of: ({ turnsEvaluated }) => turnsEvaluated },
  due_at: { type: 'bigint', of: ({ dueAt }) => dueAt },
  due_cause: { type: 'text', of: ({ dueCause }) => dueCause },
  ended_at: { type: 'bigint', of: ({ endedAt }) => endedAt },
  revision: { type: 'int', always: true, of: ({ revision }) => revision },
  cause: { type: 'text', of: ({ cause }) => cause },
  worst_outcome: { type: 'smallint', always: true, of: ({ worstOutcome }) => worstOutcome },
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
} as const satisfies Readonly<Record<string, Kept>>;

/** As the rows are read. */
export type ConversationCells = { readonly [Name in keyof typeof COLUMNS]: CellOf<(typeof COLUMNS)[Name]> };
type CellOf<Of extends Kept> =
  | (Of['type'] extends 'text' ? string : number)
  | (Of extends { readonly always: true } ? never : null);

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
