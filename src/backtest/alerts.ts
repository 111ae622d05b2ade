/**
 * The regressions that detection would have found: the evaluations in the order in which they were scored, through detectors as the service has
 * them, once as they were stored and once as the changed suite says. Both begin with nothing learnt, so that they can be compared; what a
 * person accepted in the meantime is not known to either.
 */
import type { BacktestAlerts, RegressionEpisode } from '../model/backtest.ts';
import { isWorse, type Transition } from '../model/detection.ts';
import type { DetectionSettings } from '../statistics/detect/settings.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { Detectors } from '../engine/detection/detectors.ts';
import { type ObservedEvaluation, observedOf } from '../engine/detection/observations.ts';
import type { ScannedEvaluation } from '../store/evaluation-scan.ts';
import type { ComparedSide, WhoseConversation } from './comparison.ts';

/** Common labels of a group. */
export interface ObservedPair {
  readonly before: ObservedEvaluation;
  readonly after: ObservedEvaluation;
}

export interface SeenAt {
  readonly at: number;
  readonly steps: number | undefined;
  readonly costUsd: number | undefined;
}

export function seenAt({ seen: { at, steps, costNanos }, createdAt }: ScannedEvaluation): SeenAt {
  // Older rows only have the time at which they were stored.
  return { at: at ?? createdAt, steps, costUsd: costNanos === undefined ? undefined : costNanos / 1e9 };
}

export class AlertReplay {
  readonly #before: ReplayedDetectors;
  readonly #after: ReplayedDetectors;
  #time = 0;
  #withoutEffort = false;

  constructor(settings: DetectionSettings) {
    this.#before = new ReplayedDetectors(settings);
    this.#after = new ReplayedDetectors(settings);
  }

  observe({ before, after }: ObservedPair, { at, steps, costUsd }: SeenAt): void {
    // Another instance's may come a little late.
    this.#time = Math.max(this.#time, at);
    if (steps === undefined) this.#withoutEffort = true;
    const effort = { steps: steps ?? 0, costUsd };
    this.#before.observe({ ...before, ...effort }, this.#time);
    this.#after.observe({ ...after, ...effort }, this.#time);
  }

  advance(): void {
    this.#before.advance(this.#time);
    this.#after.advance(this.#time);
  }

  result(): BacktestAlerts {
    const isWatched = ({ metric }: RegressionEpisode) =>
      !this.#withoutEffort || (metric !== 'cost_per_success' && metric !== 'steps_per_success');
    return {
      before: this.#before.episodes(this.#time).filter(isWatched),
      after: this.#after.episodes(this.#time).filter(isWatched),
      withoutEffort: this.#withoutEffort,
    };
  }
}

/** Users and traits are not stored with an evaluation. */
export function observedAs(
  side: ComparedSide,
  suite: Pick<CompiledSuite, 'name' | 'criteria'>,
  version: string,
  whose: WhoseConversation,
): ObservedEvaluation {
  const nobody = { effort: { steps: 0, costUsd: undefined }, user: '', traits: [], judgedBy: '' };
  return observedOf(side, { ...suite, version }, { labels: whose, ...nobody });
}

/** Detectors that are fed from the store, and the regressions that they find. */
export class ReplayedDetectors {
  readonly #detectors: Detectors;
  readonly #transitions: Transition[] = [];
  #version: string | undefined;
  #time = 0;

  constructor(settings: DetectionSettings) {
    this.#detectors = new Detectors(settings);
  }

  observe(evaluation: ObservedEvaluation, at: number): void {
    // Another version begins from scratch, after the last one has been evaluated.
    if (this.#version !== undefined && evaluation.suiteVersion !== this.#version) this.#take(this.#time);
    this.#version = evaluation.suiteVersion;
    this.#time = at;
    this.#detectors.observe(evaluation, at);
  }

  advance(time: number): void {
    this.#detectors.advance(time);
  }

  /** Agents whose score is watched, and how many of them are known well enough for an alarm. */
  get agents(): { readonly all: number; readonly learnt: number } {
    const scores = this.#detectors.readings().levels.filter(({ metric }) => metric === 'tcr');
    const learnt = scores.filter(({ state }) => state !== 'learning' && state !== 'no_data');
    return { all: scores.length, learnt: learnt.length };
  }

  episodes(time: number): readonly RegressionEpisode[] {
    this.#take(time);
    const episodes: RegressionEpisode[] = [];
    const open = new Map<string, number>();
    for (const transition of this.#transitions) {
      if (transition.kind !== 'level') continue;
      const { suite, agent, environment, metric, criterion, part } = transition.reading;
      const key = JSON.stringify([suite, agent, environment, metric, criterion ?? part ?? null]);
      const begun = open.get(key);
      if (isWorse(transition.to) && begun === undefined) {
        const beganAt = transition.at;
        const episode = { agent, environment, metric, criterion, part, beganAt, endedAt: undefined };
        open.set(key, episodes.push(episode) - 1);
      } else if (isWorse(transition.from) && !isWorse(transition.to) && begun !== undefined) {
        const episode = episodes[begun];
        if (episode !== undefined) episodes[begun] = { ...episode, endedAt: transition.at };
        open.delete(key);
      }
    }
    return episodes;
  }

  #take(time: number): void {
    this.#transitions.push(...this.#detectors.takeTransitions(this.#detectors.readings(), time));
  }
}
