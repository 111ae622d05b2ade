/**
 * Whether the pipeline moves. A process that is there and does nothing is not ready: new data may be refused, or what
 * was accepted may not get scored.
 *
 *   starting --started--> running --stopping--> stopping
 */
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { ServedLog } from '../deployment/deployment.ts';
import type { Scorer } from '../scoring/scorer.ts';

interface ReadinessReport {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

type State =
  | { readonly is: 'starting' | 'stopping' }
  | { readonly is: 'running'; readonly log: Pick<ServedLog, 'problems'> };

const NOT_RUNNING = {
  starting: 'starting: the store is being opened, or the log is being read',
  stopping: 'stopping: what was accepted is being finished',
};

/** Longer than any transaction, shorter than anybody's patience. */
const STALLED_MS = 30_000;

export class Readiness {
  readonly #scorer: Pick<Scorer, 'problem' | 'stalledMs'>;
  #state: State = { is: 'starting' };
  /** Held until a record or a commit has been written: what cannot be written does not heal by waiting. */
  #refusal: string | undefined;
  #unwritable: string | undefined;

  constructor(scorer: Pick<Scorer, 'problem' | 'stalledMs'>) {
    this.#scorer = scorer;
  }

  /** All of it has started. */
  started(log: Pick<ServedLog, 'problems'>): void {
    this.#state = { is: 'running', log };
  }

  stopping(): void {
    this.#state = { is: 'stopping' };
  }

  note(event: AnyEvent): void {
    if (event.type === 'journal-synced' || event.type === 'journal-writable') this.#refusal = undefined;
    else if (event.type === 'journal-refused')
      this.#refusal = `new data are refused: ${event.because} (${event.detail})`;
    else if (event.type === 'store-writable') this.#unwritable = event.problem;
  }

  /** Reasons are in words for people; each of them keeps it from being ready. */
  check(): ReadinessReport {
    const reasons = [...this.#problems(), ...this.#scoringProblems()];
    return { ready: reasons.length === 0, reasons };
  }

  #problems(): readonly string[] {
    const state = this.#state;
    if (state.is !== 'running') return [NOT_RUNNING[state.is]];
    const unwritable = this.#unwritable === undefined ? undefined : `the store cannot be written: ${this.#unwritable}`;
    return [...state.log.problems, ...[this.#refusal, unwritable].filter((reason) => reason !== undefined)];
  }

  #scoringProblems(): readonly string[] {
    const { stalledMs } = this.#scorer;
    const store = this.#scorer.problem('store');
    const sending = this.#scorer.problem('sending');
    const stalled = `nothing has been scored for ${Math.round(stalledMs / 1000)} s although turns are waiting`;
    return [
      ...(store === undefined ? [] : [`the shared store: ${store}`]),
      ...(sending === undefined ? [] : [`the topic of evaluations: ${sending}`]),
      ...(stalledMs > STALLED_MS ? [stalled] : []),
    ];
  }
}
