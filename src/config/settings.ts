/**
 * The settings of a run, from `assay.yaml`, the environment and the command line. For each
 * setting a flag wins over an environment variable, that over the file, that over the default. All mistakes are found
 * at once; where there are any, nothing is to be started with these settings.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Mistake } from '../model/mistake.ts';
import { readWrittenDocument, type WrittenDocument } from '../model/written-document.ts';
import { hostname } from 'node:os';
import { type AlertSettings, readAlerts } from './alert-settings.ts';
import { type DetectionChoices, readDetection } from './detection-settings.ts';
import { type JudgingSettings, readJudging } from './judge-settings.ts';
import { readResults, type ResultSettings } from './result-settings.ts';
import { type HttpSettings, readHttp } from './http-settings.ts';
import { type KafkaSettings, readKafka } from './kafka-settings.ts';
import { durationMs, formatDuration, formatSize, sizeBytes } from './quantities.ts';
import type { TruthFile } from '../model/truth.ts';
import { readTruthSettings } from './truth-settings.ts';
import { type RedactionSettings, readRedaction } from './redaction-settings.ts';
import { readSharedStore, type SharedStoreSettings } from './shared-store-settings.ts';
import { readTelemetry, type TelemetrySettings } from './telemetry-settings.ts';
import { type Flags, type SettingName, type Sourced, Sources, type Variables } from './sources.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Settings {
  /** What relative paths in `suites` are relative to: the folder of the configuration file, else where one stands. */
  readonly baseDir: string;
  readonly host: string;
  readonly dataDir: string;
  /** The folder in which each experiment has one of its own. */
  readonly experimentsDir: string;
  /** 0 is any free port. */
  readonly otlpGrpcPort: number;
  readonly otlpHttpPort: number;
  readonly httpPort: number;
  readonly http: HttpSettings;
  readonly suites: readonly string[];
  /** Candidates that run beside the live suites of their names, and count for nothing. Names of packs, or absolute paths. */
  readonly shadowSuites: readonly string[];
  readonly turn: TurnSettings;
  readonly conversation: ConversationSettings;
  readonly journal: { readonly maxBytes: number; readonly segmentBytes: number };
  readonly receive: { readonly maxBodyBytes: number; readonly maxInFlightBytes: number };
  readonly store: { readonly maxBytes: number; readonly keepDays: number; readonly keepFailedDays: number };
  readonly score: { readonly checkTimeoutMs: number };
  readonly metrics: MetricSettings;
  readonly redaction: RedactionSettings;
  readonly detection: DetectionChoices;
  readonly alerts: AlertSettings;
  /** Undefined where what evaluations say goes nowhere but into the store. */
  readonly results: ResultSettings | undefined;
  readonly judging: JudgingSettings;
  /** Undefined where Assay says nothing of itself but what is scraped. */
  readonly telemetry: TelemetrySettings | undefined;
  /** Undefined where Assay keeps its own log. */
  readonly kafka: KafkaSettings | undefined;
  /** Undefined where the store is a file of this machine. */
  readonly sharedStore: SharedStoreSettings | undefined;
  /** What this instance is called among others; its running totals bear the name. */
  readonly instance: string;
  /** In the order in which later ones override earlier ones. */
  readonly truth: readonly TruthFile[];
  readonly logLevel: LogLevel;
}

export interface TurnSettings {
  readonly settleMs: number;
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxSpans: number;
  readonly maxBytes: number;
  readonly reopenMs: number;
}

export interface ConversationSettings {
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxTurns: number;
  /** Attributes that hold the conversation's id, besides those of the conventions and before them. */
  readonly idKeys: readonly string[];
}

export interface MetricSettings {
  readonly maxLabelValues: number;
  /** Attributes that say which part of the traffic a conversation is; none, and the series have no such label. */
  readonly segment: readonly string[];
  readonly maxSegments: number;
}

export interface SettingsInput {
  /** As the command line's parser gives them: `dataDir` for --data-dir. Others than those known here are ignored. */
  readonly flags: Flags;
  readonly env: Variables;
  readonly cwd: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly mistakes: readonly Mistake[];
}

const CONFIG_FILE = 'assay.yaml';
/** `response-clarity` judges English prose by rules of thumb, `sql-agent` one kind of agent: they are for those who ask for them. */
const DEFAULT_SUITES = ['default', 'scheduling', 'error-recovery'];

/** Anything else is a path. */
const PACK_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

export function loadSettings({ flags, env, cwd }: SettingsInput): LoadedSettings {
  const { document, baseDir, mistakes } = openConfig(flags, env, cwd);
  const sources = new Sources(flags, env, document);
  const settings = readSettings(sources, { baseDir, cwd, env });
  sources.refuseUnknown();
  const all = [...mistakes, ...(document?.mistakes ?? []), ...sources.mistakes];
  return { settings, mistakes: all };
}

function readSettings(
  sources: Sources,
  { baseDir, cwd, env }: { readonly baseDir: string; readonly cwd: string; readonly env: Variables },
): Settings {
  const duration = (name: SettingName, fallback: number, min: number, max: number) =>
    sources.read(name, durationMs({ min, max }), fallback).value;
  const size = (name: SettingName, fallback: number, min: number, max: number) =>
    sources.read(name, sizeBytes({ min, max }), fallback).value;
  const count = (key: string, fallback: number, min: number, max: number) =>
    sources.read({ key }, wholeNumber(min, max), fallback).value;
  const port = (name: SettingName, fallback: number) => sources.read(name, wholeNumber(0, 65_535), fallback);

  const dataDir = sources.read({ key: 'data_dir', variable: 'ASSAY_DATA_DIR', flag: 'dataDir' }, someText, './data');
  const dataDirectory = path.resolve(dataDir.origin === 'file' ? baseDir : cwd, dataDir.value);
  const experiments = sources.read(
    { key: 'experiments', variable: 'ASSAY_EXPERIMENTS', flag: 'experiments' },
    someText,
    path.join(dataDirectory, 'experiments'),
  );
  const settings: Settings = {
    baseDir,
    host: sources.read({ key: 'host', variable: 'ASSAY_HOST', flag: 'host' }, hostText, '127.0.0.1').value,
    dataDir: dataDirectory,
    experimentsDir: path.resolve(experiments.origin === 'file' ? baseDir : cwd, experiments.value),
    ...distinctPorts(sources, {
      otlpGrpcPort: port(PORTS.otlpGrpcPort, 4317),
      otlpHttpPort: port(PORTS.otlpHttpPort, 4318),
      httpPort: port(PORTS.httpPort, 4319),
    }),
    http: readHttp(sources, { baseDir, env }),
    suites: sources.read({ key: 'suites' }, suiteList, DEFAULT_SUITES).value,
    shadowSuites: sources
      .read({ key: 'shadow_suites' }, suiteList, [])
      .value.map((reference) => (PACK_NAME.test(reference) ? reference : path.resolve(baseDir, reference))),
    turn: {
      settleMs: duration({ key: 'turn.settle', variable: 'ASSAY_TURN_SETTLE' }, 10 * SECOND, 0, HOUR),
      idleMs: duration({ key: 'turn.idle', variable: 'ASSAY_TURN_IDLE' }, 60 * SECOND, 1, DAY),
      maxAgeMs: duration({ key: 'turn.max_age' }, 15 * MINUTE, SECOND, 7 * DAY),
      maxSpans: count('turn.max_spans', 5000, 1, 1_000_000),
      maxBytes: size({ key: 'turn.max_bytes' }, 16 * MIB, 1024, GIB),
      reopenMs: duration({ key: 'turn.reopen' }, DAY, 0, 30 * DAY),
    },
    conversation: {
      idleMs: duration({ key: 'conversation.idle', variable: 'ASSAY_CONVERSATION_IDLE' }, 5 * MINUTE, 1, 30 * DAY),
      maxAgeMs: duration({ key: 'conversation.max_age' }, DAY, SECOND, 365 * DAY),
      maxTurns: count('conversation.max_turns', 200, 1, 100_000),
      idKeys: sources.read({ key: 'conversation.id_keys' }, keyList, []).value,
    },
    journal: {
      maxBytes: size({ key: 'journal.max_bytes' }, 8 * GIB, MIB, 2 ** 50),
      segmentBytes: size({ key: 'journal.segment_bytes' }, 64 * MIB, 64 * 1024, 2 * GIB),
    },
    receive: {
      maxBodyBytes: size({ key: 'receive.max_body_bytes' }, 64 * MIB, 1024, GIB),
      maxInFlightBytes: size({ key: 'receive.max_in_flight_bytes' }, 256 * MIB, 1024, 64 * GIB),
    },
    store: {
      maxBytes: size({ key: 'store.max_bytes' }, 20 * GIB, MIB, 2 ** 50),
      keepDays: duration({ key: 'store.keep' }, 30 * DAY, 0, 3650 * DAY) / DAY,
      keepFailedDays: duration({ key: 'store.keep_failed' }, 90 * DAY, 0, 3650 * DAY) / DAY,
    },
    score: { checkTimeoutMs: duration({ key: 'score.check_timeout' }, SECOND, 10, HOUR) },
    metrics: {
      maxLabelValues: count('metrics.max_label_values', 200, 1, 100_000),
      segment: sources.read({ key: 'metrics.segment' }, segmentKeys, []).value,
      maxSegments: count('metrics.max_segments', 20, 1, 1000),
    },
    redaction: readRedaction(sources, env),
    detection: readDetection(sources),
    alerts: readAlerts(sources, { baseDir, env }),
    results: readResults(sources, { baseDir, env }),
    telemetry: readTelemetry(sources, { baseDir, env }),
    judging: readJudging(sources, { baseDir, env }),
    truth: readTruthSettings(sources, baseDir),
    kafka: readKafka(sources, { baseDir, env }),
    sharedStore: readSharedStore(sources, { baseDir, env }),
    instance: sources.read({ key: 'instance', variable: 'ASSAY_INSTANCE' }, instanceName, hostname()).value,
    logLevel: sources.read({ key: 'log_level', variable: 'ASSAY_LOG_LEVEL', flag: 'logLevel' }, logLevel, 'info').value,
  };
  checkTogether(settings, sources);
  return settings;
}

const PORTS = {
  otlpGrpcPort: { key: 'otlp_grpc_port', variable: 'ASSAY_OTLP_GRPC_PORT', flag: 'otlpGrpcPort' },
  otlpHttpPort: { key: 'otlp_http_port', variable: 'ASSAY_OTLP_HTTP_PORT', flag: 'otlpHttpPort' },
  httpPort: { key: 'http_port', variable: 'ASSAY_HTTP_PORT', flag: 'httpPort' },
} as const satisfies Record<string, SettingName>;
type Ports = { readonly [K in keyof typeof PORTS]: number };

function distinctPorts(sources: Sources, ports: { readonly [K in keyof Ports]: Sourced<number> }): Ports {
  const { otlpGrpcPort, otlpHttpPort, httpPort } = ports;
  const clash = (a: Sourced<number>, b: Sourced<number>, name: SettingName, other: SettingName) => {
    if (a.value !== b.value || a.value === 0) return;
    sources.mistake(name, b.origin, `${b.value} is the ${other.key} too`, 'a port of its own, or 0 for any free one');
  };
  clash(otlpGrpcPort, otlpHttpPort, PORTS.otlpHttpPort, PORTS.otlpGrpcPort);
  clash(otlpGrpcPort, httpPort, PORTS.httpPort, PORTS.otlpGrpcPort);
  clash(otlpHttpPort, httpPort, PORTS.httpPort, PORTS.otlpHttpPort);
  return { otlpGrpcPort: otlpGrpcPort.value, otlpHttpPort: otlpHttpPort.value, httpPort: httpPort.value };
}

/** Limits that make no sense together, each of them being fine by itself. */
function checkTogether(settings: Settings, sources: Sources): void {
  const { turn, conversation, journal, receive, store } = settings;
  if (settings.sharedStore !== undefined && settings.kafka === undefined) {
    const problem = 'a store that instances share is filled from Kafka, and no brokers are named';
    sources.mistake(
      { key: 'store.url', variable: 'ASSAY_STORE_URL' },
      'file',
      problem,
      'kafka.brokers or ASSAY_KAFKA_BROKERS as well',
    );
  }
  if (settings.kafka !== undefined && settings.redaction.hashUserIds && settings.redaction.salt === undefined) {
    const problem = 'instances that hash user ids each with a salt of their own give one user many names';
    sources.mistake({ key: 'redaction.hash_user_ids' }, 'file', problem, 'ASSAY_REDACTION_SALT, the same for all');
  }
  if (settings.kafka?.read === true && settings.sharedStore === undefined) {
    const problem = 'what is read from Kafka goes to a store that instances share, and none is named';
    sources.mistake(
      { key: 'kafka.brokers', variable: 'ASSAY_KAFKA_BROKERS' },
      'file',
      problem,
      'store.url or ASSAY_STORE_URL as well; or kafka.read: false, for an instance that only takes OTLP and writes it to Kafka',
    );
  }
  const atLeast = (key: string, value: number, least: number, other: string, format: (amount: number) => string) => {
    if (value >= least) return;
    sources.mistake(
      { key },
      'file',
      `${format(value)} is less than ${other}, which is ${format(least)}`,
      `at least ${format(least)}`,
    );
  };
  atLeast('turn.max_age', turn.maxAgeMs, turn.settleMs, 'turn.settle', formatDuration);
  atLeast('turn.max_age', turn.maxAgeMs, turn.idleMs, 'turn.idle', formatDuration);
  atLeast('conversation.max_age', conversation.maxAgeMs, conversation.idleMs, 'conversation.idle', formatDuration);
  atLeast('journal.max_bytes', journal.maxBytes, 2 * journal.segmentBytes, 'twice journal.segment_bytes', formatSize);
  const inFlight = receive.maxInFlightBytes;
  atLeast('receive.max_in_flight_bytes', inFlight, receive.maxBodyBytes, 'receive.max_body_bytes', formatSize);
  const keptFailed = store.keepFailedDays * DAY;
  atLeast('store.keep_failed', keptFailed, store.keepDays * DAY, 'store.keep', formatDuration);
}

interface OpenedConfig {
  readonly document: WrittenDocument | undefined;
  readonly baseDir: string;
  readonly mistakes: readonly Mistake[];
}

/** The file named by flag or variable, which must be there; else `assay.yaml` where one stands, if there is one. */
function openConfig(flags: Flags, env: Variables, cwd: string): OpenedConfig {
  const { config } = flags;
  const variable = env.ASSAY_CONFIG === '' ? undefined : env.ASSAY_CONFIG;
  const named = typeof config === 'string' ? config : variable;
  const file = path.resolve(cwd, named ?? CONFIG_FILE);
  if (named === undefined && !existsSync(file)) return { document: undefined, baseDir: cwd, mistakes: [] };
  const baseDir = path.dirname(file);
  const relative = path.relative(cwd, file);
  const shown = relative.startsWith('..') ? file : relative;
  try {
    return { document: readWrittenDocument(readFileSync(file, 'utf8'), shown), baseDir, mistakes: [] };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const from = typeof config === 'string' ? '--config' : 'ASSAY_CONFIG';
    const expected = named === undefined ? 'a file that can be read' : `${from} to name a file that can be read`;
    const mistake: Mistake = { file: shown, line: undefined, column: undefined, path: '', problem, expected };
    return { document: undefined, baseDir, mistakes: [mistake] };
  }
}

const instanceName = z
  .string('a name')
  .regex(/^[\w.-]{1,128}$/, 'a name of letters, digits, dots, _ and -, at most 128 characters');
const someText = z.string('a text').min(1, 'a text that is not empty');
const hostText = z.string('an address').regex(/^[\w.:-]+$/, 'an address such as 127.0.0.1, 0.0.0.0 or ::1');
const suiteList = z
  .array(
    z.string('a list of names and paths').min(1, 'names and paths that are not empty'),
    'a list of names and paths',
  )
  .readonly();
const ID_KEYS_MAX = 32;
const keyList = z
  .array(z.string('attribute keys').min(1, 'attribute keys that are not empty'), 'a list of attribute keys')
  .max(ID_KEYS_MAX, `at most ${ID_KEYS_MAX} attribute keys`)
  .readonly();
const SEGMENT_KEYS_MAX = 8;
const attributeKey = z.string('an attribute key').min(1, 'an attribute key that is not empty');
const segmentKeys = z.union(
  [
    attributeKey.transform((key) => [key]),
    z.array(attributeKey).max(SEGMENT_KEYS_MAX, `at most ${SEGMENT_KEYS_MAX} attribute keys`),
  ],
  'an attribute key, or a list of some',
);
const logLevel = z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`);

/** Flags and variables are texts; a whole number is one either way. */
function wholeNumber(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], expected)
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, expected);
}
