/** Settings and suites for a command: all mistakes of both in one message, or none. */
import path from 'node:path';
import { formatMistakes, type Mistake } from '../model/mistake.ts';
import { type LoadedSettings, loadSettings, type Settings } from '../config/settings.ts';
import type { Variables } from '../config/sources.ts';
import { readTruthFiles } from '../engine/truth-files.ts';
import { isMissingSecret } from '../config/secrets.ts';
import { suiteLoading } from '../engine/suite-loading.ts';
import { configuredSuites } from './configured-suites.ts';
import { sameVersions } from '../score/suite/evaluator-version.ts';
import { loadSuites } from '../score/load-suites.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

export interface Loaded {
  readonly settings: Settings;
  readonly secretVariables: readonly string[];
  readonly suites: readonly CompiledSuite[];
  /** Suites that run in shadow beside them. */
  readonly shadows: readonly CompiledSuite[];
  /** Settings that are valid and probably not intended. */
  readonly remarks: readonly string[];
  /** Likewise, of files of truth. */
  readonly truthRemarks: readonly string[];
  readonly strangers: LoadedSettings['strangers'];
  readonly suiteReferences: readonly string[];
  readonly suitesBaseDirectory: string;
  /** Reads the settings again, from where they were read. */
  readonly loadSettings: () => LoadedSettings;
}

export const BUILTIN_SUITES = path.resolve(import.meta.dirname, '../../suites');

export type Flags = { readonly [flag: string]: string | number | boolean | undefined };

interface LoadOptions {
  readonly suites?: readonly string[];
  /** A suite of the configuration may be given by its name. */
  readonly byName?: true;
  /** Variables of the environment in place of all that there are. */
  readonly env?: Variables;
  /** `the store's`: the command only looks at what is stored, and nobody's keys but the store's are needed for it. */
  readonly secrets?: 'all' | "the store's";
}

export async function load(flags: Flags, options: LoadOptions = {}): Promise<Loaded> {
  const { env = process.env } = options;
  const read = () => loadSettings({ flags, env, cwd: process.cwd() });
  const { settings, secretVariables, mistakes: configMistakes, strangers } = read();
  const fromFlags = options.suites !== undefined && options.suites.length > 0 ? options.suites : undefined;
  const suiteReferences = fromFlags ?? settings.suites;
  // Suites named on the command line are relative to where one stands, those of a file to the file.
  const suitesBaseDirectory = fromFlags === undefined ? settings.baseDir : process.cwd();
  const { configured, others } = await configuredSuites(
    options.byName === true ? (fromFlags ?? []) : [],
    settings,
    BUILTIN_SUITES,
  );
  const {
    suites: loaded,
    shadows,
    mistakes: suiteMistakes,
  } = await loadSuites(fromFlags === undefined || options.byName !== true ? suiteReferences : others, {
    baseDir: suitesBaseDirectory,
    builtinDir: BUILTIN_SUITES,
    ...suiteLoading(settings),
    shadows: settings.shadowSuites,
  });
  const suites = [...configured, ...loaded];
  const { mistakes: truthMistakes, remarks: truthRemarks } = readTruthFiles(settings.truth, [...suites, ...shadows]);
  const isNeeded = (mistake: Mistake) => options.secrets !== "the store's" || !isOthersSecret(mistake);
  failOn([...configMistakes.filter(isNeeded), ...suiteMistakes, ...truthMistakes]);
  const remarks = sameVersions(suites, shadows);
  return {
    settings,
    secretVariables,
    suites,
    shadows,
    remarks,
    truthRemarks,
    strangers,
    suiteReferences,
    suitesBaseDirectory,
    loadSettings: read,
  };
}

/** A missing secret that the store does not need. */
function isOthersSecret(mistake: Mistake): boolean {
  return isMissingSecret(mistake) && !mistake.path.startsWith('store.');
}

export function failOn(mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return;
  throw new CommandFailure(formatMistakes(mistakes), EXIT.usage);
}
