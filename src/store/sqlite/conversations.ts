/**
 * The rows of conversations, and which of them is due next.
 *
 * A conversation changes several times while a transaction is open: a turn joins it, an evaluation worsens its outcome,
 * it is scored. The changes are made in memory and written once, at the commit; written one by one, with four indexes
 * to keep, they were a tenth of the cost of a span. What is in memory is the truth until then, so whoever
 * looks for what is due looks at both.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ConversationId } from '../../model/ids.ts';
import {
  absorbInto,
  type ConversationState,
  type Due,
  isDueBefore,
  joinTurns,
  newConversation,
  noteResult,
} from '../conversation-rules.ts';
import type { ConversationJoin, ConversationResult, ConversationStore, StoredConversation } from '../engine-store.ts';

/** A row as it will be written. */
interface Changed extends ConversationState {
  isNew: boolean;
}

/** Looking for what is due goes through all that are in memory. */
const CHANGED_MAX = 512;

const COLUMNS = `id, conversation_id, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, turns,
  turns_evaluated, due_at, due_cause, revision, cause, worst_outcome, unscored_because, segment`;

export class Conversations implements ConversationStore {
  readonly #findById: StatementSync;
  readonly #findByRow: StatementSync;
  readonly #inOrderOfDue: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #lastRowOf: StatementSync;
  readonly #changed = new Map<number, Changed>();
  readonly #rowById = new Map<string, number>();
  #lastRow: number;
  /** No conversation is due before this; kept so that most looks for due ones cost nothing. */
  #nothingDueBefore = Number.NEGATIVE_INFINITY;
  /** What `#firstUnchangedDue` found last, in this transaction. */
  #knownFirst: Due | 'none' | undefined;

  constructor(database: DatabaseSync) {
    this.#findById = database.prepare(`SELECT ${COLUMNS} FROM conversations WHERE conversation_id = ?`);
    this.#findByRow = database.prepare(`SELECT ${COLUMNS} FROM conversations WHERE id = ?`);
    this.#inOrderOfDue = database.prepare(
      'SELECT id, due_at FROM conversations WHERE due_at IS NOT NULL ORDER BY due_at, id',
    );
    this.#insert = database.prepare(
      `INSERT INTO conversations (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = database.prepare(
      `UPDATE conversations SET agent = ?, agent_version = ?, environment = ?, first_closed_at = ?, last_closed_at = ?,
         updated_at = ?, turns = ?, turns_evaluated = ?, due_at = ?, due_cause = ?, revision = ?, cause = ?,
         worst_outcome = ?, unscored_because = ?, segment = ? WHERE id = ?`,
    );
    this.#delete = database.prepare('DELETE FROM conversations WHERE id = ?');
    this.#lastRowOf = database.prepare('SELECT max(id) AS row FROM conversations');
    this.#lastRow = Number(this.#lastRowOf.get()?.row ?? 0);
  }

  join(join: ConversationJoin): StoredConversation {
    const conversation = this.#findOrMake(join);
    const due = joinTurns(conversation, join);
    this.#schedule(conversation, due.at, due.cause);
    return { ...conversation };
  }

  schedule(row: number, due: { readonly at: number; readonly cause: string }): void {
    this.#schedule(this.#at(row), due.at, due.cause);
  }

  leave(row: number, turns: number): void {
    this.#at(row).turns -= turns;
  }

  at(row: number): StoredConversation {
    return { ...this.#at(row) };
  }

  absorb(from: number, to: number): void {
    const absorbed = this.#at(from);
    if (!absorbInto(absorbed, this.#at(to))) return;
    this.#changed.delete(from);
    this.#rowById.delete(absorbed.id);
    this.#knownFirst = undefined;
    this.#delete.run(from);
  }

  worsen(row: number, outcome: number): void {
    const conversation = this.#at(row);
    conversation.worstOutcome = Math.max(conversation.worstOutcome, outcome);
  }

  evaluated(row: number, result: ConversationResult): void {
    noteResult(this.#at(row), result);
  }

  nextDue(logTime: number): StoredConversation | undefined {
    if (logTime < this.#nothingDueBefore) return undefined;
    if (this.#changed.size > CHANGED_MAX) this.flush();
    let next = this.#firstUnchangedDue();
    for (const { row, dueAt } of this.#changed.values()) {
      if (dueAt === undefined) continue;
      if (next === undefined || isDueBefore({ row, dueAt }, next)) next = { row, dueAt };
    }
    this.#nothingDueBefore = next?.dueAt ?? Number.POSITIVE_INFINITY;
    return next !== undefined && next.dueAt <= logTime ? { ...this.#at(next.row) } : undefined;
  }

  /** Writes what has changed; belongs inside the transaction. */
  flush(): void {
    for (const conversation of this.#changed.values()) {
      const { labels } = conversation;
      const values = [
        labels.agent,
        labels.agentVersion,
        labels.environment,
        conversation.firstClosedAt,
        conversation.lastClosedAt,
        conversation.updatedAt,
        conversation.turns,
        conversation.turnsEvaluated,
        conversation.dueAt ?? null,
        conversation.dueCause ?? null,
        conversation.revision,
        conversation.cause,
        conversation.worstOutcome,
        conversation.unscoredBecause,
        labels.segment ?? null,
      ];
      if (conversation.isNew) this.#insert.run(conversation.row, conversation.id, ...values);
      else this.#update.run(...values, conversation.row);
    }
    this.#forget();
  }

  /** After a rollback. */
  discard(): void {
    this.#forget();
    this.#lastRow = Number(this.#lastRowOf.get()?.row ?? 0);
    this.#nothingDueBefore = Number.NEGATIVE_INFINITY;
  }

  #forget(): void {
    this.#changed.clear();
    this.#rowById.clear();
    this.#knownFirst = undefined;
  }

  #firstUnchangedDue(): Due | undefined {
    const known = this.#knownFirst;
    // While a transaction is open rows only leave the unchanged ones, so the first stays first until it changes itself.
    if (known !== undefined && (known === 'none' || !this.#changed.has(known.row)))
      return known === 'none' ? undefined : known;
    for (const found of this.#inOrderOfDue.iterate()) {
      const row = Number(found.id);
      if (this.#changed.has(row)) continue;
      this.#knownFirst = { row, dueAt: Number(found.due_at) };
      return this.#knownFirst;
    }
    this.#knownFirst = 'none';
    return undefined;
  }

  #findOrMake(join: ConversationJoin): Changed {
    const row = this.#rowById.get(join.id);
    if (row !== undefined) return this.#at(row);
    const found = this.#findById.get(join.id);
    if (found !== undefined) return this.#change(toChanged(found));
    this.#lastRow += 1;
    return this.#change({ ...newConversation(this.#lastRow, join), isNew: true });
  }

  #at(row: number): Changed {
    const known = this.#changed.get(row);
    if (known !== undefined) return known;
    const found = this.#findByRow.get(row);
    if (found === undefined) throw new Error(`store: no conversation has row ${row}`);
    return this.#change(toChanged(found));
  }

  #change(conversation: Changed): Changed {
    this.#changed.set(conversation.row, conversation);
    this.#rowById.set(conversation.id, conversation.row);
    return conversation;
  }

  #schedule(conversation: Changed, at: number, cause: string): void {
    conversation.dueAt = at;
    conversation.dueCause = cause;
    this.#nothingDueBefore = Math.min(this.#nothingDueBefore, at);
  }
}

function toChanged(row: Record<string, unknown>): Changed {
  return {
    row: Number(row.id),
    // The cast is the brand: `flush` wrote it.
    id: String(row.conversation_id) as ConversationId,
    isNew: false,
    labels: {
      agent: String(row.agent),
      agentVersion: String(row.agent_version),
      environment: String(row.environment),
      ...(row.segment === null ? {} : { segment: String(row.segment) }),
    },
    firstClosedAt: Number(row.first_closed_at),
    lastClosedAt: Number(row.last_closed_at),
    updatedAt: Number(row.updated_at),
    turns: Number(row.turns),
    turnsEvaluated: Number(row.turns_evaluated),
    dueAt: row.due_at === null ? undefined : Number(row.due_at),
    dueCause: row.due_cause === null ? undefined : String(row.due_cause),
    revision: Number(row.revision),
    cause: row.cause === null ? null : String(row.cause),
    worstOutcome: Number(row.worst_outcome),
    unscoredBecause: row.unscored_because === null ? null : String(row.unscored_because),
  };
}
