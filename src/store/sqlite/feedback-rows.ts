/** Feedback of the agent's users (feedback-store.ts), by conversation and id. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FEEDBACK_LIMITS, type Feedback } from '../../model/feedback.ts';
import type { FeedbackFate } from '../../model/events/scoring-events.ts';
import type { ConversationId } from '../../model/ids.ts';
import {
  type FeedbackBook,
  type FeedbackStore,
  type KeptFeedback,
  type StoredFeedback,
  readFeedback,
  writeFeedback,
} from '../feedback-store.ts';
import type { ForgettableNames } from '../engine-store.ts';
import { keyHash } from '../key-hash.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Revisits } from './revisits.ts';

/** Deleted conversations that are remembered, to say so: about fifty bytes each. */
const GONE_MAX = 200_000;

interface Parts {
  readonly conversations: { find(id: ConversationId): { readonly row: number } | undefined; flush(): void };
  readonly revisits: Pick<Revisits, 'askNow'>;
  readonly forgotten: { readonly hasAny: boolean; has(names: ForgettableNames): boolean };
  readonly own: OwnTransaction;
}

export class FeedbackRows implements FeedbackStore {
  /** Inside the transaction that goes on. */
  readonly book: FeedbackBook;
  readonly #parts: Parts;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #findOne: StatementSync;
  readonly #count: StatementSync;
  readonly #counted: StatementSync;
  readonly #any: StatementSync;
  readonly #isGone: StatementSync;
  readonly #move: StatementSync;
  readonly #countAsMoved: StatementSync;
  readonly #drop: StatementSync;
  readonly #noteGone: StatementSync;
  #hasAny: boolean | undefined;

  constructor(database: DatabaseSync, parts: Parts) {
    this.#database = database;
    this.#parts = parts;
    this.#insert = database.prepare(
      `INSERT INTO feedback (conversation_id, id, body, user_id, put_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (conversation_id, id) DO NOTHING`,
    );
    this.#find = database.prepare('SELECT body, counted FROM feedback WHERE conversation_id = ? ORDER BY id');
    this.#findOne = database.prepare('SELECT body FROM feedback WHERE conversation_id = ? AND id = ?');
    this.#count = database.prepare(
      `SELECT count(*) AS rows, coalesce(sum(id = ?2), 0) AS known FROM feedback WHERE conversation_id = ?1`,
    );
    this.#counted = database.prepare('UPDATE feedback SET counted = 1 WHERE conversation_id = ? AND counted = 0');
    this.#any = database.prepare('SELECT EXISTS (SELECT 1 FROM feedback) AS any');
    this.#isGone = database.prepare('SELECT 1 FROM gone_conversations WHERE key = ?');
    this.#move = database.prepare('UPDATE OR IGNORE feedback SET conversation_id = ?2 WHERE conversation_id = ?1');
    this.#countAsMoved = database.prepare(
      `UPDATE feedback SET counted = 1 WHERE conversation_id = ?2 AND id IN (
         SELECT id FROM feedback WHERE conversation_id = ?1 AND counted = 1)`,
    );
    this.#drop = database.prepare('DELETE FROM feedback WHERE conversation_id = ?');
    this.#noteGone = database.prepare(
      'INSERT INTO gone_conversations (key, at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET at = excluded.at',
    );
    this.book = {
      find: (conversation) => this.#found(conversation),
      put: (feedback, { asks }) => this.#putAll(feedback, asks),
      counted: (conversation) => void this.#counted.run(conversation),
      move: (from, to) => {
        if (!this.#has()) return;
        this.#countAsMoved.run(from, to);
        this.#move.run(from, to);
        this.#drop.run(from);
      },
    };
  }

  put(feedback: readonly Feedback[]): readonly FeedbackFate[] {
    return this.#parts.own('feedback of users', () => this.#putAll(feedback, true));
  }

  stored(feedback: readonly Feedback[]): readonly StoredFeedback[] {
    return feedback.map(({ conversationId, id }) => {
      const { body } = this.#findOne.get(conversationId, id) ?? {};
      return body === undefined ? undefined : readFeedback(conversationId, String(body));
    });
  }

  /** Conversations that retention is about to delete. */
  noteGone(ids: readonly string[], now: number): void {
    for (const id of ids) this.#noteGone.run(keyHash(`conversation:${id}`), now);
    this.#database
      .prepare(
        'DELETE FROM gone_conversations WHERE at < (SELECT at FROM gone_conversations ORDER BY at DESC LIMIT 1 OFFSET ?)',
      )
      .run(GONE_MAX);
  }

  /** After a rollback, and where rows were deleted. */
  discard(): void {
    this.#hasAny = undefined;
  }

  #putAll(feedback: readonly Feedback[], asks: boolean): readonly FeedbackFate[] {
    return feedback.map((one) => this.#put(one, asks));
  }

  #put(feedback: Feedback, asks: boolean): FeedbackFate {
    const { conversationId, id, user } = feedback;
    const { forgotten, revisits, conversations } = this.#parts;
    const there = conversations.find(conversationId);
    if (there === undefined && this.#isGone.get(keyHash(`conversation:${conversationId}`)) !== undefined) return 'gone';
    if (forgotten.hasAny && forgotten.has({ conversation: conversationId, users: user === undefined ? [] : [user] }))
      return 'gone';
    const { rows, known } = this.#count.get(conversationId, id) ?? {};
    if (Number(known) > 0) return 'known';
    if (Number(rows) >= FEEDBACK_LIMITS.perConversation) return 'too_many';
    this.#insert.run(conversationId, id, writeFeedback(feedback), user ?? null, Date.now());
    this.#hasAny = true;
    if (there === undefined) return 'waiting';
    if (!asks) return 'kept';
    // A request is kept only for a row that is in the table.
    conversations.flush();
    revisits.askNow(there.row);
    return 'kept';
  }

  #has(): boolean {
    this.#hasAny ??= this.#any.get()?.any === 1;
    return this.#hasAny;
  }

  #found(conversation: ConversationId): readonly KeptFeedback[] {
    if (!this.#has()) return [];
    return this.#find.all(conversation).map(({ body, counted }) => ({
      feedback: readFeedback(conversation, String(body)),
      isCounted: counted === 1,
    }));
  }
}
