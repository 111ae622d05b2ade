/**
 * Filing: what a lane has closed is written down with its bytes, and queued. One transaction, in this order:
 *
 *   fence     the lane's time and positions move, if its epoch is still the owner's
 *   look up   in which conversations these traces have been filed before, and which of those that are named are known
 *   heads     are made for the others; whoever makes the same at the same time waits for the first to commit
 *   rows      the arrivals, the queue's entries, and what is open (`open-turns.ts`)
 *
 * Nothing here waits for those that score: they change heads, and this only adds some. Meanwhile, housekeeping must not
 * delete, as too old, a head that was found: a lock that all filers share keeps it out.
 *
 * No arrival is queued at a time that the cluster has passed. Lanes see to that; where a lane was added later and lags
 * behind, what comes from it counts as arriving now, so that the order of time holds for everybody who scores.
 */
import { conversationHash } from '../../model/conversation-id.ts';
import { syntheticConversationId, type TraceId } from '../../model/ids.ts';
import { type FiledArrival, FencedError, type Filing, type FilingStore } from '../cluster-store.ts';
import { lockKey } from './advisory-locks.ts';
import { BinaryRows } from './binary-copy.ts';
import type { ContentCache } from './content-cache.ts';
import { dayOf, type FilingDays } from './days.ts';
import { CommitUnknown, StoreUnreachable } from './errors.ts';
import { encodeFiledKeys } from './filed-keys.ts';
import { fileOpenTurns } from './open-turns.ts';
import { furthest, type LaneState, type LaneRows, wasFiled } from './lanes.ts';
import type { Link } from './link.ts';
import { fromUuid, textKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { toStorable } from './storable-text.ts';
import { addArrival, ARRIVALS } from './trace-copy.ts';

const ID_BLOCK = 1024;
const BEGIN = `BEGIN; SELECT pg_advisory_xact_lock_shared(${lockKey('filing')})`;

/** An arrival with all that was found out about it. */
interface Placed {
  readonly arrival: FiledArrival;
  readonly lane: LaneState;
  readonly conversation: number;
  /** Conversations in which this trace has been filed as well. */
  readonly others: readonly number[];
  readonly keys: Buffer | undefined;
}

interface Written {
  readonly filed: readonly (readonly [id: number, arrival: FiledArrival])[];
  readonly pruned: readonly FiledArrival[];
}

/** Earlier arrivals of a trace. */
interface Earlier {
  readonly conversations: Set<number>;
  keys: Buffer | undefined;
}

export class FilingRows implements FilingStore {
  readonly #link: Link;
  readonly #lanes: LaneRows;
  readonly #days: FilingDays;
  readonly #cache: ContentCache;
  readonly #home: () => number;
  readonly #reopenMs: number;
  readonly #leaseMs: number;
  /** Unused ones, the next at the end. */
  readonly #ids: number[] = [];
  /** As the last filing saw it. Before the first, keys too many are better than many left for later. */
  #wantsKeys = true;

  constructor(options: {
    readonly link: Link;
    readonly lanes: LaneRows;
    readonly days: FilingDays;
    readonly cache: ContentCache;
    readonly home: () => number;
    readonly reopenMs: number;
    readonly leaseMs: number;
  }) {
    this.#link = options.link;
    this.#lanes = options.lanes;
    this.#days = options.days;
    this.#cache = options.cache;
    this.#home = options.home;
    this.#reopenMs = options.reopenMs;
    this.#leaseMs = options.leaseMs;
  }

  get wantsKeys(): boolean {
    return this.#wantsKeys;
  }

  async file(filings: readonly Filing[]): Promise<readonly FiledArrival[]> {
    if (filings.length === 0) return [];
    const states = filings.map(({ lane }) => this.#lanes.stateOf(lane));
    let written: Written = { filed: [], pruned: [] };
    for (let done = false; !done; ) {
      try {
        written = await this.#link.transaction((session) => this.#write(session, filings, states), { begin: BEGIN });
        done = true;
      } catch (error) {
        // The day that we took for begun may have gone with the transaction.
        this.#days.forget();
        if (!(error instanceof CommitUnknown)) throw error;
        done = await this.#wasFiled(filings, states);
      }
    }
    for (const [index, state] of states.entries()) {
      state.filings += 1;
      state.time = Math.max(state.time, filings[index]?.time ?? 0);
      state.positions = furthest(state.positions, filings[index]?.positions ?? {});
    }
    for (const [id, arrival] of written.filed) this.#cache.put(id, arrival);
    return written.pruned;
  }

  /** Asks until there is an answer, or nothing can be lost by giving up: then the lanes must be owned again, which tells their positions. */
  async #wasFiled(filings: readonly Filing[], states: readonly LaneState[]): Promise<boolean> {
    const until = Date.now() + 2 * this.#leaseMs;
    for (;;) {
      try {
        return await wasFiled(this.#link, states);
      } catch (error) {
        if (error instanceof StoreUnreachable && Date.now() < until) continue;
        for (const { lane } of filings) this.#lanes.forget(lane);
        throw new FencedError('what was filed last may have been stored or not: own the lanes again', { cause: error });
      }
    }
  }

  async #write(session: Session, filings: readonly Filing[], states: readonly LaneState[]): Promise<Written> {
    const day = dayOf(Date.now());
    await this.#days.begin(session, day);
    const { clusterTime, hasEvidence, hasPruned } = await fence(session, filings, states);
    this.#wantsKeys = hasEvidence;
    const arrivals = filings.flatMap(({ arrivals }, index) =>
      arrivals.map((arrival) => ({ arrival, lane: states[index] as LaneState })),
    );
    const naming = filings.flatMap((filing) => filing.naming ?? []);
    await fileOpenTurns(session, { closed: arrivals.map(({ arrival }) => arrival.traceId), naming });
    if (arrivals.length === 0) return { filed: [], pruned: [] };
    const { placed, pruned } = await this.#place(session, arrivals, { day, hasPruned });
    await this.#reserveIds(session, placed.length);
    const filed: (readonly [number, FiledArrival])[] = [];
    const rows = new BinaryRows();
    const queue = new BinaryRows();
    for (const { arrival, lane, conversation, others, keys } of placed) {
      const id = this.#nextId();
      filed.push([id, arrival]);
      const closedAt = Math.max(arrival.closedAt, clusterTime + 1);
      const { traceId, cause, spans, content } = arrival;
      const positions = JSON.stringify(arrival.positions);
      const place = { day, id, traceId, head: conversation, lane: lane.id };
      addArrival(rows, { ...place, positions, closedAt, cause, spans, keys, content });
      queue.row(12).int2(this.#home()).int8(conversation).int8(closedAt).int4(day).int8(id).uuid(traceId);
      queue.int4(content.traces.length + (content.logs?.length ?? 0));
      queue
        .bool(arrival.needsNoHistory === true)
        .bool(arrival.conversationId !== undefined)
        .bytes(keys);
      queue.bytes(others.length === 0 ? undefined : Buffer.from(JSON.stringify(others)));
      queue.int8(namedAt(arrival));
    }
    await session.copy(ARRIVALS, rows);
    await session.copy(`pending (${PENDING_COLUMNS})`, queue);
    return { filed, pruned };
  }

  /** Finds or makes the conversation of each arrival, except of those whose trace was deleted or whose conversation was forgotten. */
  async #place(
    session: Session,
    all: readonly { readonly arrival: FiledArrival; readonly lane: LaneState }[],
    { day, hasPruned }: { readonly day: number; readonly hasPruned: boolean },
  ): Promise<{ readonly placed: readonly Placed[]; readonly pruned: readonly FiledArrival[] }> {
    const traceIds = [...new Set(all.map(({ arrival }) => arrival.traceId))];
    // Most stores remember none.
    const deleted = hasPruned ? await session.rows<{ key: string }>(PRUNED, [traceIds]) : [];
    const gone = new Set<string>(deleted.map(({ key }) => fromUuid(key)));
    if (hasPruned) for (const traceId of await forgottenIn(session, all)) gone.add(traceId);
    const pruned = all.filter(({ arrival }) => gone.has(arrival.traceId)).map(({ arrival }) => arrival);
    const arrivals = all.filter(({ arrival }) => !gone.has(arrival.traceId));
    if (arrivals.length === 0) return { placed: [], pruned };
    const since = arrivals.reduce((least, { arrival }) => Math.min(least, arrival.closedAt), Infinity) - this.#reopenMs;
    const named = new Map<string, string>();
    for (const { arrival } of arrivals) {
      if (arrival.conversationId !== undefined) named.set(textKey(arrival.conversationId), arrival.conversationId);
    }
    const found = await session.rows<{ key: string; conversation: number; arrival: boolean; keys: Buffer | null }>(
      LOOK_UP,
      [[...new Set(arrivals.map(({ arrival }) => arrival.traceId))], this.#days.firstOf(since), [...named.keys()]],
    );
    const heads = new Map<string, number>();
    const earlier = new Map<string, Earlier>();
    for (const row of found) {
      const key = fromUuid(row.key);
      if (row.arrival) noteEarlier(earlier, key, row.conversation, row.keys ?? undefined);
      else heads.set(key, row.conversation);
    }
    const missing = new Map([...named].filter(([key]) => !heads.has(key)));
    for (const { arrival } of arrivals) {
      if (arrival.conversationId !== undefined || earlier.has(arrival.traceId)) continue;
      const id = syntheticConversationId(arrival.traceId);
      missing.set(textKey(id), id);
    }
    for (const [key, id] of await makeHeads(session, missing, { day, home: this.#home() })) heads.set(key, id);
    const placed = arrivals.map(({ arrival, lane }) => {
      const known = earlier.get(arrival.traceId);
      const conversation =
        arrival.conversationId === undefined
          ? ([...(known?.conversations ?? [])][0] ?? heads.get(textKey(syntheticConversationId(arrival.traceId))))
          : heads.get(textKey(arrival.conversationId));
      if (conversation === undefined) throw new Error(`store: no conversation was found for trace ${arrival.traceId}`);
      const others = [...(known?.conversations ?? [])].filter((other) => other !== conversation);
      // Earlier keys of the trace still apply, because the engine will read all of it.
      const keys = joined(known?.keys, encodeFiledKeys(arrival));
      noteEarlier(earlier, arrival.traceId, conversation, keys);
      return { arrival, lane, conversation, others, keys };
    });
    return { placed, pruned };
  }

  /** Numbers come in blocks, which other instances have others of. */
  async #reserveIds(session: Session, count: number): Promise<void> {
    const blocks = Math.ceil((count - this.#ids.length) / ID_BLOCK);
    if (blocks <= 0) return;
    for (const { id } of await session.rows<{ id: number }>(NEXT_BLOCKS, [blocks])) {
      for (let offset = ID_BLOCK - 1; offset >= 0; offset -= 1) this.#ids.push(id + offset);
    }
  }

  #nextId(): number {
    const id = this.#ids.pop();
    if (id === undefined) throw new Error('store: too few numbers for arrivals were reserved');
    return id;
  }
}

interface Fenced {
  readonly clusterTime: number;
  /** Anything is kept that named conversations are compared with. */
  readonly hasEvidence: boolean;
  /** Traces were deleted, or conversations forgotten, of which spans may still come. */
  readonly hasPruned: boolean;
}

/** Throws where a lane has another owner. */
async function fence(session: Session, filings: readonly Filing[], states: readonly LaneState[]): Promise<Fenced> {
  const rows = await session.rows<Fenced & { id: number }>(FENCE, [
    states.map(({ id }) => id),
    states.map(({ epoch }) => epoch),
    states.map(({ filings: done }) => done),
    filings.map(({ time }) => time),
    filings.map(({ positions }, index) => JSON.stringify(furthest(states[index]?.positions ?? {}, positions))),
  ]);
  const passed = new Set(rows.map(({ id }) => id));
  const refused = filings.filter((_, index) => !passed.has(states[index]?.id ?? -1)).map(({ lane }) => lane.lane);
  if (refused.length > 0) throw new FencedError(`lanes ${refused.join(', ')} have another owner: nothing was filed`);
  return rows[0] ?? { clusterTime: 0, hasEvidence: true, hasPruned: true };
}

/** When the arrival's spans named its conversation first. Where dialects infer the id from what was said, nobody has noted that. */
function namedAt({ conversationId, named = [] }: FiledArrival): number | undefined {
  if (conversationId === undefined || named.length === 0) return undefined;
  const hash = conversationHash(conversationId);
  return named.find(({ conversation }) => conversation === hash)?.at;
}

async function makeHeads(
  session: Session,
  missing: ReadonlyMap<string, string>,
  { day, home }: { readonly day: number; readonly home: number },
): Promise<ReadonlyMap<string, number>> {
  const made = new Map<string, number>();
  if (missing.size === 0) return made;
  // In one order, so that two who make the same ones wait for each other in one direction only.
  const keys = [...missing.keys()].sort();
  const ids = keys.map((key) => toStorable(missing.get(key) ?? ''));
  const rows = await session.rows<{ key: string; id: number }>(MAKE_HEADS, [keys, ids, day, Date.now(), home]);
  for (const { key, id } of rows) made.set(fromUuid(key), id);
  const others = keys.filter((key) => !made.has(key));
  if (others.length === 0) return made;
  for (const { key, id } of await session.rows<{ key: string; id: number }>(FIND_HEADS, [others])) {
    made.set(fromUuid(key), id);
  }
  return made;
}

/** Traces of conversations that were forgotten; later spans of them will be known by these. */
async function forgottenIn(
  session: Session,
  all: readonly { readonly arrival: FiledArrival }[],
): Promise<readonly TraceId[]> {
  const keys = new Map(
    all.flatMap(({ arrival: { traceId, conversationId } }) =>
      conversationId === undefined ? [] : [[traceId, textKey(conversationId)] as const],
    ),
  );
  if (keys.size === 0) return [];
  const found = await session.rows<{ key: string }>(FORGOTTEN, [[...new Set(keys.values())]]);
  const forgotten = new Set(found.map(({ key }) => fromUuid(key)));
  const traceIds = [...keys].filter(([, key]) => forgotten.has(key)).map(([traceId]) => traceId);
  if (traceIds.length > 0) await session.run(REMEMBER, [traceIds]);
  return traceIds;
}

function noteEarlier(
  earlier: Map<string, Earlier>,
  traceId: TraceId | string,
  conversation: number,
  keys: Buffer | undefined,
): void {
  const known = earlier.get(traceId);
  if (known === undefined) {
    earlier.set(traceId, { conversations: new Set([conversation]), keys });
    return;
  }
  known.conversations.add(conversation);
  known.keys = joined(known.keys, keys);
}

function joined(a: Buffer | undefined, b: Buffer | undefined): Buffer | undefined {
  if (a === undefined || b === undefined || a.equals(b)) return a ?? b;
  return Buffer.concat([a, b]);
}

const PENDING_COLUMNS =
  'home, conversation, closed_at, day, arrival, trace_id, bytes, stands_alone, is_named, keys, others, named_at';

const FENCE = {
  name: 'fence-lanes',
  sql: `UPDATE lanes SET filings = filings + 1, log_time = greatest(log_time, f.time), positions = f.positions
    FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS f (id, epoch, done, time, positions)
    WHERE lanes.id = f.id AND lanes.epoch = f.epoch AND lanes.filings = f.done
    RETURNING lanes.id, (SELECT coalesce(log_time, -1) FROM cluster) AS "clusterTime",
      EXISTS (SELECT FROM evidence) AS "hasEvidence", EXISTS (SELECT FROM pruned_traces) OR EXISTS (SELECT FROM forgotten) AS "hasPruned"`,
};
const LOOK_UP = {
  name: 'look-up-filed',
  sql: `SELECT trace_id AS key, conversation, true AS arrival, keys FROM arrivals a WHERE trace_id = ANY($1::uuid[]) AND day >= $2
      AND EXISTS (SELECT 1 FROM conversations c WHERE c.id = a.conversation)
    UNION ALL SELECT key, id, false, NULL FROM conversations WHERE key = ANY($3::uuid[])`,
};
const PRUNED = {
  name: 'look-up-pruned',
  sql: 'SELECT trace_id AS key FROM pruned_traces WHERE trace_id = ANY($1::uuid[])',
};
const FORGOTTEN = { name: 'look-up-forgotten', sql: 'SELECT key FROM forgotten WHERE key = ANY($1::uuid[])' };
const REMEMBER = {
  name: 'remember-forgotten',
  sql: `INSERT INTO pruned_traces (trace_id, closed_at)
    SELECT unnest($1::uuid[]), (SELECT coalesce(log_time, 0) FROM cluster) ON CONFLICT (trace_id) DO NOTHING`,
};
const MAKE_HEADS = {
  name: 'make-heads',
  sql: `INSERT INTO conversations (key, conversation_id, first_day, updated_at, home)
    SELECT k, c, $3, $4, $5 FROM unnest($1::uuid[], $2::text[]) AS n (k, c) ORDER BY k
    ON CONFLICT (key) DO NOTHING RETURNING key, id`,
};
const FIND_HEADS = { name: 'find-heads', sql: 'SELECT key, id FROM conversations WHERE key = ANY($1::uuid[])' };
const NEXT_BLOCKS = {
  name: 'next-arrival-ids',
  sql: `SELECT nextval('arrival_ids') AS id FROM generate_series(1, $1::int)`,
};
