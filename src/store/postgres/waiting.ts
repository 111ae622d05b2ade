/**
 * Evaluations that wait for verdicts on the shared store, and the questions they wait for. Unlike on one machine, an answer that is there
 * already is not found at the first evaluation: the engine is done before its keys are known. The evaluation is then asked for again at once.
 */
import { type Evaluation, OUTCOMES, type Outcome, type SuiteScope } from '../../model/evaluation.ts';
import type { ConversationId, TraceId, TurnId } from '../../model/ids.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import type { Labels, WaitingEvaluation } from '../engine-store.ts';
import { fromSuiteKey, isShadowKey, suiteKey } from '../../model/suite-key.ts';
import type { WaitsOf } from '../rules/evaluations.ts';
import { noteAsked, waitFor } from '../rules/questions.ts';
import { change, type Rule, rows } from '../sql.ts';
import { decodeVerdicts, encodeVerdicts } from '../verdict-codec.ts';
import { lockKey } from './advisory-locks.ts';
import { DIALECT } from './dialect.ts';
import { runOn } from './postgres-sql.ts';
import { fromUuid } from './row-keys.ts';
import type { StoredWaiting } from './loaded.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';
import type { WorkingSet } from './working-set.ts';

/** As a column holds it: what is looked up by has a column of its own. */
interface Body {
  readonly suiteVersion: string;
  readonly scope: SuiteScope;
  readonly revision: number;
  readonly score: number | null;
  readonly outcome: Outcome;
  readonly because?: string | undefined;
  readonly explanation: string;
  readonly verdicts: string;
  readonly waitsFor: readonly string[];
  readonly labels: Labels;
  readonly counted: readonly string[];
}

interface Row {
  readonly id: number;
  readonly conversation: number;
  readonly trace_id: string | null;
  readonly turn_id: string;
  readonly suite: string;
  readonly body: string;
}

export async function loadWaiting(session: Session, conversations: readonly number[]): Promise<StoredWaiting[]> {
  if (conversations.length === 0) return [];
  const rows = await session.rows<Row>(LOAD, [conversations]);
  const waits = await session.rows<{ waiter: number; key: Buffer; outcome: string | null }>(LOAD_WAITS, [
    rows.map(({ id }) => id),
  ]);
  const byWaiter = Map.groupBy(waits, ({ waiter }) => waiter);
  return rows.map((row) => {
    const own = byWaiter.get(row.id) ?? [];
    // The casts hold because `writeWaiting` and whoever ended the question wrote the texts.
    const outcomes = own.flatMap(({ key, outcome }) =>
      outcome === null ? [] : [[key.toString('hex'), JSON.parse(outcome) as JudgeOutcome] as const],
    );
    const { labels, counted } = JSON.parse(row.body) as Body;
    return {
      waiter: row.id,
      conversation: row.conversation,
      traceId: row.trace_id === null ? undefined : (fromUuid(row.trace_id) as TraceId),
      evaluation: evaluationOf(row, '' as ConversationId),
      labels,
      counted,
      outcomes: new Map(outcomes),
      isAnswered: outcomes.length === own.length,
    };
  });
}

/** For whoever reads the store. */
export function* readWaiting(
  conversations: readonly WaitsOf[],
  of: 'live' | 'shadow',
): Rule<readonly { readonly row: number; readonly waiting: Evaluation }[]> {
  const ids = new Map(conversations.map(({ row, conversationId }) => [row, conversationId]));
  const found = yield* rows<Row>(LOAD, [[...ids.keys()]]);
  return found
    .filter(({ suite }) => isShadowKey(suite) === (of === 'shadow'))
    .toSorted((a, b) => a.id - b.id)
    .flatMap((row) => {
      const id = ids.get(row.conversation);
      return id === undefined ? [] : [{ row: row.conversation, waiting: evaluationOf(row, id) }];
    });
}

/** Gives the judges of requests that cost nothing, each as often as it does: others wait for the answer, or it is there. */
export async function writeWaiting(session: Session, set: WorkingSet, now: number): Promise<readonly string[]> {
  const { dropped, added } = set.waiting;
  if (dropped.length > 0) {
    await session.run(DROP_WAITS, [dropped]);
    await session.run(DROP, [dropped]);
  }
  const reused: string[] = [];
  if (added.length > 0) await session.run(KEEP_QUESTIONS);
  for (const { waiting } of added) {
    const { place, evaluation, requests } = waiting;
    const head = set.heads.idOf(place.conversation);
    const [row] = await session.rows<{ id: number }>(PUT, [
      head,
      set.traces.idAt(place.trace) ?? null,
      evaluation.turnId ?? '',
      toStorable(suiteKey(evaluation)),
      JSON.stringify(bodyOf(waiting)),
    ]);
    if (row === undefined) throw new Error('store: an evaluation that waits was not written');
    const free = await runOn(session, waitFor(DIALECT, row.id, requests, now));
    reused.push(...free.map(({ judge }) => judge));
    await runOn(session, noteAsked({ conversation: head, waiter: row.id }));
    await session.run(REVISIT_IF_ANSWERED, [[row.id]]);
  }
  return reused;
}

/** Questions have ended: evaluations that wait for nothing else are re-evaluated. In the transaction that ends them. */
export function* reviseAnswered(questions: readonly number[]): Rule<void> {
  const waiters = yield* rows<{ waiter: number }>(WAITERS_OF, [questions]);
  if (waiters.length > 0) yield* change(REVISIT_IF_ANSWERED, [waiters.map(({ waiter }) => waiter)]);
}

function bodyOf({ evaluation, place, counted }: WaitingEvaluation): Body {
  const { suiteVersion, scope, revision, score, outcome, because, explanation, waitsFor = [] } = evaluation;
  return {
    suiteVersion,
    scope,
    revision,
    score: score ?? null,
    outcome,
    because,
    explanation,
    verdicts: encodeVerdicts(evaluation),
    waitsFor,
    labels: place.labels,
    counted,
  };
}

function evaluationOf(row: Row, conversationId: ConversationId): Evaluation {
  // The cast holds because `writeWaiting` wrote the text.
  const { suiteVersion, scope, revision, score, outcome, because, explanation, verdicts, waitsFor } = JSON.parse(
    row.body,
  ) as Body;
  if (!OUTCOMES.includes(outcome)) throw new Error(`store: ${outcome} is not an outcome`);
  return {
    conversationId,
    // The cast is the brand: it was a turn's id when it was written.
    turnId: row.turn_id === '' ? undefined : (row.turn_id as TurnId),
    ...fromSuiteKey(fromStorable(row.suite)),
    suiteVersion,
    scope,
    revision,
    score: score ?? undefined,
    outcome,
    because,
    explanation,
    ...decodeVerdicts(verdicts),
    waitsFor,
  };
}

/** Nobody forgets a question between our finding it and our waiting for it (`questions.ts`). */
export const KEEP_QUESTIONS = {
  name: 'keep-questions',
  sql: `SELECT pg_advisory_xact_lock_shared(${lockKey('questions')})`,
};
const LOAD = {
  name: 'load-waiting',
  sql: 'SELECT id, conversation, trace_id, turn_id, suite, body FROM waiting_evaluations WHERE conversation = ANY($1::bigint[])',
};
const LOAD_WAITS = {
  name: 'load-waits',
  sql: 'SELECT w.waiter, q.key, q.outcome FROM judge_waits w JOIN questions q ON q.id = w.question WHERE w.waiter = ANY($1::bigint[])',
};
const PUT = {
  name: 'put-waiting',
  sql: `INSERT INTO waiting_evaluations (conversation, trace_id, turn_id, suite, body) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (conversation, suite, turn_id) DO UPDATE SET trace_id = excluded.trace_id, body = excluded.body RETURNING id`,
};
const DROP = { name: 'drop-waiting', sql: 'DELETE FROM waiting_evaluations WHERE id = ANY($1::bigint[])' };
const DROP_WAITS = { name: 'drop-waits', sql: 'DELETE FROM judge_waits WHERE waiter = ANY($1::bigint[])' };
const WAITERS_OF = {
  name: 'waiters-of',
  sql: 'SELECT DISTINCT waiter FROM judge_waits WHERE question = ANY($1::bigint[])',
};
const REVISIT_IF_ANSWERED = {
  name: 'revisit-if-answered',
  sql: `INSERT INTO revisits (conversation)
    SELECT DISTINCT w.conversation FROM waiting_evaluations w WHERE w.id = ANY($1::bigint[]) AND NOT EXISTS (
      SELECT 1 FROM judge_waits j JOIN questions q ON q.id = j.question WHERE j.waiter = w.id AND q.outcome IS NULL)
    ON CONFLICT (conversation) DO UPDATE SET number = excluded.number, due_at = 0`,
};
