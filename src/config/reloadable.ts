/**
 * Which settings may change while Assay runs. What a receiver, the journal, the store or Kafka was opened with stays as it is until the next
 * start; what only the scoring thread, the webhooks, the log or the API ask for is taken from the new configuration.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Settings } from './settings.ts';

export interface Reloaded {
  /** What runs from now on. */
  readonly settings: Settings;
  /** Settings, as people write them, that have changed and need a restart. */
  readonly needRestart: readonly string[];
}

/** 'now', or what it is called in the file. */
const TAKEN: Readonly<Record<keyof Settings, 'now' | readonly string[]>> = {
  baseDir: 'now',
  suites: 'now',
  shadowSuites: 'now',
  http: 'now',
  score: 'now',
  conversation: 'now',
  detection: 'now',
  alerts: 'now',
  results: 'now',
  truth: 'now',
  store: 'now',
  logLevel: 'now',
  experimentsDir: 'now',
  host: ['host'],
  dataDir: ['data_dir'],
  otlpGrpcPort: ['otlp_grpc_port'],
  otlpHttpPort: ['otlp_http_port'],
  httpPort: ['http_port'],
  turn: ['turn'],
  journal: ['journal'],
  receive: ['receive'],
  metrics: ['metrics'],
  redaction: ['redaction'],
  judging: ['judges'],
  telemetry: ['telemetry'],
  kafka: ['kafka'],
  sharedStore: ['store.url', 'store.lease', 'the password or certificates of the store'],
  instance: ['instance'],
};

export function reloaded(running: Settings, next: Settings): Reloaded {
  const needRestart: string[] = [];
  const kept: Partial<Record<keyof Settings, unknown>> = {};
  for (const key of Object.keys(TAKEN) as (keyof Settings)[]) {
    const taken = TAKEN[key];
    if (taken === 'now' || isDeepStrictEqual(running[key], next[key])) continue;
    needRestart.push(taken.join(' or '));
    kept[key] = running[key];
  }
  // What joins conversations is kept from redaction as well, and that is not made anew.
  const { idKeys } = running.conversation;
  if (!isDeepStrictEqual(idKeys, next.conversation.idKeys)) needRestart.push('conversation.id_keys');
  // The cast holds: each value kept is that of the same key.
  const settings = { ...next, ...(kept as Partial<Settings>), conversation: { ...next.conversation, idKeys } };
  return { settings, needRestart };
}
