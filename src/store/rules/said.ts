/** Ground truth and feedback of conversations (truth-store.ts, feedback-store.ts), often there before the conversation. */
import type { FeedbackFate } from '../../model/events/scoring-events.ts';
import { FEEDBACK_LIMITS, type Feedback } from '../../model/feedback.ts';
import type { Json } from '../../model/json.ts';
import { readFeedback, type StoredFeedback, writeFeedback } from '../feedback-store.ts';
import { change, type Dialect, isTrue, type Rule, rows, type Statement, transaction } from '../sql.ts';

export interface SaidDialect extends Dialect {
  /** Key of a conversation that was deleted or forgotten, and of a user who was forgotten. */
  readonly goneKey: (conversationId: string) => string | Uint8Array;
  readonly userKey: (user: string) => string | Uint8Array;
}

/** False where this was known already. */
export function* putTruth(dialect: Dialect, conversationId: string, truth: Json | undefined): Rule<boolean> {
  const changed = yield* transaction({ what: 'the truth of a conversation' }, () =>
    writeTruth(dialect, conversationId, truth),
  );
  // Behind the commit, so that whoever scores the conversation meanwhile either sees the truth or is asked again.
  if (changed > 0 || dialect.isShared) yield* lookAgain(dialect, [conversationId]);
  return changed > 0;
}

function writeTruth(dialect: Dialect, conversationId: string, truth: Json | undefined): Rule<number> {
  const { key, keyOf, isHashed, toStored } = dialect;
  const remove = { name: 'remove-truth', sql: `DELETE FROM truths WHERE ${key} = ?` };
  if (truth === undefined) return change(remove, [keyOf(conversationId)]);
  const sql = `INSERT INTO truths (conversation_id, truth, put_at${isHashed ? `, ${key}` : ''})
    VALUES (?, ?, ?${isHashed ? ', ?' : ''})
    ON CONFLICT (${key}) DO UPDATE SET truth = excluded.truth, put_at = excluded.put_at
      WHERE truths.truth <> excluded.truth`;
  const keys = isHashed ? [keyOf(conversationId)] : [];
  return change({ name: 'put-truth', sql }, [toStored(conversationId), JSON.stringify(truth), Date.now(), ...keys]);
}

/** The fates in the order of what was given. */
export function* putFeedback(dialect: SaidDialect, feedback: readonly Feedback[]): Rule<readonly FeedbackFate[]> {
  const fates = yield* transaction({ what: 'feedback of users' }, () => writeFeedbackRows(dialect, feedback));
  const asked = feedback.filter((_, index) => fates[index] === 'kept' || dialect.isShared);
  // Behind the commit, for the same reason.
  if (asked.length > 0)
    yield* lookAgain(
      dialect,
      asked.map(({ conversationId }) => conversationId),
    );
  return fates;
}

export function* writeFeedbackRows(dialect: SaidDialect, feedback: readonly Feedback[]): Rule<readonly FeedbackFate[]> {
  const { look, add } = feedbackSql(dialect);
  const { keyOf, toStored, goneKey, userKey, isHashed } = dialect;
  const fates: FeedbackFate[] = [];
  for (const one of feedback) {
    const { conversationId, id, user } = one;
    const key = keyOf(conversationId);
    const gone = goneKey(conversationId);
    const forgotten = user === undefined ? gone : userKey(user);
    const [found] = yield* rows<Found>(look, [key, gone, forgotten, toStored(id)]);
    const refused = found && refusalOf(found);
    if (refused !== undefined) {
      fates.push(refused);
      continue;
    }
    const texts = [toStored(conversationId), toStored(id), toStored(writeFeedback(one))];
    const by = user === undefined ? null : toStored(user);
    const written = yield* change(add, [gone, ...texts, by, Date.now(), ...(isHashed ? [key] : [])]);
    if (written === 0) fates.push('known');
    else fates.push(found !== undefined && isTrue(found.there) ? 'kept' : 'waiting');
  }
  return fates;
}

interface Found {
  readonly there: boolean | number;
  readonly gone: boolean | number;
  readonly known: boolean | number;
  readonly count: number;
}

function refusalOf({ gone, known, count }: Found): FeedbackFate | undefined {
  if (isTrue(gone)) return 'gone';
  if (isTrue(known)) return 'known';
  return count >= FEEDBACK_LIMITS.perConversation ? 'too_many' : undefined;
}

function feedbackSql({ key, isHashed }: Dialect): { readonly look: Statement; readonly add: Statement } {
  const head = `FROM conversations WHERE ${key} = ?1`;
  return {
    look: {
      name: 'look-for-feedback',
      sql: `SELECT EXISTS (SELECT 1 ${head} AND first_closed_at IS NOT NULL) AS there,
        EXISTS (SELECT 1 FROM forgotten WHERE key = ?2 OR key = ?3)
          OR (EXISTS (SELECT 1 FROM gone_conversations WHERE key = ?2) AND NOT EXISTS (SELECT 1 ${head})) AS gone,
        EXISTS (SELECT 1 FROM feedback WHERE ${key} = ?1 AND id = ?4) AS known,
        (SELECT count(*) FROM feedback WHERE ${key} = ?1) AS count`,
    },
    // Nothing about a forgotten conversation is written.
    add: {
      name: 'put-feedback',
      sql: `INSERT INTO feedback (conversation_id, id, body, user_id, put_at${isHashed ? `, ${key}` : ''})
        SELECT ?2, ?3, ?4, ?5, ?6${isHashed ? ', ?7' : ''}
        WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE key = ?1) ON CONFLICT DO NOTHING`,
    },
  };
}

/** The rows with the same conversations and ids, in the order of what was given; undefined where there is none. */
export function* storedFeedback(dialect: Dialect, feedback: readonly Feedback[]): Rule<readonly StoredFeedback[]> {
  const { key, keyOf, among, fromStored } = dialect;
  const keys = [...new Set(feedback.map(({ conversationId }) => keyOf(conversationId)))];
  const sql = `SELECT conversation_id, id, body FROM feedback WHERE ${among(key)}`;
  type Row = { readonly conversation_id: string; readonly id: string; readonly body: string };
  const found = yield* rows<Row>({ name: 'stored-feedback', sql }, [keys]);
  const nameOf = (conversationId: string, id: string) => JSON.stringify([conversationId, id]);
  const bodies = new Map(
    found.map((row) => [nameOf(fromStored(row.conversation_id), fromStored(row.id)), fromStored(row.body)]),
  );
  return feedback.map(({ conversationId, id }) => {
    const body = bodies.get(nameOf(conversationId, id));
    return body === undefined ? undefined : readFeedback(conversationId, body);
  });
}

/** Has them evaluated again, if they were scored. */
export function lookAgain(dialect: Dialect, conversations: readonly string[]): Rule<number> {
  const { key, keyOf, among, askAgain } = dialect;
  const sql = `INSERT INTO revisits (conversation) SELECT id FROM conversations WHERE ${among(key)} ORDER BY id
    ON CONFLICT (conversation) DO UPDATE SET ${askAgain}`;
  return change({ name: 'look-again', sql }, [conversations.map(keyOf)]);
}
