/**
 * Loading what the engine will ask for of the conversations that were taken: with a few statements for all of them, and no more of each than
 * it takes. A conversation that goes on needs little but its head; one that may be scored is loaded whole.
 */
import { ENDINGS } from '../../model/ending.ts';
import { readCloseCause } from '../../model/causes.ts';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import { namesOf } from '../column.ts';
import { decodeContent } from '../content-codec.ts';
import type { Labels, TraceContent } from '../engine-store.ts';
import { outcomeAt, SEEN_COLUMNS, seenFrom } from '../evaluation-columns.ts';
import { decodeVerdicts } from '../verdict-codec.ts';
import type { Claim, ClaimedHead, Unit } from './claim.ts';
import type { CachedArrival, ContentCache } from './content-cache.ts';
import { dayOf } from './days.ts';
import type { LoadedArrival, LoadedSet, LoadedTrace } from './loaded.ts';
import { OpenTurns } from './open-turns.ts';
import { fromUuid } from './row-keys.ts';
import type { Session } from './session.ts';
import { fromStorable } from './storable-text.ts';
import { loadWaiting } from './waiting.ts';

export interface Loaded extends LoadedSet {
  /** Places of the queue's entries, to be deleted when the arrivals have been scored. */
  readonly entries: readonly string[];
  /** By conversation, the instance that filed last. */
  readonly homes: ReadonlyMap<number, number>;
}

interface Waiting {
  readonly conversation: number;
  readonly closedAt: number;
  readonly day: number;
  readonly arrival: number;
  readonly traceId: TraceId;
  readonly bytes: number;
  readonly needsNoHistory: boolean;
  readonly isNamed: boolean;
  readonly home: number;
  readonly entry: string;
}

interface TraceRow extends Omit<LoadedTrace, 'content'> {
  readonly isOwn: boolean;
  readonly bytes: number;
}

interface LoadingOptions {
  readonly bytesMax: number;
  /** The shortest time after which a conversation is idle, as far as is known. */
  readonly idleMs: number;
  /** Conversations to be loaded whole, whatever is thought of them. */
  readonly whole: ReadonlySet<number>;
  readonly cache: ContentCache;
}

export async function load(session: Session, claimed: Claim, options: LoadingOptions): Promise<Loaded> {
  const all = claimed.units.flatMap(({ heads }) => heads);
  const rows = await session.rows<Waiting>(WAITING, [all.map(({ id }) => id), claimed.time]);
  const waiting = Map.groupBy(
    rows.map((row) => ({ ...row, traceId: toTraceId(row.traceId) })),
    ({ conversation }) => conversation,
  );
  const { units, time } = within(claimed, waiting, options.bytesMax);
  const looked = units.flatMap((unit) => unit.heads);
  const candidates = looked.flatMap(({ id }) => waiting.get(id) ?? []).filter(({ closedAt }) => closedAt <= time);
  candidates.sort(
    (a, b) =>
      a.closedAt - b.closedAt || (a.traceId < b.traceId ? -1 : a.traceId > b.traceId ? 1 : a.arrival - b.arrival),
  );
  const whole = new Set<number>();
  for (const head of looked) {
    const own = (waiting.get(head.id) ?? []).filter(({ closedAt }) => closedAt <= time);
    if (options.whole.has(head.id) || mayBeScored(head, own, time, options.idleMs)) whole.add(head.id);
  }
  const found = await loadTraces(session, looked, whole, candidates);
  const heads = withRoom(units, { waiting: candidates, traces: found, bytesMax: options.bytesMax });
  const kept = new Set(heads.map(({ id }) => id));
  const taken = candidates.filter(({ conversation }) => kept.has(conversation));
  const traces = found.filter(({ conversation }) => kept.has(conversation));
  const contents = new Contents(session, options.cache);
  await contents.load(taken, traces);
  const open = await loadOpenTurns(session, { heads, taken, traces });
  const arrivals = taken.map((one): LoadedArrival => {
    const { cause, spans, content } = contents.ofArrival(one.arrival, one.traceId);
    const { arrival: id, day, conversation, traceId, closedAt } = one;
    const turns = options.cache.takeTurns(id);
    return { id, day, conversation, traceId, closedAt, cause, spans, content, turns, openBeside: open(one) };
  });
  const known = heads.filter(isKnown);
  return {
    time,
    heads: heads.map((head) => ({ ...head, isWhole: !isKnown(head) || whole.has(head.id) })),
    traces: traces.map((trace) => ({ ...trace, content: contents.ofTrace(trace) })),
    arrivals,
    evaluations: await loadEvaluations(
      session,
      known.filter(({ id }) => whole.has(id)),
    ),
    keys: await loadKeys(
      session,
      heads.filter(({ isGrouped }) => isGrouped),
    ),
    waiting: await loadWaiting(
      session,
      heads.filter(({ waits }) => waits).map(({ id }) => id),
    ),
    entries: taken.map(({ entry }) => entry),
    homes: new Map(taken.map(({ conversation, home }) => [conversation, home])),
  };
}

/**
 * As many units as there is room for, and at least one. If that one alone is too large, it is scored up to an earlier
 * time; to stop between two instants equals having been asked earlier.
 */
function within(
  claimed: Claim,
  waiting: ReadonlyMap<number, readonly Waiting[]>,
  bytesMax: number,
): { readonly units: readonly Unit[]; readonly time: number } {
  const units: Unit[] = [];
  let bytes = 0;
  for (const unit of claimed.units) {
    const own = unit.heads.flatMap(({ id }) => waiting.get(id) ?? []);
    const mustBeLooked = unit.heads.some((head) => head.revisit !== undefined || isDue(head, claimed.time));
    // Somebody else was quicker.
    if (own.length === 0 && !mustBeLooked) continue;
    const size = own.reduce((sum, one) => sum + one.bytes, 0);
    if (units.length > 0 && bytes + size > bytesMax) break;
    units.push(unit);
    bytes += size;
    if (units.length === 1 && size > bytesMax) return { units, time: timeWithin(own, bytesMax, claimed.time) };
  }
  return { units, time: claimed.time };
}

/**
 * The first units, and at least one, whose earlier turns there is room for as well. The rest stays for the next
 * transaction.
 */
function withRoom(
  units: readonly Unit[],
  {
    waiting,
    traces,
    bytesMax,
  }: { readonly waiting: readonly Waiting[]; readonly traces: readonly TraceRow[]; readonly bytesMax: number },
): readonly ClaimedHead[] {
  const bytes = new Map<number, number>();
  for (const { conversation, bytes: size } of [...waiting, ...traces]) {
    bytes.set(conversation, (bytes.get(conversation) ?? 0) + size);
  }
  let sum = 0;
  const heads: ClaimedHead[] = [];
  for (const unit of units) {
    sum += unit.heads.reduce((size, { id }) => size + (bytes.get(id) ?? 0), 0);
    if (heads.length > 0 && sum > bytesMax) break;
    heads.push(...unit.heads);
  }
  return heads;
}

function timeWithin(waiting: readonly Waiting[], bytesMax: number, time: number): number {
  const inOrder = waiting.toSorted((a, b) => a.closedAt - b.closedAt);
  const first = inOrder[0]?.closedAt ?? time;
  let bytes = 0;
  for (const { closedAt, bytes: size } of inOrder) {
    bytes += size;
    if (bytes > bytesMax && closedAt > first) return closedAt - 1;
  }
  return time;
}

/** Too often yes costs time, too often no costs a transaction. */
function mayBeScored(head: ClaimedHead, arrivals: readonly Waiting[], time: number, idleMs: number): boolean {
  if (!isKnown(head)) return false;
  if (head.isGrouped || head.revisit !== undefined || isDue(head, time)) return true;
  // Whichever turn closes last makes it due.
  if (head.conversation.endedAt !== undefined) return true;
  return arrivals.some(({ needsNoHistory, closedAt }) => !needsNoHistory || closedAt + idleMs <= time);
}

/** Whether the engine has scored anything of it. */
function isKnown({ conversation }: ClaimedHead): boolean {
  return conversation.firstClosedAt !== undefined;
}

function isDue({ conversation: { dueAt } }: ClaimedHead, time: number): boolean {
  return dueAt !== undefined && dueAt <= time;
}

async function loadTraces(
  session: Session,
  heads: readonly ClaimedHead[],
  whole: Set<number>,
  taken: readonly Waiting[],
): Promise<readonly TraceRow[]> {
  const known = heads.filter(isKnown);
  if (known.length === 0) return [];
  const traces: TraceRow[] = [];
  for (const { ids, since } of byAge(known.filter(({ id }) => !whole.has(id)))) {
    const asked = new Set(ids);
    const pairs = taken.filter(({ conversation }) => asked.has(conversation));
    const values = [pairs.map(({ conversation }) => conversation), pairs.map(({ traceId }) => traceId), since];
    const rows = await session.rows<{ conversation: number }>(KNOWN_AMONG, values);
    // Evaluations of a redelivered turn are in the conversation's evaluations.
    for (const { conversation } of rows) whole.add(conversation);
  }
  for (const { ids, since } of byAge(known.filter(({ id }) => whole.has(id)))) {
    for (const row of await session.rows<Omit<TraceRow, 'cause'> & { cause: string }>(TRACES_OF, [ids, since])) {
      traces.push({ ...row, traceId: toTraceId(row.traceId), cause: readCloseCause(row.cause) });
    }
  }
  return traces;
}

/** The partitions that have to be looked at: for most conversations those of the last days, for an old one all. */
function byAge(heads: readonly ClaimedHead[]): readonly { readonly ids: readonly number[]; readonly since: number }[] {
  const yesterday = dayOf(Date.now()) - 1;
  const young = heads.filter(({ firstDay }) => firstDay >= yesterday);
  const old = heads.filter(({ firstDay }) => firstDay < yesterday);
  return [
    ...(young.length === 0 ? [] : [{ ids: young.map(({ id }) => id), since: yesterday }]),
    // Kept rows have a negative day.
    ...(old.length === 0 ? [] : [{ ids: old.map(({ id }) => id), since: -(2 ** 31) }]),
  ];
}

/**
 * Open turns of conversations that have ended, or may end with the taken arrivals; other conversations do not wait for
 * open turns. Late spans may end a conversation again although they have no end marker: the rest of their turn has it.
 */
async function loadOpenTurns(
  session: Session,
  {
    heads,
    taken,
    traces,
  }: {
    readonly heads: readonly ClaimedHead[];
    readonly taken: readonly Waiting[];
    readonly traces: readonly TraceRow[];
  },
): Promise<(closed: Waiting) => LoadedArrival['openBeside']> {
  const known = new Set(traces.map(({ traceId }) => traceId));
  const ending = taken.filter(({ needsNoHistory, traceId }) => !needsNoHistory || known.has(traceId));
  const mayEnd = new Set(ending.map(({ conversation }) => conversation));
  const ids = new Map<number, ConversationId>();
  for (const { id, conversation } of heads) {
    if (conversation.endedAt !== undefined || mayEnd.has(id)) ids.set(id, conversation.id);
  }
  const asked = [...ids].map(([id, conversationId]) => ({ id, conversationId }));
  const open = await OpenTurns.load(session, asked);
  return (closed) => {
    // A late part that names no conversation waits for no turn beside it, as in an instance with a store of its own.
    const conversationId = closed.isNamed ? ids.get(closed.conversation) : undefined;
    return conversationId === undefined ? [] : open.beside({ ...closed, conversationId });
  };
}

async function loadEvaluations(session: Session, heads: readonly ClaimedHead[]): Promise<LoadedSet['evaluations']> {
  interface Row {
    readonly conversation: number;
    readonly traceId: string | null;
    readonly suite: string;
    readonly turnId: string;
    readonly suiteVersion: string;
    readonly revision: number;
    readonly score: number | null;
    readonly outcome: number;
    readonly labels: string;
    readonly verdicts: string;
    readonly decided_share: number | null;
    readonly ending: number | null;
    readonly [seen: string]: unknown;
  }
  const found: LoadedSet['evaluations'][number][] = [];
  for (const { ids, since } of byAge(heads)) {
    for (const row of await session.rows<Row>(LAST_EVALUATIONS, [ids, since])) {
      found.push({
        conversation: row.conversation,
        traceId: row.traceId === null ? undefined : toTraceId(row.traceId),
        suite: fromStorable(row.suite),
        turnId: row.turnId,
        suiteVersion: fromStorable(row.suiteVersion),
        revision: row.revision,
        score: row.score ?? undefined,
        outcome: outcomeAt(row.outcome),
        // The cast holds because the writer wrote the text.
        labels: JSON.parse(row.labels) as Labels,
        decidedShare: row.decided_share ?? undefined,
        ending: ENDINGS[row.ending ?? -1],
        seen: seenFrom(SEEN.map(({ name }) => row[name])),
        // Few are asked for it.
        said: () => decodeVerdicts(row.verdicts),
      });
    }
  }
  return found;
}

async function loadKeys(session: Session, heads: readonly ClaimedHead[]): Promise<LoadedSet['keys']> {
  if (heads.length === 0) return [];
  return session.rows<LoadedSet['keys'][number]>(KEYS, [heads.map(({ id }) => id)]);
}

/** The bytes of arrivals and of traces that have some of their own. */
class Contents {
  readonly #session: Session;
  readonly #cache: ContentCache;
  readonly #arrivals = new Map<number, CachedArrival>();
  readonly #own = new Map<TraceId, TraceContent>();

  constructor(session: Session, cache: ContentCache) {
    this.#session = session;
    this.#cache = cache;
  }

  async load(waiting: readonly Waiting[], traces: readonly TraceRow[]): Promise<void> {
    const wanted = [...waiting, ...traces.filter(({ isOwn }) => !isOwn)].filter(({ arrival }) => {
      const cached = this.#cache.get(arrival);
      if (cached !== undefined) this.#arrivals.set(arrival, cached);
      return cached === undefined;
    });
    if (wanted.length > 0) {
      const values = [wanted.map(({ traceId }) => traceId), [...new Set(wanted.map(({ day }) => day))]];
      interface Row {
        readonly id: number;
        readonly cause: string;
        readonly spans: number;
        readonly traces: Buffer;
        readonly logs: Buffer | null;
      }
      for (const { id, cause, spans, ...content } of await this.#session.rows<Row>(ARRIVALS, values)) {
        this.#arrivals.set(id, { cause: readCloseCause(cause), spans, content: decoded(content) });
      }
    }
    const own = traces.filter(({ isOwn }) => isOwn);
    if (own.length === 0) return;
    const rows = await this.#session.rows<{ traceId: string; traces: Buffer; logs: Buffer | null }>(OWN, [
      own.map(({ traceId }) => traceId),
      own.map(({ conversation }) => conversation),
      own.map(({ day }) => day),
    ]);
    for (const { traceId, ...content } of rows) this.#own.set(toTraceId(traceId), decoded(content));
  }

  ofArrival(id: number, traceId: TraceId) {
    const arrival = this.#arrivals.get(id);
    if (arrival === undefined) throw new Error(`store: arrival ${id} of trace ${traceId} is not there any more`);
    return arrival;
  }

  ofTrace({
    isOwn,
    arrival,
    traceId,
  }: {
    readonly isOwn: boolean;
    readonly arrival: number;
    readonly traceId: TraceId;
  }) {
    return isOwn ? this.#own.get(traceId) : this.#arrivals.get(arrival)?.content;
  }
}

function decoded({ traces, logs }: { readonly traces: Buffer; readonly logs: Buffer | null }): TraceContent {
  return { traces: decodeContent(traces), logs: logs === null ? undefined : decodeContent(logs) };
}

/** The cast is the brand: it was a trace id when it was filed. */
function toTraceId(uuid: string): TraceId {
  return fromUuid(uuid) as TraceId;
}

const WAITING = {
  name: 'waiting',
  sql: `SELECT conversation, closed_at AS "closedAt", day, arrival, trace_id AS "traceId", bytes, stands_alone AS "needsNoHistory",
    named_at IS NOT NULL AS "isNamed", home, ctid::text AS entry FROM pending WHERE conversation = ANY($1::bigint[]) AND closed_at <= $2`,
};
const TRACE_COLUMNS = `day, conversation, trace_id AS "traceId", arrival, revision, position, first_closed_at AS "firstClosedAt",
  closed_at AS "closedAt", spans, bytes, sealed, cause, traces IS NOT NULL AS "isOwn"`;
const TRACES_OF = {
  name: 'traces-of',
  sql: `SELECT ${TRACE_COLUMNS} FROM traces WHERE conversation = ANY($1::bigint[]) AND day >= $2`,
};
/** By pairs: two lists beside each other would be looked up as all their combinations. */
const KNOWN_AMONG = {
  name: 'known-among',
  sql: `SELECT t.conversation FROM unnest($1::bigint[], $2::uuid[]) AS n (conversation, trace_id)
    JOIN traces t ON t.conversation = n.conversation AND t.trace_id = n.trace_id WHERE t.day >= $3`,
};
const SEEN = Object.values(SEEN_COLUMNS);
const LAST_EVALUATIONS = {
  name: 'last-evaluations',
  sql: `SELECT DISTINCT ON (conversation, turn_id, suite) conversation, trace_id AS "traceId", suite, turn_id AS "turnId",
    suite_version AS "suiteVersion", revision, score, outcome, labels, decided_share, ending, verdicts, ${namesOf(SEEN)}
    FROM evaluations WHERE conversation = ANY($1::bigint[]) AND day >= $2
    ORDER BY conversation, turn_id, suite, revision DESC, id DESC`,
};
const KEYS = {
  name: 'conversation-keys',
  sql: 'SELECT conversation, has, wants FROM conversation_keys WHERE conversation = ANY($1::bigint[])',
};
const ARRIVALS = {
  name: 'arrivals',
  sql: 'SELECT id, cause, spans, traces, logs FROM arrivals WHERE trace_id = ANY($1::uuid[]) AND day = ANY($2::int[])',
};
const OWN = {
  name: 'own-contents',
  sql: `SELECT t.trace_id AS "traceId", t.traces, t.logs FROM unnest($1::uuid[], $2::bigint[], $3::int[]) AS n (trace_id, conversation, day)
    JOIN traces t ON t.conversation = n.conversation AND t.trace_id = n.trace_id AND t.day = n.day`,
};
