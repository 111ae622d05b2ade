/**
 * Feedback of the agent's users on the shared store (feedback-store.ts): written by the API, and by the engine in the
 * transaction in which it read the span.
 *
 * The API and an instance that scores may write the same feedback at the same time. The row is there once, and the
 * engine's flag `counted` stands whoever was first: the engine has locked the conversation, so nobody else counts it.
 */
import { FEEDBACK_LIMITS, type Feedback } from '../../model/feedback.ts';
import type { FeedbackFate } from '../../model/events/scoring-events.ts';
import type { ConversationId } from '../../model/ids.ts';
import {
  type FeedbackBook,
  type FeedbackStore,
  type KeptFeedback,
  readFeedback,
  writeFeedback,
} from '../feedback-store.ts';
import type { Link } from './link.ts';
import { textKey, userKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

export class FeedbackRows implements FeedbackStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async put(feedback: readonly Feedback[]): Promise<readonly FeedbackFate[]> {
    const fates = await this.#link.transaction(async (session) => {
      const found: FeedbackFate[] = [];
      for (const one of feedback) found.push(await put(session, one));
      return found;
    });
    // After the commit, for the reason that truths.ts gives; and also where it was known.
    await this.#link.use((session) => session.run(REVISIT, [keysOf(feedback)]));
    return fates;
  }
}

/** Feedback of the conversations of one transaction. */
export class WorkingFeedback implements FeedbackBook {
  readonly #loaded = new Map<ConversationId, readonly KeptFeedback[]>();
  readonly #added = new Map<string, Feedback>();
  readonly #counted = new Set<ConversationId>();
  readonly #moves: (readonly [from: ConversationId, to: ConversationId])[] = [];

  load(conversation: ConversationId, kept: readonly KeptFeedback[]): void {
    this.#loaded.set(conversation, kept);
  }

  clear(): void {
    this.#loaded.clear();
    this.#added.clear();
    this.#counted.clear();
    this.#moves.length = 0;
  }

  find(conversation: ConversationId): readonly KeptFeedback[] {
    const kept = this.#loaded.get(conversation) ?? [];
    const added = [...this.#added.values()].filter(({ conversationId }) => conversationId === conversation);
    const moved = this.#moves.flatMap(([from, to]) => (to === conversation ? this.find(from) : []));
    if (added.length === 0 && moved.length === 0) return kept;
    const isCounted = this.#counted.has(conversation);
    return [
      ...kept,
      ...moved.map((one) => ({ ...one, feedback: { ...one.feedback, conversationId: conversation } })),
      ...added.map((feedback) => ({ feedback, isCounted })),
    ];
  }

  put(feedback: readonly Feedback[]): readonly FeedbackFate[] {
    return feedback.map((one) => {
      const { conversationId, id } = one;
      const all = this.find(conversationId);
      if (all.some((kept) => kept.feedback.id === id)) return 'known';
      if (all.length >= FEEDBACK_LIMITS.perConversation) return 'too_many';
      this.#added.set(JSON.stringify([conversationId, id]), one);
      return 'kept';
    });
  }

  counted(conversation: ConversationId): void {
    this.#counted.add(conversation);
  }

  move(from: ConversationId, to: ConversationId): void {
    if (this.find(from).length > 0) this.#moves.push([from, to]);
  }

  async write(session: Session): Promise<void> {
    const added = [...this.#added.values()];
    if (added.length > 0) {
      await session.run(ADD, [
        keysOf(added),
        added.map(({ conversationId }) => toStorable(conversationId)),
        added.map(({ id }) => toStorable(id)),
        added.map((one) => toStorable(writeFeedback(one))),
        added.map(({ user }) => (user === undefined ? null : toStorable(user))),
        added.map(({ conversationId }) => this.#counted.has(conversationId)),
        Date.now(),
      ]);
      const uncounted = added.filter(({ conversationId }) => !this.#counted.has(conversationId));
      if (uncounted.length > 0) await session.run(REVISIT, [keysOf(uncounted)]);
    }
    const counted = [...this.#counted].flatMap((conversation) => {
      const rows = (this.#loaded.get(conversation) ?? []).filter(({ isCounted }) => !isCounted);
      return rows.map(({ feedback }) => feedback);
    });
    if (counted.length > 0) await session.run(COUNTED, [keysOf(counted), counted.map(({ id }) => toStorable(id))]);
    for (const [from, to] of this.#moves) {
      await session.run(MOVE, [textKey(from), textKey(to), toStorable(to)]);
      await session.run(DROP, [textKey(from)]);
    }
  }
}

/** As `HEAD_COLUMNS` of claim.ts reads them. */
export function keptFrom(
  conversation: ConversationId,
  rows: readonly { readonly body: string; readonly counted: boolean }[],
): readonly KeptFeedback[] {
  return rows.map(({ body, counted }) => ({
    feedback: readFeedback(conversation, fromStorable(body)),
    isCounted: counted,
  }));
}

async function put(session: Session, feedback: Feedback): Promise<FeedbackFate> {
  const { conversationId, id, user } = feedback;
  const key = textKey(conversationId);
  const [found] = await session.rows<{ there: boolean; gone: boolean; known: boolean; many: boolean }>(LOOK, [
    key,
    toStorable(id),
    FEEDBACK_LIMITS.perConversation,
    user === undefined ? null : userKey(user),
  ]);
  if (found?.gone === true) return 'gone';
  if (found?.known === true) return 'known';
  if (found?.many === true) return 'too_many';
  const written = await session.run(ADD, [
    [key],
    [toStorable(conversationId)],
    [toStorable(id)],
    [toStorable(writeFeedback(feedback))],
    [user === undefined ? null : toStorable(user)],
    [false],
    Date.now(),
  ]);
  if (written === 0) return 'known';
  return found?.there === true ? 'kept' : 'waiting';
}

function keysOf(feedback: readonly Feedback[]): readonly string[] {
  return feedback.map(({ conversationId }) => textKey(conversationId));
}

const LOOK = {
  name: 'look-for-feedback',
  sql: `WITH head AS (SELECT first_closed_at FROM conversations WHERE key = $1::uuid)
    SELECT EXISTS (SELECT FROM head WHERE first_closed_at IS NOT NULL) AS there,
      EXISTS (SELECT FROM forgotten WHERE key = $1::uuid OR key = $4::uuid)
        OR (EXISTS (SELECT FROM gone_conversations WHERE key = $1::uuid) AND NOT EXISTS (SELECT FROM head)) AS gone,
      EXISTS (SELECT FROM feedback WHERE key = $1::uuid AND id = $2) AS known,
      (SELECT count(*) FROM feedback WHERE key = $1::uuid) >= $3::int AS many`,
};
/** The engine's `counted` stands; nothing about a forgotten conversation is written. */
const ADD = {
  name: 'add-feedback',
  sql: `INSERT INTO feedback AS f (key, conversation_id, id, body, user_id, counted, put_at)
    SELECT n.*, $7::bigint FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[])
      AS n (key, conversation_id, id, body, user_id, counted)
    WHERE NOT EXISTS (SELECT FROM forgotten o WHERE o.key = n.key)
    ORDER BY n.key, n.id
    ON CONFLICT (key, id) DO UPDATE SET counted = true WHERE excluded.counted AND NOT f.counted`,
};
const COUNTED = {
  name: 'feedback-counted',
  sql: `UPDATE feedback f SET counted = true FROM unnest($1::uuid[], $2::text[]) AS n (key, id)
    WHERE f.key = n.key AND f.id = n.id`,
};
const MOVE = {
  name: 'move-feedback',
  sql: `UPDATE feedback f SET key = $2::uuid, conversation_id = $3 WHERE f.key = $1::uuid
    AND NOT EXISTS (SELECT FROM feedback o WHERE o.key = $2::uuid AND o.id = f.id)`,
};
const DROP = { name: 'drop-feedback', sql: 'DELETE FROM feedback WHERE key = $1::uuid' };
const REVISIT = {
  name: 'revisit-for-feedback',
  sql: `INSERT INTO revisits (conversation) SELECT id FROM conversations WHERE key = ANY($1::uuid[]) ORDER BY id
    ON CONFLICT (conversation) DO UPDATE SET number = excluded.number, due_at = 0`,
};
