/**
 * Files what lanes have closed: gives all that has come by now to the store in one transaction.
 *
 *   waiting --> in a transaction --> filed                       (answered)
 *                                --> fenced: another has the lane (answered; the other files it)
 *                                --> failed: the store is away    (tried again until it is back)
 *           --> unreadable: the bytes of a turn can't be had here    (nothing of its lane is filed; it is read again from Kafka)
 */
import type { TraceId } from '../../model/ids.ts';
import type { ArrivalUnderstanding } from './arrival-understanding.ts';
import {
  type FiledArrival,
  FencedError,
  type Filing,
  type FilingStore,
  type LanePositions,
  type NamingTurn,
  type OwnedLane,
} from '../../store/cluster-store.ts';
import type { OrderedCommand } from '../scoring/scoring-protocol.ts';
import type { ScoringParts, Troubles } from '../scoring/scoring-side.ts';

interface FilerParts {
  readonly store: FilingStore;
  readonly understanding: Pick<ArrivalUnderstanding, 'understand'>;
  readonly post: ScoringParts['post'];
  readonly troubles: Troubles;
  readonly pause: () => Promise<void>;
}

interface LaneFiling {
  readonly lane: OwnedLane;
  time: number;
  positions: LanePositions;
  readonly arrivals: FiledArrival[];
  /** Turns by trace. */
  readonly naming: Map<TraceId, NamingTurn[]>;
}

const COMMANDS_MAX = 256;
const BYTES_MAX = 32 << 20;
/** Bytes of spans in a batch that are kept understood while it is filed; understood, they take several times as much memory. */
const UNDERSTOOD_BYTES_MAX = 8 << 20;

export class LaneFiler {
  readonly #parts: FilerParts;
  /** Lanes whose bytes are lost, by number and epoch: they are owned again under another epoch. */
  readonly #lost = new Set<string>();

  constructor(parts: FilerParts) {
    this.#parts = parts;
  }

  /** Takes the first of what waits; it is filed when this resolves. If this rejects, all of it still waits. */
  async fileNext(waiting: OrderedCommand[]): Promise<void> {
    const startedAt = performance.now();
    const batch = firstOf(waiting);
    const last = batch.at(-1);
    if (last === undefined) return;
    const { filings, unreadable } = this.#filingsOf(batch);
    const refused = [...unreadable, ...(await this.#file(filings))];
    waiting.splice(0, batch.length);
    const arrivals = filings.reduce((sum, filing) => sum + filing.arrivals.length, 0);
    const { post } = this.#parts;
    post({ type: 'done', sequence: last.sequence, refused });
    const tookMs = performance.now() - startedAt;
    if (arrivals > 0) post({ type: 'events', events: [{ type: 'arrivals-filed', arrivals, tookMs }] });
  }

  #filingsOf(batch: readonly OrderedCommand[]): {
    readonly filings: readonly Filing[];
    readonly unreadable: readonly OwnedLane[];
  } {
    const filings = new Map<string, LaneFiling>();
    const unreadable = new Map<string, OwnedLane>();
    let understoodBytes = 0;
    for (const command of batch) {
      const { lane } = command;
      const key = `${lane.lane} ${lane.epoch}`;
      if (this.#lost.has(key)) unreadable.set(key, lane);
      if (unreadable.has(key)) continue;
      let filing = filings.get(key);
      if (filing === undefined) {
        filing = { lane, time: lane.time, positions: command.positions, arrivals: [], naming: new Map() };
        filings.set(key, filing);
      }
      filing.positions = command.positions;
      if (command.type === 'time') {
        filing.time = command.time;
        for (const turn of command.naming ?? [])
          filing.naming.set(turn.traceId, [...(filing.naming.get(turn.traceId) ?? []), turn]);
      } else if ('arrival' in command.turn) {
        filing.naming.delete(command.turn.arrival.traceId);
        const { understanding, store } = this.#parts;
        const arrival = understanding.understand(command.turn.arrival, store);
        understoodBytes += contentBytes(arrival.content);
        const turns = understoodBytes > UNDERSTOOD_BYTES_MAX ? undefined : arrival.turns;
        filing.arrivals.push({ ...arrival, turns, positions: command.positions });
      } else {
        this.#parts.troubles.said('take', 'unreadable' in command.turn ? command.turn.unreadable : 'it has no bytes');
        // The lane's time must not move past the turn, with this batch or a later one.
        this.#lost.add(key);
        unreadable.set(key, lane);
        filings.delete(key);
      }
    }
    return {
      filings: [...filings.values()].map((filing) => ({ ...filing, naming: [...filing.naming.values()].flat() })),
      unreadable: [...unreadable.values()],
    };
  }

  /** Gives the lanes that others have. */
  async #file(filings: readonly Filing[]): Promise<readonly OwnedLane[]> {
    try {
      const pruned = await this.#whenever(() => this.#parts.store.file(filings));
      const events = pruned.map(({ cause, spans }) => {
        return { type: 'turn-closed', cause, fate: 'pruned', rows: spans } as const;
      });
      if (events.length > 0) this.#parts.post({ type: 'events', events });
      return [];
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      if (filings.length === 1) return filings.map(({ lane }) => lane);
    }
    // One of the lanes has been lost and none was filed: each is tried by itself, to see which.
    const fenced: OwnedLane[] = [];
    for (const filing of filings) fenced.push(...(await this.#file([filing])));
    return fenced;
  }

  async #whenever<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof FencedError) throw error;
        this.#parts.troubles.said('take', error);
        await this.#parts.pause();
      }
    }
  }
}

/** A transaction holds the bytes of its turns in memory. */
function firstOf(waiting: readonly OrderedCommand[]): OrderedCommand[] {
  let bytes = 0;
  let count = 0;
  for (const command of waiting) {
    if (count > 0 && (count >= COMMANDS_MAX || bytes >= BYTES_MAX)) break;
    if (command.type === 'turn' && 'arrival' in command.turn) bytes += contentBytes(command.turn.arrival.content);
    count += 1;
  }
  return waiting.slice(0, count);
}

function contentBytes({ traces, logs }: FiledArrival['content']): number {
  return traces.length + (logs?.length ?? 0);
}
