/**
 * Feedback of the agent's users on the shared store (feedback-store.ts), as the engine writes it in the transaction in
 * which it read the span; rules/said.ts is what the API writes.
 *
 * The API and an instance that scores may write the same feedback at the same time. The row is there once, and the
 * engine's flag `counted` stands whoever was first: the engine has locked the conversation, so nobody else counts it.
 */
import { FEEDBACK_LIMITS, type Feedback } from '../../model/feedback.ts';
import type { FeedbackFate } from '../../model/events/scoring-events.ts';
import type { ConversationId } from '../../model/ids.ts';
import { type FeedbackBook, type KeptFeedback, readFeedback, writeFeedback } from '../feedback-store.ts';
import { lookAgain, type SaidDialect } from '../rules/said.ts';
import { DIALECT } from './dialect.ts';
import { runOn } from './postgres-sql.ts';
import { textKey, userKey } from './row-keys.ts';
import type { Value } from '../sql.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

export const SAYING: SaidDialect = { ...DIALECT, goneKey: textKey, userKey };

interface Entry extends KeptFeedback {
  /** As the row says; undefined where there is none. */
  readonly wasCounted: boolean | undefined;
}

/** Feedback of the conversations of one transaction. */
export class WorkingFeedback implements FeedbackBook {
  readonly #entries = new Map<ConversationId, Map<string, Entry>>();
  readonly #moves: (readonly [from: ConversationId, to: ConversationId])[] = [];
  readonly #asked = new Set<ConversationId>();

  load(conversation: ConversationId, kept: readonly KeptFeedback[]): void {
    const entries = kept.map((one) => [one.feedback.id, { ...one, wasCounted: one.isCounted }] as const);
    this.#entries.set(conversation, new Map(entries));
  }

  clear(): void {
    this.#entries.clear();
    this.#moves.length = 0;
    this.#asked.clear();
  }

  find(conversation: ConversationId): readonly KeptFeedback[] {
    return [...(this.#entries.get(conversation)?.values() ?? [])];
  }

  put(feedback: readonly Feedback[], { asks }: { readonly asks: boolean }): readonly FeedbackFate[] {
    return feedback.map((one) => {
      const entries = this.#of(one.conversationId);
      if (entries.has(one.id)) return 'known';
      if (entries.size >= FEEDBACK_LIMITS.perConversation) return 'too_many';
      entries.set(one.id, { feedback: one, isCounted: false, wasCounted: undefined });
      if (asks) this.#asked.add(one.conversationId);
      return 'kept';
    });
  }

  counted(conversation: ConversationId): void {
    for (const [id, entry] of this.#of(conversation)) this.#of(conversation).set(id, { ...entry, isCounted: true });
  }

  move(from: ConversationId, to: ConversationId): void {
    const moved = this.#entries.get(from);
    if (moved === undefined || moved.size === 0) return;
    this.#moves.push([from, to]);
    const entries = this.#of(to);
    for (const [id, entry] of moved) {
      const there = entries.get(id);
      const feedback = { ...entry.feedback, conversationId: to };
      if (there === undefined) entries.set(id, { ...entry, feedback });
      else if (entry.isCounted) entries.set(id, { ...there, isCounted: true });
    }
    this.#entries.delete(from);
  }

  async write(session: Session): Promise<void> {
    for (const [from, to] of this.#moves) {
      await session.run(MOVE, [textKey(from), textKey(to), toStorable(to)]);
      await session.run(DROP, [textKey(from)]);
    }
    const all = [...this.#entries.values()].flatMap((entries) => [...entries.values()]);
    const added = all.filter(({ wasCounted }) => wasCounted === undefined);
    if (added.length > 0) await session.run(ADD, addedValues(added));
    if (this.#asked.size > 0) await runOn(session, lookAgain(DIALECT, [...this.#asked]));
    const counted = all.flatMap(({ feedback, isCounted, wasCounted }) =>
      isCounted && wasCounted === false ? [feedback] : [],
    );
    if (counted.length > 0) await session.run(COUNTED, [keysOf(counted), counted.map(({ id }) => toStorable(id))]);
  }

  #of(conversation: ConversationId): Map<string, Entry> {
    const known = this.#entries.get(conversation);
    if (known !== undefined) return known;
    const made = new Map<string, Entry>();
    this.#entries.set(conversation, made);
    return made;
  }
}

function addedValues(added: readonly KeptFeedback[]): readonly Value[] {
  const feedback = added.map((one) => one.feedback);
  return [
    keysOf(feedback),
    feedback.map(({ conversationId }) => toStorable(conversationId)),
    feedback.map(({ id }) => toStorable(id)),
    feedback.map((one) => toStorable(writeFeedback(one))),
    feedback.map(({ user }) => (user === undefined ? null : toStorable(user))),
    added.map(({ isCounted }) => isCounted),
    Date.now(),
  ];
}

/** As `BESIDE` of claim.ts reads them. */
export function keptFrom(
  conversation: ConversationId,
  rows: readonly { readonly body: string; readonly counted: boolean }[],
): readonly KeptFeedback[] {
  return rows.map(({ body, counted }) => ({
    feedback: readFeedback(conversation, fromStorable(body)),
    isCounted: counted,
  }));
}

function keysOf(feedback: readonly Feedback[]): readonly string[] {
  return feedback.map(({ conversationId }) => textKey(conversationId));
}

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
