/**
 * Remembers turns that were scored and whose conversation is not yet: the suites that match them and, if the
 * conversation is due at once and may be scored as a whole, the turns themselves. They would otherwise be read and
 * understood a second time.
 *
 * Turns of conversations that go on are not kept: what lives for minutes has to be moved by every garbage collection
 * until it is old, and that cost more than reading again the few that are asked for.
 */
import type { Turn } from '../model/turn.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';

interface Recent {
  readonly revision: number;
  /**
   * Suites that are for one of these, or may be for a conversation with one of these; undefined where these may be parts of
   * turns, of which only the conversation says what they are.
   */
  readonly matchedBy: readonly CompiledSuite[] | undefined;
  readonly turns: readonly Turn[] | undefined;
  readonly bytes: number;
}

const TRACES_MAX = 1 << 16;
/** Steps keep the bytes that they were read from. */
const BYTES_MAX = 8 << 20;

export class RecentTurns {
  /** Traces by row, oldest first. */
  readonly #traces = new Map<number, Recent>();
  #bytes = 0;

  keep(trace: number, recent: Recent): void {
    this.drop(trace);
    this.#traces.set(trace, recent);
    if (recent.turns !== undefined) this.#bytes += recent.bytes;
    for (const oldest of this.#traces.keys()) {
      if (this.#bytes <= BYTES_MAX && this.#traces.size <= TRACES_MAX) break;
      this.drop(oldest);
    }
  }

  find(trace: number, revision: number): Recent | undefined {
    const recent = this.#traces.get(trace);
    return recent?.revision === revision ? recent : undefined;
  }

  /** Forgets a trace whose conversation has been scored. */
  drop(trace: number): void {
    const recent = this.#traces.get(trace);
    if (recent?.turns !== undefined) this.#bytes -= recent.bytes;
    this.#traces.delete(trace);
  }
}
