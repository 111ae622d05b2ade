/**
 * Sends what evaluations said to a backend, from the store, a batch at a time. Scoring never waits for it.
 *
 *   waiting    in the store, from the transaction that made the evaluation
 *   taken      read; nothing is written                 a crash: taken again
 *   sent       the backend has answered                  a crash: sent again, with the same id
 *   forgotten  deleted from the store
 *
 * A batch that the backend will never take is taken apart: sent one by one, so that what it refuses is one evaluation and not five hundred.
 * One machine has one relay, in the scoring thread; of many instances it is the one that has the first lane.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultEvent } from '../../model/events/result-events.ts';
import { backoffMs } from '../../report/results/http-answer.ts';
import type { OtlpSender } from '../../report/results/otlp-sender.ts';
import { readResultPayload } from '../../report/results/result-payload.ts';
import type { ResultStore, WaitingResult } from '../../store/result-store.ts';
import { Stoppable } from '../../model/stoppable.ts';

interface ResultRelayParts {
  readonly store: ResultStore;
  readonly sender: Pick<OtlpSender, 'send'>;
  readonly onEvent: (event: ResultEvent) => void;
  readonly idleMs?: number;
  /** The first pause after a failure. */
  readonly pauseMs?: number;
  readonly keep?: number;
}

const SENT_TOGETHER = 200;
const IDLE_MS = 1000;
const PAUSE = { first: 1000, most: 60_000 };
/** Evaluations that wait for a backend that is away: days of a busy agent. */
const KEEP = 1_000_000;

export class ResultRelay extends Stoppable {
  readonly #parts: ResultRelayParts;

  constructor(parts: ResultRelayParts) {
    super((signal) => this.#loop(signal));
    this.#parts = parts;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { store, onEvent, idleMs = IDLE_MS, pauseMs = PAUSE.first, keep = KEEP } = this.#parts;
    for (let failures = 0; !signal.aborted; ) {
      let waitMs = 0;
      try {
        const { results, dropped } = await store.take({ limit: SENT_TOGETHER, keep });
        if (dropped > 0) onEvent({ type: 'results-dropped', evaluations: dropped });
        if (results.length === 0) waitMs = idleMs;
        else {
          const asked = await this.#send(results, signal);
          failures = asked === undefined ? 0 : failures + 1;
          if (asked !== undefined) waitMs = Math.max(asked, backoffMs(failures, { ...PAUSE, first: pauseMs }));
        }
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        waitMs = backoffMs(failures, { ...PAUSE, first: pauseMs });
        onEvent({ type: 'results-failed', problem: error instanceof Error ? error.message : String(error) });
      }
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Gives how long the backend wants to be left alone where it did not take them; undefined where they are gone. */
  async #send(results: readonly WaitingResult[], signal: AbortSignal): Promise<number | undefined> {
    const { store, sender, onEvent } = this.#parts;
    const sent = await sender.send(
      results.map(({ payload }) => readResultPayload(payload)),
      signal,
    );
    if (signal.aborted) return 0;
    if (!sent.taken && !sent.refused) {
      onEvent({ type: 'results-failed', problem: sent.problem });
      return sent.waitMs;
    }
    if (!sent.taken && results.length > 1) {
      for (const one of results) {
        const asked = await this.#send([one], signal);
        if (asked !== undefined) return asked;
      }
      return undefined;
    }
    await store.forget(results.map(({ id }) => id));
    if (sent.taken) onEvent({ type: 'results-sent', evaluations: results.length });
    else onEvent({ type: 'results-refused', evaluations: results.length, problem: sent.problem });
    return undefined;
  }
}
