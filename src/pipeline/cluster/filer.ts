/**
 * Files what lanes have closed: puts the bytes of each turn together, finds out to which conversation it belongs as far as it
 * says itself, and gives all that has come by now to the store in one transaction.
 *
 *   waiting --> in a transaction --> filed                       (answered)
 *                                --> fenced: another has the lane (answered; the other files it)
 *                                --> failed: the store is away    (tried again until it is back)
 *           --> unreadable: the bytes of a turn can't be had here    (nothing of its lane is filed; it is read again from Kafka)
 */
import { buildTurns } from '../../assemble/build-turns.ts';
import { evidenceOf, linksOf } from '../../assemble/conversation-evidence.ts';
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { GroupCache, mergeContent } from '../../assemble/trace-content.ts';
import { isBare, isWhole } from '../../assemble/turns/fragments.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { normalize } from '../../normalize/normalize.ts';
import {
  type Arrival,
  type ClusterStore,
  FencedError,
  type Filing,
  type LanePositions,
  type OwnedLane,
} from '../../store/cluster-store.ts';
import { namedConversationOf } from '../facts.ts';
import { bytesOf, unpackTurn } from '../messages.ts';
import type { FileCommand, TimeCommand } from './cluster-messages.ts';

export interface FilerParts {
  readonly store: Pick<ClusterStore, 'file' | 'wantsKeys'>;
  readonly read: (position: number, length: number) => Uint8Array;
  readonly idKeys: readonly string[];
  readonly onFiled: (filed: {
    readonly sequence: number;
    readonly fenced: readonly OwnedLane[];
    readonly arrivals: number;
    readonly tookMs: number;
  }) => void;
  readonly onProblem: (error: unknown) => void;
  readonly pause: () => Promise<void>;
}

interface LaneFiling {
  readonly lane: OwnedLane;
  time: number;
  positions: LanePositions;
  readonly arrivals: Arrival[];
}

const COMMANDS_MAX = 256;
const BYTES_MAX = 32 << 20;
type Identity = Pick<Arrival, 'conversationId' | 'has' | 'wants' | 'linked' | 'keysLater' | 'standsAlone'>;

const UNKNOWN: Identity = { conversationId: undefined, has: [], wants: [], linked: [], standsAlone: false };

export class Filer {
  readonly #parts: FilerParts;
  readonly #groups = new GroupCache();
  readonly #idKeys: IdKeys | undefined;

  constructor(parts: FilerParts) {
    this.#parts = parts;
    this.#idKeys = idKeysOf(parts.idKeys);
  }

  /** Takes the first of what waits; it is filed when this resolves. */
  async fileNext(waiting: (FileCommand | TimeCommand)[]): Promise<void> {
    const startedAt = performance.now();
    const batch = takeFirst(waiting);
    const last = batch.at(-1);
    if (last === undefined) return;
    const { filings, unreadable } = this.#filingsOf(batch);
    const fenced = [...unreadable, ...(await this.#file(filings))];
    const arrivals = filings.reduce((sum, filing) => sum + filing.arrivals.length, 0);
    this.#parts.onFiled({ sequence: last.sequence, fenced, arrivals, tookMs: performance.now() - startedAt });
  }

  #filingsOf(batch: readonly (FileCommand | TimeCommand)[]): {
    readonly filings: readonly Filing[];
    readonly unreadable: readonly OwnedLane[];
  } {
    const filings = new Map<string, LaneFiling>();
    const unreadable = new Map<string, OwnedLane>();
    for (const command of batch) {
      const { lane } = command;
      const key = `${lane.lane} ${lane.epoch}`;
      if (unreadable.has(key)) continue;
      let filing = filings.get(key);
      if (filing === undefined) {
        filing = { lane, time: lane.time, positions: command.positions, arrivals: [] };
        filings.set(key, filing);
      }
      filing.positions = command.positions;
      if (command.type === 'time') filing.time = command.time;
      else {
        const arrival = this.#tryArrival(command);
        if (arrival !== undefined) filing.arrivals.push(arrival);
        else {
          // Its time must not move past the turn.
          unreadable.set(key, lane);
          filings.delete(key);
        }
      }
    }
    return { filings: [...filings.values()], unreadable: [...unreadable.values()] };
  }

  #tryArrival(command: FileCommand): Arrival | undefined {
    try {
      return this.#arrivalOf(unpackTurn(command.turn), command.positions);
    } catch (error) {
      this.#parts.onProblem(error);
      return undefined;
    }
  }

  #arrivalOf(turn: ClosedTurn, positions: LanePositions): Arrival {
    const { rows, spansAreDistinct } = turn;
    const { read } = this.#parts;
    const { content, spans } = mergeContent({ rows, read, groups: this.#groups, stored: undefined, spansAreDistinct });
    const { traceId, closedAt, cause } = turn;
    return { traceId, closedAt, cause, spans, content, positions, ...this.#identify(content) };
  }

  /** What can't be understood says nothing of itself; who judges it says why. */
  #identify(content: Arrival['content']): Identity {
    try {
      const turns = buildTurns(normalize(content, this.#idKeys));
      const standsAlone = turns.every((part) => isWhole(part) && !isBare(part) && !part.ended);
      const conversationId = namedConversationOf(turns);
      // Finding keys decodes all messages, a third of what filing costs.
      return conversationId !== undefined && !this.#parts.store.wantsKeys
        ? { conversationId, has: [], wants: [], linked: linksOf(turns), keysLater: true, standsAlone }
        : { conversationId, ...evidenceOf(turns), standsAlone };
    } catch {
      return UNKNOWN;
    }
  }

  /** Gives the lanes that others have. */
  async #file(filings: readonly Filing[]): Promise<readonly OwnedLane[]> {
    try {
      await this.#whenever(() => this.#parts.store.file(filings));
      return [];
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      if (filings.length === 1) return filings.map(({ lane }) => lane);
    }
    // One of them has been lost and none is filed: each by itself, to see which.
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
        this.#parts.onProblem(error);
        await this.#parts.pause();
      }
    }
  }
}

/** A transaction holds the bytes of its turns in memory. */
function takeFirst(waiting: (FileCommand | TimeCommand)[]): (FileCommand | TimeCommand)[] {
  let bytes = 0;
  let count = 0;
  for (const command of waiting) {
    if (count > 0 && (count >= COMMANDS_MAX || bytes >= BYTES_MAX)) break;
    if (command.type === 'file') bytes += bytesOf(command.turn);
    count += 1;
  }
  return waiting.splice(0, count);
}
