/** The configuration that runs now; a reload replaces it. */
import type { Settings } from '../../config/settings.ts';
import { isLive, outlineOf, type SuiteOutline } from '../../engine/suite-outline.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';

export class RunningConfig {
  #settings: Settings;
  #suites: readonly SuiteOutline[];

  constructor(settings: Settings, suites: readonly CompiledSuite[]) {
    this.#settings = settings;
    this.#suites = suites.map(outlineOf);
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Suites that run live, then those that run in shadow. */
  get suites(): readonly SuiteOutline[] {
    return this.#suites;
  }

  get liveSuites(): readonly SuiteOutline[] {
    return this.#suites.filter(isLive);
  }

  replace(settings: Settings, suites: readonly SuiteOutline[]): void {
    this.#settings = settings;
    this.#suites = suites;
  }
}
