/**
 * The conversations of one transaction in memory: a write-back cache of rows, the same whichever database is behind it.
 *
 * A conversation changes several times while a transaction is open: a turn joins it, an evaluation worsens its outcome,
 * it is scored. The changes are made here and written once, at the commit; written one by one to SQLite, with four
 * indexes to keep, they were a tenth of the cost of a span. Until then the held version is the valid one, so the search
 * for due conversations looks at both.
 */
import { strongerOf } from '../model/called.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { ConversationId } from '../model/ids.ts';
import { severityOf } from '../model/severity.ts';
import { WITHOUT_TURNS } from './conversation-columns.ts';
import { failuresIn, withFacts } from './facts.ts';
import { drawLot, lotOfId } from './frame-columns.ts';
import type { ConversationChanges, ConversationStore, NewConversation, StoredConversation } from './engine-store.ts';

export interface Due {
  readonly row: number;
  readonly dueAt: number;
}

/** The rows that are not held. */
export interface ConversationTable {
  find(id: ConversationId): StoredConversation | undefined;
  at(row: number): StoredConversation | undefined;
  /** Some of those that are due, in their order, from the first after this one on; none where it was the last. */
  dueAfter(last: Due | undefined): readonly Due[];
  /** The row of a conversation that is made now. */
  newRow(id: ConversationId): number;
  write(conversation: StoredConversation, how: 'insert' | 'update'): void;
  /** It may never have been written. */
  remove(conversation: StoredConversation): void;
}

interface Held {
  conversation: StoredConversation;
  unwritten: 'insert' | 'update' | undefined;
}

/** The search for what is due goes through all that are held. */
const HELD_MAX = 512;

export class HeldConversations implements ConversationStore {
  readonly #table: ConversationTable;
  readonly #lotOf: (id: ConversationId) => number;
  readonly #held = new Map<number, Held>();
  readonly #rowById = new Map<ConversationId, number>();
  /** No conversation is due before this; kept so that most searches for due ones cost nothing. */
  #nothingDueBefore = Number.NEGATIVE_INFINITY;
  /** Rows of the table in the order in which they are due. While a transaction is open, they only become held or removed. */
  #rowsDue: readonly Due[] = [];
  #firstRowDue = 0;
  #areAllRead = false;
  readonly #removed = new Set<number>();
  /** Gives a conversation that was scored the place of its chance; what was said before stays where it knows none. */
  foretell: ConversationStore['foretell'] = ({ foretold }) => foretold;

  constructor(table: ConversationTable, { lots }: { readonly lots: 'drawn' | 'of ids' } = { lots: 'drawn' }) {
    this.#table = table;
    this.#lotOf = lots === 'drawn' ? drawLot : lotOfId;
  }

  find(id: ConversationId): StoredConversation | undefined {
    const row = this.#rowById.get(id);
    if (row !== undefined) return this.at(row);
    const found = this.#table.find(id);
    return found === undefined ? undefined : this.#hold(found).conversation;
  }

  make({ id, labels, firstClosedAt }: NewConversation): StoredConversation {
    const row = this.#table.newRow(id);
    const lot = this.#lotOf(id);
    const made = { ...WITHOUT_TURNS, row, id, labels, firstClosedAt, lastClosedAt: firstClosedAt, lot };
    this.#hold(made, 'insert');
    return made;
  }

  at(row: number): StoredConversation {
    return this.#at(row).conversation;
  }

  change(row: number, changes: ConversationChanges): StoredConversation {
    const held = this.#at(row);
    held.conversation = { ...held.conversation, ...changes };
    held.unwritten ??= 'update';
    const { dueAt } = held.conversation;
    if (dueAt !== undefined && dueAt < this.#nothingDueBefore) this.#nothingDueBefore = dueAt;
    return held.conversation;
  }

  /** An evaluation of it was stored. The worst outcome decides for how long a conversation is kept. */
  noteEvaluation(row: number, evaluation: Evaluation): void {
    const { outcome } = evaluation;
    const before = this.at(row);
    const called = strongerOf(before.called, outcome);
    const worstOutcome = Math.max(before.worstOutcome, severityOf(outcome) ?? 0);
    const facts = withFacts(before.facts, failuresIn(evaluation));
    if (called !== before.called || worstOutcome !== before.worstOutcome || facts !== before.facts)
      this.change(row, { called, worstOutcome, facts });
  }

  remove(row: number): void {
    const { conversation } = this.#at(row);
    this.#held.delete(row);
    this.#rowById.delete(conversation.id);
    this.#removed.add(row);
    this.#table.remove(conversation);
  }

  nextDue(logTime: number): StoredConversation | undefined {
    if (logTime < this.#nothingDueBefore) return undefined;
    if (this.#held.size > HELD_MAX) this.flush();
    let next = this.#firstNotHeld();
    for (const { conversation } of this.#held.values()) {
      const { row, dueAt } = conversation;
      if (dueAt !== undefined && (next === undefined || isDueBefore({ row, dueAt }, next))) next = { row, dueAt };
    }
    this.#nothingDueBefore = next?.dueAt ?? Number.POSITIVE_INFINITY;
    return next !== undefined && next.dueAt <= logTime ? this.at(next.row) : undefined;
  }

  /** Writes what has changed; belongs inside the transaction. */
  flush(): void {
    for (const { conversation, unwritten } of this.#held.values())
      if (unwritten !== undefined) {
        const foretold = conversation.revision === 0 ? undefined : this.foretell(conversation);
        this.#table.write(foretold === conversation.foretold ? conversation : { ...conversation, foretold }, unwritten);
      }
    this.#forget();
  }

  /** The table's rows are others now: after a rollback, or for another transaction. */
  discard(): void {
    this.#forget();
    this.#nothingDueBefore = Number.NEGATIVE_INFINITY;
  }

  #forget(): void {
    this.#held.clear();
    this.#rowById.clear();
    this.#rowsDue = [];
    this.#firstRowDue = 0;
    this.#areAllRead = false;
    this.#removed.clear();
  }

  #firstNotHeld(): Due | undefined {
    for (;;) {
      const first = this.#rowsDue[this.#firstRowDue];
      if (first !== undefined) {
        if (!this.#held.has(first.row) && !this.#removed.has(first.row)) return first;
        this.#firstRowDue += 1;
      } else if (this.#areAllRead) return undefined;
      else {
        this.#rowsDue = this.#table.dueAfter(this.#rowsDue.at(-1));
        this.#firstRowDue = 0;
        this.#areAllRead = this.#rowsDue.length === 0;
      }
    }
  }

  #at(row: number): Held {
    const held = this.#held.get(row);
    if (held !== undefined) return held;
    const found = this.#table.at(row);
    if (found === undefined) throw new Error(`store: no conversation has row ${row}`);
    return this.#hold(found);
  }

  #hold(conversation: StoredConversation, unwritten?: 'insert'): Held {
    const held = { conversation, unwritten };
    this.#held.set(conversation.row, held);
    this.#rowById.set(conversation.id, conversation.row);
    return held;
  }
}

/** Orders by due time; among equals the older conversation comes first. */
export function isDueBefore(a: Due, b: Due): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.row < b.row);
}
