/** Truth and feedback of conversations (rules/said.ts) in the store of one machine: what people put, and what the engine reads. */
import type { ConversationId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import { type FeedbackBook, type FeedbackStore, type KeptFeedback, readFeedback } from '../feedback-store.ts';
import { keyHash } from '../key-hash.ts';
import { lookAgain, type SaidDialect, writeFeedbackRows } from '../rules/said.ts';
import { type Writing, writing } from '../rules/writer.ts';
import { truthFrom } from '../said-of-conversation.ts';
import { change, type Rule, rows } from '../sql.ts';
import type { TruthStore } from '../truth-store.ts';
import { DIALECT } from './dialect.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Revisits } from './revisits.ts';
import { SqliteSql } from './sqlite-sql.ts';
import type { Statements } from './statements.ts';

/** Deleted conversations that are remembered, to say so: about fifty bytes each. */
const GONE_MAX = 200_000;

const SAYING: SaidDialect = {
  ...DIALECT,
  goneKey: (conversationId) => keyHash(`conversation:${conversationId}`),
  userKey: (user) => keyHash(`user:${user}`),
};

interface Parts {
  readonly conversations: { flush(): void };
  readonly revisits: Pick<Revisits, 'discard'>;
  readonly own: OwnTransaction;
}

export class SaidRows {
  readonly written: Writing<'now'>;
  readonly truths: TruthStore & { find(conversation: ConversationId): Json | undefined };
  readonly feedback: FeedbackStore;
  /** Inside the transaction that goes on. */
  readonly book: FeedbackBook;
  readonly sql: SqliteSql<SaidDialect>;
  readonly #revisits: Parts['revisits'];
  readonly #has = new Map<'truths' | 'feedback', boolean>();

  constructor(statements: Statements, { conversations, revisits, own }: Parts) {
    const sql = new SqliteSql(SAYING, statements, own);
    this.sql = sql;
    this.written = writing(sql);
    const { truths, feedback } = this.written;
    this.#revisits = revisits;
    this.truths = {
      put: (conversationId, truth) => this.#put(() => truths.put(conversationId, truth)),
      find: (conversation) => (this.#hasAny('truths') ? sql.inside(truthOf(conversation)) : undefined),
    };
    this.feedback = {
      ...feedback,
      put: (given) => this.#put(() => feedback.put(given)),
    };
    this.book = {
      find: (conversation) => (this.#hasAny('feedback') ? sql.inside(feedbackOf(conversation)) : []),
      put: (given, { asks }) => {
        // Rows are looked for in the tables.
        conversations.flush();
        const fates = sql.inside(writeFeedbackRows(SAYING, given));
        const kept = given.filter((_, index) => asks && fates[index] === 'kept');
        if (kept.length > 0)
          sql.inside(
            lookAgain(
              SAYING,
              kept.map(({ conversationId }) => conversationId),
            ),
          );
        this.discard();
        return fates;
      },
      counted: (conversation) => void sql.inside(change(COUNTED, [conversation])),
      move: (from, to) => {
        if (this.#hasAny('feedback')) sql.inside(move(from, to));
      },
    };
  }

  /** Conversations that retention is about to delete. */
  noteGone(ids: readonly string[], now: number): void {
    for (const id of ids) this.sql.inside(change(NOTE_GONE, [SAYING.goneKey(id), now]));
    this.sql.inside(change(FORGET_GONE, [GONE_MAX]));
  }

  /** After a rollback, and where rows were written or deleted. */
  discard(): void {
    this.#has.clear();
    this.#revisits.discard();
  }

  #put<T>(put: () => T): T {
    this.discard();
    return put();
  }

  /** Most stores have none, and each conversation asks. */
  #hasAny(table: 'truths' | 'feedback'): boolean {
    const known = this.#has.get(table) ?? this.sql.inside(hasAny(table));
    this.#has.set(table, known);
    return known;
  }
}

const NOTE_GONE = {
  name: 'note-gone',
  sql: 'INSERT INTO gone_conversations (key, at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET at = excluded.at',
};
const FORGET_GONE = {
  name: 'forget-gone',
  sql: 'DELETE FROM gone_conversations WHERE at < (SELECT at FROM gone_conversations ORDER BY at DESC LIMIT 1 OFFSET ?)',
};
const TRUTH = { name: 'truth', sql: 'SELECT truth FROM truths WHERE conversation_id = ?' };
const FEEDBACK = {
  name: 'feedback',
  sql: 'SELECT body, counted FROM feedback WHERE conversation_id = ? ORDER BY id',
};
const COUNTED = {
  name: 'counted',
  sql: 'UPDATE feedback SET counted = 1 WHERE conversation_id = ? AND counted = 0',
};
const COUNT_AS_MOVED = {
  name: 'count-as-moved',
  sql: `UPDATE feedback SET counted = 1 WHERE conversation_id = ?2 AND id IN (
    SELECT id FROM feedback WHERE conversation_id = ?1 AND counted = 1)`,
};
const MOVE = {
  name: 'move',
  sql: 'UPDATE OR IGNORE feedback SET conversation_id = ?2 WHERE conversation_id = ?1',
};
const DROP = { name: 'drop', sql: 'DELETE FROM feedback WHERE conversation_id = ?' };

function* hasAny(table: 'truths' | 'feedback'): Rule<boolean> {
  const [row] = yield* rows<{ has: number }>({ name: 'has-any', sql: `SELECT EXISTS (SELECT 1 FROM ${table}) AS has` });
  return row?.has === 1;
}

function* truthOf(conversation: ConversationId): Rule<Json | undefined> {
  const [row] = yield* rows<{ truth: string }>(TRUTH, [conversation]);
  return truthFrom(row?.truth);
}

function* feedbackOf(conversation: ConversationId): Rule<readonly KeptFeedback[]> {
  const found = yield* rows<{ body: string; counted: number }>(FEEDBACK, [conversation]);
  return found.map(({ body, counted }) => ({ feedback: readFeedback(conversation, body), isCounted: counted === 1 }));
}

function* move(from: ConversationId, to: ConversationId): Rule<void> {
  yield* change(COUNT_AS_MOVED, [from, to]);
  yield* change(MOVE, [from, to]);
  yield* change(DROP, [from]);
}
