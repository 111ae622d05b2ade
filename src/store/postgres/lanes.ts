/** The lanes, and who owns each: an owner raises the epoch, and whoever files under an older one is refused. */
import type { TraceId } from '../../model/ids.ts';
import { FencedError, type LaneName, type LanePositions, type LaneStore, type OwnedLane } from '../cluster-store.ts';
import type { FilingDays } from './days.ts';
import { dayOf } from './days.ts';
import { CommitUnknown } from './errors.ts';
import type { Link } from './link.ts';
import { fromUuid } from './row-keys.ts';
import type { Session } from './session.ts';

/** State of a lane that only its owner knows. */
export interface LaneState {
  readonly id: number;
  readonly epoch: number;
  filings: number;
  time: number;
  /** How far owners have come, this one and those before. */
  positions: LanePositions;
}

interface LaneRow {
  readonly group: string;
  readonly lane: number;
  readonly id: number;
  readonly epoch: number;
  readonly filings: number;
  readonly time: number;
  readonly positions: string;
}

export class LaneRows implements LaneStore {
  readonly #link: Link;
  readonly #topics: readonly string[];
  readonly #days: FilingDays;
  readonly #reopenMs: number;
  readonly #owned = new Map<string, LaneState>();

  constructor(
    link: Link,
    options: { readonly topics: readonly string[]; readonly days: FilingDays; readonly reopenMs: number },
  ) {
    this.#link = link;
    this.#topics = options.topics;
    this.#days = options.days;
    this.#reopenMs = options.reopenMs;
  }

  async expect(lanes: readonly LaneName[]): Promise<void> {
    const values = [lanes.map(({ group }) => group), lanes.map(({ lane }) => lane), this.#topics];
    await this.#link.use((session) => session.run(EXPECT, values));
  }

  async own(lanes: readonly LaneName[]): Promise<readonly OwnedLane[]> {
    if (lanes.length === 0) return [];
    const sorted = lanes.toSorted((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.lane - b.lane));
    await this.expect(sorted);
    const values = [sorted.map(({ group }) => group), sorted.map(({ lane }) => lane), this.#topics];
    // A lost answer costs an epoch and nothing else: whoever asks again gets the next.
    const rows = await this.#link.use((session) => session.rows<LaneRow & { position: string }>(OWN, values));
    return rows.map((row) => {
      const { group, lane, id, epoch, filings, time } = row;
      // The cast holds because `Filing` wrote the text.
      const positions = JSON.parse(row.positions) as LanePositions;
      this.#owned.set(nameOf(row), { id, epoch, filings, time, positions });
      return { group, lane, epoch, time, positions };
    });
  }

  stateOf(lane: OwnedLane): LaneState {
    const state = this.#owned.get(nameOf(lane));
    if (state === undefined || state.epoch !== lane.epoch) {
      throw new FencedError(`lane ${lane.lane} of ${lane.group} is not owned at epoch ${lane.epoch} any more`);
    }
    return state;
  }

  /** It has to be owned again before anything is filed from it. */
  forget(lane: LaneName): void {
    this.#owned.delete(nameOf(lane));
  }

  async filedPositions(lane: LaneName, traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, LanePositions>> {
    if (traceIds.length === 0) return new Map();
    const state = this.#owned.get(nameOf(lane));
    const since = (state?.time ?? 0) - this.#reopenMs;
    const rows = await this.#link.transaction(async (session: Session) => {
      await this.#days.begin(session, dayOf(Date.now()));
      return session.rows<{ traceId: string; positions: string }>(FILED, [
        traceIds,
        this.#days.firstOf(since),
        lane.group,
        lane.lane,
      ]);
    });
    const found = new Map<TraceId, LanePositions>();
    for (const row of rows) {
      // The casts hold because `Filing` wrote the id and the text.
      const traceId = fromUuid(row.traceId) as TraceId;
      found.set(traceId, furthest(found.get(traceId) ?? {}, JSON.parse(row.positions) as LanePositions));
    }
    return found;
  }
}

/**
 * Whether a filing whose commit was not answered has been done. The rows are locked, so that an answer is given only when the
 * lost transaction has come to its end one way or the other.
 */
export async function wasFiled(link: Link, lanes: readonly LaneState[]): Promise<boolean> {
  const [first] = lanes;
  if (first === undefined) return false;
  const [row] = await link.transaction((session) =>
    session.rows<{ epoch: number; filings: number }>(FILINGS_OF, [first.id]),
  );
  if (row?.epoch === first.epoch) return row.filings > first.filings;
  throw new CommitUnknown(`lane ${first.id} has another owner, and it can't be told any more what was filed from it`);
}

/** By topic the larger of both: an owner who reads again what the one before has filed is behind him at first. */
export function furthest(a: LanePositions, b: LanePositions): LanePositions {
  const positions = new Map(Object.entries(a));
  for (const [topic, position] of Object.entries(b))
    positions.set(topic, Math.max(positions.get(topic) ?? 0, position));
  return Object.fromEntries(positions);
}

function nameOf({ group, lane }: LaneName): string {
  return `${lane} ${group}`;
}

const EXPECT = {
  name: 'expect-lanes',
  sql: `INSERT INTO lanes (consumer_group, lane, topics) SELECT g, l, $3::text[] FROM unnest($1::text[], $2::int[]) AS n (g, l)
    ORDER BY g, l ON CONFLICT DO NOTHING`,
};
const OWN = {
  name: 'own-lanes',
  sql: `UPDATE lanes SET epoch = epoch + 1, topics = $3::text[]
    FROM unnest($1::text[], $2::int[]) AS n (g, l) WHERE consumer_group = g AND lane = l
    RETURNING consumer_group AS "group", lane, id, epoch, filings, log_time AS time, positions`,
};
const FILED = {
  name: 'filed-positions',
  sql: `SELECT trace_id AS "traceId", positions FROM arrivals
    WHERE trace_id = ANY($1::uuid[]) AND day >= $2 AND lane = (SELECT id FROM lanes WHERE consumer_group = $3 AND lane = $4)`,
};
const FILINGS_OF = {
  name: 'filings-of-lane',
  sql: 'SELECT epoch, filings FROM lanes WHERE id = $1 FOR UPDATE',
};
