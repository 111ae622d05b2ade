/** The rules of `src/assemble/open-turns.ts` with plain objects and searches from end to end, for comparison. */
import type { CloseCause } from '../../src/model/causes.ts';
import type { ClosedTurn, Row, TurnLimits } from '../../src/assemble/open-turns.ts';
import type { TraceId } from '../../src/model/ids.ts';

interface PlainTurn {
  readonly traceId: TraceId;
  readonly firstAt: number;
  lastAt: number;
  rootEnded: boolean;
  readonly rows: Row[];
  readonly arrived: Set<string>;
  readonly parents: Set<string>;
  readonly named: { conversation: number; at: number }[];
}

export class PlainOpenTurns {
  readonly #limits: TurnLimits;
  readonly #turns: PlainTurn[] = [];
  #time = 0;
  #position = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get counts(): readonly number[] {
    const rows = this.#turns.flatMap((turn) => turn.rows);
    return [this.#turns.length, rows.length, rows.reduce((sum, { length }) => sum + length, 0)];
  }

  add(row: Row, { at, nextPosition }: { readonly at: number; readonly nextPosition: number }): boolean {
    this.#position = nextPosition;
    const turn = this.#turnOf(row, at);
    const id = idOf(row.spanIdHigh, row.spanIdLow);
    const isSpan = row.group.signal === 'traces' && id !== NO_ID;
    if (!(isSpan && turn.arrived.has(id))) turn.lastAt = at;
    turn.rows.push(row);
    if (isSpan) {
      const parent = idOf(row.parentIdHigh, row.parentIdLow);
      turn.arrived.add(id);
      if (parent === NO_ID || row.parentIsRemote) turn.rootEnded = true;
      else turn.parents.add(parent);
    }
    const { conversation } = row;
    if (conversation === 0 || turn.named.length >= 8) return false;
    if (turn.named.some((known) => known.conversation === conversation)) return false;
    turn.named.push({ conversation, at });
    return true;
  }

  advance(to: number): readonly ClosedTurn[] {
    const closed: ClosedTurn[] = [];
    if (to === this.#time) return closed;
    const byId = this.#turns.toSorted((a, b) => (a.traceId < b.traceId ? -1 : 1));
    for (const turn of byId) if (this.#isOversized(turn)) closed.push(this.#close(turn, 'size', this.#time));
    for (;;) {
      const [first] = this.#turns.toSorted(
        (a, b) => this.#deadlineOf(a).at - this.#deadlineOf(b).at || (a.traceId < b.traceId ? -1 : 1),
      );
      if (first === undefined) break;
      const { cause, at } = this.#deadlineOf(first);
      const [turns = 0, rows = 0] = this.counts;
      const isOverfull = turns > this.#limits.maxOpenTurns || rows > this.#limits.maxOpenSpans;
      if (!isOverfull && at > to) break;
      closed.push(isOverfull ? this.#close(first, 'pressure', this.#time) : this.#close(first, cause, at));
    }
    this.#time = to;
    return closed;
  }

  #turnOf(row: Row, at: number): PlainTurn {
    // The cast is the brand.
    const traceId = row.traceId.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('') as TraceId;
    const known = this.#turns.find((turn) => turn.traceId === traceId);
    if (known !== undefined) return known;
    const turn: PlainTurn = {
      ...{ traceId, firstAt: at, lastAt: at, rootEnded: false, rows: [], named: [] },
      ...{ arrived: new Set(), parents: new Set() },
    };
    this.#turns.push(turn);
    return turn;
  }

  #isOversized({ rows }: PlainTurn): boolean {
    const bytes = rows.reduce((sum, { length }) => sum + length, 0);
    return rows.length > this.#limits.maxSpans || bytes > this.#limits.maxBytes;
  }

  #deadlineOf({ firstAt, lastAt, rootEnded, arrived, parents }: PlainTurn): { cause: CloseCause; at: number } {
    const { settleMs, idleMs, maxAgeMs } = this.#limits;
    const isComplete = rootEnded && [...parents].every((parent) => arrived.has(parent));
    const quiet = lastAt + (isComplete ? Math.min(settleMs, idleMs) : idleMs);
    if (firstAt + maxAgeMs < quiet) return { cause: 'max_age', at: firstAt + maxAgeMs };
    return { cause: isComplete ? 'settled' : 'idle', at: quiet };
  }

  #close(turn: PlainTurn, cause: CloseCause, closedAt: number): ClosedTurn {
    this.#turns.splice(this.#turns.indexOf(turn), 1);
    const { traceId, rows, arrived, named } = turn;
    const openBeside = named.flatMap(({ conversation }) => {
      const namings = this.#turns.flatMap((other) => other.named.filter((one) => one.conversation === conversation));
      return namings.length === 0 ? [] : [{ conversation, at: Math.min(...namings.map(({ at }) => at)) }];
    });
    const spans = rows.filter(({ group }) => group.signal === 'traces').length;
    return {
      ...{ traceId, cause, closedAt, position: this.#position, named, openBeside },
      rows: rows.map(({ position, length, group }) => ({ position, length, group })),
      spansAreDistinct: spans === arrived.size,
    };
  }
}

const NO_ID = '0 0';

function idOf(high: number, low: number): string {
  return `${high} ${low}`;
}
