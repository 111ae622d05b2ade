/**
 * Whether the pipeline moves. A process that is there and does nothing is not ready: new data may be refused, or what
 * was accepted may not get scored.
 */
import type { AnyEvent } from '../model/events/any-event.ts';
import type { Opened } from './deployment.ts';
import type { Scorer } from './scorer.ts';

interface ReadinessReport {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** Longer than any transaction, shorter than anybody's patience. */
const STALLED_MS = 30_000;
/** A refusal says something about now only for so long; without new requests nothing else would clear it. */
const REFUSAL_MS = 10_000;

export class Readiness {
  #refusal: { readonly at: number; readonly text: string } | undefined;

  note(event: AnyEvent): void {
    if (event.type === 'journal-synced') this.#refusal = undefined;
    else if (event.type === 'journal-refused')
      this.#refusal = { at: performance.now(), text: `new data are refused: ${event.because} (${event.detail})` };
  }

  /** `problems` are in words for people; each of them keeps it from being ready. */
  check(now: { readonly stalledMs: number; readonly problems?: readonly string[] }): ReadinessReport {
    const reasons: string[] = [...(now.problems ?? [])];
    if (this.#refusal !== undefined && performance.now() - this.#refusal.at < REFUSAL_MS)
      reasons.push(this.#refusal.text);
    if (now.stalledMs > STALLED_MS) {
      reasons.push(`nothing has been scored for ${Math.round(now.stalledMs / 1000)} s although turns are waiting`);
    }
    return { ready: reasons.length === 0, reasons };
  }
}

/** Reasons why it cannot do its work now, in words for people. */
export function problemsOf(opened: Opened, scorer: Pick<Scorer, 'problem'>): readonly string[] {
  const store = scorer.problem('store');
  const sending = scorer.problem('sending');
  return [
    ...(opened.isRunning ? [] : ['starting or stopping: the store is opened or closed, the log is read or drained']),
    ...(opened.log?.problems ?? []),
    ...(store === undefined ? [] : [`the shared store: ${store}`]),
    ...(sending === undefined ? [] : [`the topic of evaluations: ${sending}`]),
  ];
}
