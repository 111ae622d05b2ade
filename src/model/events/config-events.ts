/** Events of the configuration while Assay runs, to be counted and logged. */
import type { Mistake } from '../mistake.ts';

export type ConfigEvent =
  /** `needRestart` are settings that have changed and are not in use. */
  | { readonly type: 'config-reloaded'; readonly suites: readonly string[]; readonly needRestart: readonly string[] }
  /** The previous configuration stays in use. */
  | { readonly type: 'config-reload-failed'; readonly mistakes: number; readonly problem: string | undefined }
  | { readonly type: 'config-mistake'; readonly mistake: Mistake };
