/**
 * Takes the configuration anew while the service runs.
 *
 *   asked      by SIGHUP or by the API
 *   read       settings and suites, all of them                     a mistake: said, all of them; what ran runs on
 *   applied    to what may change; the scoring thread finishes what it has begun, and another one begins with the new suites
 *   running    what needs a restart and has changed is named
 *
 * A conversation is scored by one set of suites: a thread knows one set, and what it had begun and not committed is begun again by the next.
 */
import { reloaded } from '../config/reloadable.ts';
import type { LoadedSettings, Settings } from '../config/settings.ts';
import type { ConfigEvent } from '../model/events/config-events.ts';
import type { Mistake } from '../model/mistake.ts';
import { type CheckedSuites, checkSuites } from './suite-check.ts';

export type ReloadOutcome =
  | { readonly reloaded: true; readonly needRestart: readonly string[] }
  | { readonly reloaded: false; readonly mistakes: readonly Mistake[]; readonly problem: string | undefined };

export interface ReloadingParts {
  readonly running: Settings;
  /** Reads the configuration as at the start: the same file, flags and variables. */
  readonly load: () => LoadedSettings;
  /** Resolves when it is in use. */
  readonly apply: (settings: Settings, suites: CheckedSuites['suites']) => Promise<void>;
  readonly onEvent: (event: ConfigEvent) => void;
}

export class Reloading {
  readonly #parts: ReloadingParts;
  #running: Settings;
  #isStopped = false;
  #underWay: Promise<ReloadOutcome> | undefined;
  #next: Promise<ReloadOutcome> | undefined;

  constructor(parts: ReloadingParts) {
    this.#parts = parts;
    this.#running = parts.running;
  }

  /** Who asks while it is under way wants what the files say now: it is done once more, for all of them. */
  reload(): Promise<ReloadOutcome> {
    if (this.#isStopped) return Promise.resolve({ reloaded: false, mistakes: [], problem: 'Assay is stopping' });
    if (this.#underWay === undefined) return this.#begin();
    this.#next ??= this.#underWay.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  /** What is under way may still end; nothing new is begun. */
  stop(): void {
    this.#isStopped = true;
  }

  #begin(): Promise<ReloadOutcome> {
    this.#underWay = this.#reload().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #reload(): Promise<ReloadOutcome> {
    const { load, apply, onEvent } = this.#parts;
    try {
      const { settings: next, mistakes: inSettings } = load();
      const { suites, mistakes: inSuites } = await checkSuites({
        references: next.suites,
        shadows: next.shadowSuites,
        baseDir: next.baseDir,
        // A change of judges waits for a restart; until then suites are asked of those that run.
        judges: this.#running.judging.judges.map(({ name }) => name),
      });
      const mistakes = [...inSettings, ...inSuites];
      if (mistakes.length > 0) return this.#failed({ mistakes, problem: undefined });
      const { settings, needRestart } = reloaded(this.#running, next);
      await apply(settings, suites);
      this.#running = settings;
      onEvent({ type: 'config-reloaded', suites: suites.map(({ name }) => name), needRestart });
      return { reloaded: true, needRestart };
    } catch (error) {
      return this.#failed({ mistakes: [], problem: error instanceof Error ? error.message : String(error) });
    }
  }

  #failed(because: { readonly mistakes: readonly Mistake[]; readonly problem: string | undefined }): ReloadOutcome {
    const { onEvent } = this.#parts;
    const { mistakes, problem } = because;
    onEvent({ type: 'config-reload-failed', mistakes: mistakes.length, problem });
    for (const mistake of mistakes) onEvent({ type: 'config-mistake', mistake });
    return { reloaded: false, ...because };
  }
}
