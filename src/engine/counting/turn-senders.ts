/**
 * Senders of the latest turns, for the labels of their conversations, which are evaluated a while after they came. It lies
 * in memory: after a start the senders of conversations that were open are not known.
 */
import type { TraceId } from '../../model/ids.ts';
import { UNKNOWN_SENDER } from '../../model/sender.ts';

const TURNS_MAX = 50_000;

export class TurnSenders {
  /** The newest last. */
  readonly #senders = new Map<TraceId, number>();
  /** While all are of one sender, none need be kept. */
  #only: number | undefined;

  note(traceId: TraceId, sender: number | undefined): void {
    if (sender === undefined || sender === UNKNOWN_SENDER) return;
    if (this.#senders.size === 0 && (this.#only === undefined || this.#only === sender)) {
      this.#only = sender;
      return;
    }
    this.#senders.set(traceId, sender);
    if (this.#senders.size <= TURNS_MAX) return;
    const [oldest] = this.#senders.keys();
    if (oldest !== undefined) this.#senders.delete(oldest);
  }

  /** Turns that came before there was a second sender are of the first. */
  of(traceId: TraceId | undefined): number {
    return (traceId === undefined ? undefined : this.#senders.get(traceId)) ?? this.#only ?? UNKNOWN_SENDER;
  }
}
