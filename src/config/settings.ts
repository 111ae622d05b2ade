/**
 * The settings of a run, from `assay.yaml`, the environment and the command line. For each
 * setting a flag wins over an environment variable, that over the file, that over the default. All mistakes are found
 * at once; where there are any, nothing is to be started with these settings.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mistake } from '../model/mistake.ts';
import { whyUnreadable } from '../model/why-unreadable.ts';
import { readWrittenDocument, type WrittenDocument } from '../model/written-document.ts';
import { secretVariablesIn } from './environment-without-secrets.ts';
import { FIXED_SETTINGS } from './fixed-settings.ts';
import { type Section, type SettingsOf, settingsIn } from './section.ts';
import { text } from './setting.ts';
import { type Flags, Sources, type Variables } from './sources.ts';
import { withoutRemoved } from './removed-settings.ts';
import { ALL_SECTIONS, SECTIONS, TOP_SECTIONS } from './sections.ts';
import { type TelemetrySettings, telemetryIn } from './telemetry-settings.ts';
import { type Stranger, unknownVariables } from './unknown-variables.ts';

type Top = typeof TOP_SECTIONS;
type Sections = typeof SECTIONS;
type MappingSettings = { readonly [K in keyof Sections]: SettingsOf<Sections[K]> };

/** All settings, as the code receives them; their types are those of the sections. */
export interface Settings
  extends SettingsOf<Top['service']>,
    SettingsOf<Top['suites']>,
    SettingsOf<Top['process']>,
    MappingSettings,
    Readonly<typeof FIXED_SETTINGS> {
  /** Relative paths in `suites` are relative to it: the folder of the configuration file, else the current one. */
  readonly baseDir: string;
  /** Name among the projects of the process; undefined for the default one. */
  readonly project: string | undefined;
  /** Undefined where Assay sends no traces and metrics of its own. */
  readonly telemetry: TelemetrySettings | undefined;
}

interface SettingsInput {
  /** As the command line's parser gives them: `dataDir` for --data-dir. Others than those known here are ignored. */
  readonly flags: Flags;
  readonly env: Variables;
  readonly cwd: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** Names of the variables that the file names as holders of a secret. */
  readonly secretVariables: readonly string[];
  readonly mistakes: readonly Mistake[];
  /** Names that are no settings, or none any more. */
  readonly strangers: readonly Stranger[];
}

const USUAL_FILE = 'assay.yaml';
/** The file itself is named by a flag or a variable. */
export const CONFIG_FILE = text(
  { key: 'config', variable: 'ASSAY_CONFIG', flag: '--config <file>' },
  `Configuration file; ${USUAL_FILE} unless given, where there is one.`,
);

const VARIABLES = ALL_SECTIONS.flatMap(({ declared }) =>
  settingsIn(declared).flatMap(({ variable }) => variable ?? []),
);

export function loadSettings({ flags, env, cwd }: SettingsInput): LoadedSettings {
  const { document: written, baseDir, mistakes } = openConfig({ flags, env, cwd });
  const { document, variables, removed } = withoutRemoved(written, env);
  const sources = new Sources({ flags, env: variables, document, baseDir, cwd });
  const settings = readSettings(sources);
  sources.refuseUnknown();
  const all = [...mistakes, ...(document?.mistakes ?? []), ...sources.mistakes];
  const secretVariables = secretVariablesIn(written?.value);
  return {
    settings,
    secretVariables,
    mistakes: all,
    strangers: [...removed, ...unknownVariables(variables, [...VARIABLES, ...secretVariables])],
  };
}

function readSettings(sources: Sources): Settings {
  const { service, suites, process } = TOP_SECTIONS;
  const top = { ...service.read(sources), ...suites.read(sources) };
  const read = Object.entries<Section<unknown>>(SECTIONS).map(
    ([name, section]) => [name, section.read(sources)] as const,
  );
  // The cast holds: each section gives the member of its name.
  const mappings = Object.fromEntries(read) as unknown as MappingSettings;
  const { baseDir, env } = sources.places;
  const others = { ...FIXED_SETTINGS, telemetry: telemetryIn(env), baseDir, project: undefined };
  const settings = { ...top, ...mappings, ...process.read(sources), ...others };
  checkTogether(settings, sources);
  return settings;
}

const STORE_WITHOUT_KAFKA = 'a shared store needs Kafka, and no brokers are configured';

/** When Assay serves, such a store is filled from Kafka. A command that fills it otherwise ignores this mistake. */
export function isStoreWithoutKafka({ problem }: Pick<Mistake, 'problem'>): boolean {
  return problem === STORE_WITHOUT_KAFKA;
}

/** Sections that make no sense together, each of them being fine by itself. */
function checkTogether({ kafka, sharedStore, redaction }: Settings, sources: Sources): void {
  if (sharedStore !== undefined && kafka === undefined) {
    sources.mistake('store.url', STORE_WITHOUT_KAFKA, 'kafka.brokers or ASSAY_KAFKA_BROKERS as well');
  }
  if (kafka !== undefined && redaction.hashUserIds && redaction.salt === undefined) {
    const problem = 'without a shared salt each instance hashes user ids differently, and one user gets many names';
    sources.mistake('redaction.hash_user_ids', problem, 'ASSAY_REDACTION_SALT, the same for all');
  }
  if (kafka?.read === true && sharedStore === undefined) {
    const problem = 'Kafka needs a shared store, and store.url is not set';
    const gateway = 'kafka.role: gateway, for an instance that only takes OTLP and writes it to Kafka';
    sources.mistake('kafka.brokers', problem, `store.url or ASSAY_STORE_URL as well; or ${gateway}`);
  }
}

interface OpenedConfig {
  readonly document: WrittenDocument | undefined;
  readonly baseDir: string;
  readonly mistakes: readonly Mistake[];
}

/** The file named by flag or variable, which must be there; else `assay.yaml` where one stands, if there is one. */
function openConfig({ flags, env, cwd }: SettingsInput): OpenedConfig {
  const { config } = flags;
  const named = namedConfig(flags, env);
  const file = configFile({ flags, env, cwd });
  if (named === undefined && !existsSync(file)) return { document: undefined, baseDir: cwd, mistakes: [] };
  const baseDir = path.dirname(file);
  const relative = path.relative(cwd, file);
  const shown = relative.startsWith('..') ? file : relative;
  try {
    return { document: readWrittenDocument(readFileSync(file, 'utf8'), shown), baseDir, mistakes: [] };
  } catch (error) {
    const problem = whyUnreadable(error);
    const from = typeof config === 'string' ? '--config' : 'ASSAY_CONFIG';
    const expected = named === undefined ? 'a file that can be read' : `${from} to name a file that can be read`;
    const mistake: Mistake = { file: shown, line: undefined, column: undefined, path: '', problem, expected };
    return { document: undefined, baseDir, mistakes: [mistake] };
  }
}

/** Whole path of the configuration file, whether it is there or not. */
export function configFile({ flags, env, cwd }: SettingsInput): string {
  return path.resolve(cwd, namedConfig(flags, env) ?? USUAL_FILE);
}

function namedConfig({ config }: Flags, { ASSAY_CONFIG }: Variables): string | undefined {
  if (typeof config === 'string') return config;
  return ASSAY_CONFIG === '' ? undefined : ASSAY_CONFIG;
}
