/**
 * Reloads the configuration while the service runs.
 *
 *   asked      by SIGHUP or by the API; while the service starts it is noted, and done once all of it has started
 *   read       settings and suites, all of them                     a mistake: said, all of them; what ran runs on
 *   applied    to what may change; the scoring thread finishes what it has begun, and another one begins with the new suites
 *   running    what needs a restart and has changed is named
 *
 * A conversation is scored by one set of suites: a thread knows one set, and what it had begun and not committed is
 * begun again by the next.
 */
import { suiteLoading } from '../../engine/suite-loading.ts';
import { reloaded } from '../../config/reloadable.ts';
import type { LoadedSettings, Settings } from '../../config/settings.ts';
import type { Mistake } from '../../model/mistake.ts';
import type { EventReporter } from '../../report/events/event-reporter.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import type { Log } from '../../report/log/log.ts';
import { criterionWeights } from '../criteria/criterion-weights.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { DetectionMonitor } from '../detection/detection-monitor.ts';
import type { RunningConfig } from './running-config.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { scoringOf } from '../deployment/scoring-of.ts';
import type { ServiceEvents } from './service-events.ts';
import { type CheckedSuites, checkSuites } from '../scoring/suite-check.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';

export type ReloadOutcome =
  | { readonly reloaded: true; readonly needRestart: readonly string[] }
  | { readonly reloaded: false; readonly mistakes: readonly Mistake[]; readonly problem: string | undefined }
  | Unavailable;

const STOPPING: Unavailable = { unavailable: 'this instance is stopping', retryAfterSeconds: RETRY_AFTER_SECONDS };

interface ReloadingParts {
  /** Reads the configuration as at the start: the same file, flags and variables. */
  readonly load: () => LoadedSettings;
  readonly log: Log;
  readonly version: string;
  readonly config: RunningConfig;
  readonly deployment: Deployment;
  readonly scorer: Scorer;
  readonly detection: DetectionMonitor;
  readonly events: ServiceEvents;
  readonly reporter: EventReporter;
}

export class Reloading {
  readonly #parts: ReloadingParts;
  readonly #started = Promise.withResolvers<void>();
  #isStopped = false;
  /** The start is the first: it reads the configuration, too. */
  #underWay: Promise<unknown> | undefined = this.#started.promise;
  #next: Promise<ReloadOutcome> | undefined;

  constructor(parts: ReloadingParts) {
    this.#parts = parts;
  }

  /** Everything that a reload changes is there. */
  start(): void {
    this.#underWay = undefined;
    this.#started.resolve();
  }

  /** A request during a reload wants the files as they are now, so one more reload follows for all such requests. */
  reload(): Promise<ReloadOutcome> {
    if (this.#underWay === undefined) return this.#begin();
    this.#next ??= this.#underWay.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  /** Work in progress may still end; nothing new begins. */
  stop(): void {
    this.#isStopped = true;
  }

  #begin(): Promise<ReloadOutcome> {
    if (this.#isStopped) return Promise.resolve(STOPPING);
    const reload = this.#reload().finally(() => {
      this.#underWay = undefined;
    });
    this.#underWay = reload;
    return reload;
  }

  async #reload(): Promise<ReloadOutcome> {
    const { load, config, events } = this.#parts;
    try {
      const { settings: next, mistakes: inSettings } = load();
      const { suites, mistakes: inSuites } = await checkSuites({
        references: next.suites,
        shadows: next.shadowSuites,
        baseDir: next.baseDir,
        // A change of judges waits for a restart; until then suites are asked of those that run.
        ...suiteLoading(config.settings),
        tools: next.tools,
      });
      const mistakes = [...inSettings, ...inSuites];
      if (mistakes.length > 0) return this.#failed({ mistakes, problem: undefined });
      const { settings, needRestart } = reloaded(config.settings, next);
      await this.#apply(settings, suites);
      events.report({ type: 'config-reloaded', suites: suites.map(({ name }) => name), needRestart });
      return { reloaded: true, needRestart };
    } catch (error) {
      return this.#failed({ mistakes: [], problem: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Resolves when it is in use. */
  async #apply(settings: Settings, suites: CheckedSuites['suites']): Promise<void> {
    const { config, deployment, scorer, detection, reporter, log, version } = this.#parts;
    log.setLevel(settings.logLevel);
    await detection.reload(settings);
    if (deployment.scores) await scorer.replace(scoringOf({ settings, suites, deployment, version }));
    config.replace(settings, suites);
    reporter.begin(criterionWeights(suites));
  }

  #failed(because: { readonly mistakes: readonly Mistake[]; readonly problem: string | undefined }): ReloadOutcome {
    const { events } = this.#parts;
    const { mistakes, problem } = because;
    events.report({ type: 'config-reload-failed', mistakes: mistakes.length, problem });
    for (const mistake of mistakes) events.report({ type: 'config-mistake', mistake });
    return { reloaded: false, ...because };
  }
}
