/**
 * The settings of Kafka: how to reach it, which topics hold spans and log records, and what this instance does with them. Without
 * brokers there is no Kafka, and Assay keeps its own log.
 */
import path from 'node:path';
import { z } from 'zod';
import { durationMs, sizeBytes } from './quantities.ts';
import { readFileSetting, readSecret, type SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';
import { yesOrNo } from './yes-or-no.ts';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly tls: TlsSettings | undefined;
  readonly sasl: SaslSettings | undefined;
  readonly group: string;
  readonly topics: { readonly spans: readonly string[]; readonly logs: readonly string[] };
  /** Where a group begins that has committed nothing yet. */
  readonly from: 'earliest' | 'latest';
  readonly sessionTimeoutMs: number;
  /** How long after a moment a record of that moment may still become visible. */
  readonly clockMarginMs: number;
  /** A record may hold this much when it is uncompressed. */
  readonly maxRecordBytes: number;
  /** What this instance writes is split into records of no more than this. */
  readonly recordBytes: number;
  /** Undefined: a record that can't be read is only logged and counted. */
  readonly deadLetterTopic: string | undefined;
  /** Undefined: evaluations are not sent. */
  readonly evaluationsTopic: string | undefined;
  /** Whether this instance reads the topics, and whether it takes OTLP and writes it to them. */
  readonly read: boolean;
  readonly accept: boolean;
}

export interface TlsSettings {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly serverName: string | undefined;
}

export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const;
export type SaslSettings =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: 'oauthbearer'; readonly tokenFile: string }
  | {
      readonly mechanism: 'oauthbearer';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | undefined;
    };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MIB = 2 ** 20;

export function readKafka(sources: Sources, places: SecretPlaces): KafkaSettings | undefined {
  const text = (key: string, variable: string | undefined, fallback: string) =>
    sources.read({ key, ...(variable === undefined ? {} : { variable }) }, someText, fallback).value;
  const optional = (key: string, variable?: string) => {
    const value = text(key, variable, '');
    return value === '' ? undefined : value;
  };
  const flag = (key: string, variable: string, fallback: boolean) =>
    sources.read({ key, variable }, yesOrNo, fallback).value;

  const brokers = sources.read({ key: 'kafka.brokers', variable: 'ASSAY_KAFKA_BROKERS' }, brokerList, []).value;
  const settings: KafkaSettings = {
    brokers,
    clientId: text('kafka.client_id', undefined, 'assay'),
    tls: readTls(sources, places, optional),
    sasl: readSasl(sources, places, optional),
    group: text('kafka.group', 'ASSAY_KAFKA_GROUP', 'assay'),
    topics: {
      spans: sources.read({ key: 'kafka.topics.spans', variable: 'ASSAY_KAFKA_SPANS' }, topicList, ['otlp_spans'])
        .value,
      logs: sources.read({ key: 'kafka.topics.logs', variable: 'ASSAY_KAFKA_LOGS' }, topicList, []).value,
    },
    from: sources.read({ key: 'kafka.from' }, from, 'earliest').value,
    sessionTimeoutMs: sources.read(
      { key: 'kafka.session_timeout', variable: 'ASSAY_KAFKA_SESSION_TIMEOUT' },
      durationMs({ min: SECOND, max: 10 * MINUTE }),
      30 * SECOND,
    ).value,
    clockMarginMs: sources.read(
      { key: 'kafka.clock_margin', variable: 'ASSAY_KAFKA_CLOCK_MARGIN' },
      durationMs({ min: 0, max: 10 * MINUTE }),
      // A broker that dies is missed after nine seconds, and what it had can be read only after that.
      15 * SECOND,
    ).value,
    maxRecordBytes: sources.read({ key: 'kafka.max_record_bytes' }, sizeBytes({ min: 1024, max: 1024 * MIB }), 64 * MIB)
      .value,
    recordBytes: sources.read({ key: 'kafka.record_bytes' }, sizeBytes({ min: 1024, max: 1024 * MIB }), 900_000).value,
    deadLetterTopic: optional('kafka.dead_letter_topic', 'ASSAY_KAFKA_DEAD_LETTERS'),
    evaluationsTopic: optional('kafka.evaluations_topic', 'ASSAY_KAFKA_EVALUATIONS'),
    read: flag('kafka.read', 'ASSAY_KAFKA_READ', true),
    accept: flag('kafka.accept', 'ASSAY_KAFKA_ACCEPT', true),
  };
  if (brokers.length === 0) return undefined;
  checkTogether(sources, settings);
  return settings;
}

function readTls(
  sources: Sources,
  places: SecretPlaces,
  optional: (key: string) => string | undefined,
): TlsSettings | undefined {
  const enabled = sources.read({ key: 'kafka.tls.enabled', variable: 'ASSAY_KAFKA_TLS' }, yesOrNo, false).value;
  const ca = readFileSetting(sources, places, 'kafka.tls.ca_file');
  const cert = readFileSetting(sources, places, 'kafka.tls.cert_file');
  const key = readFileSetting(sources, places, 'kafka.tls.key_file');
  const serverName = optional('kafka.tls.server_name');
  if (!enabled && [ca, cert, key, serverName].every((part) => part === undefined)) return undefined;
  if ((cert === undefined) !== (key === undefined)) {
    const missing = cert === undefined ? 'kafka.tls.cert_file' : 'kafka.tls.key_file';
    sources.mistake({ key: missing }, 'file', 'a client certificate and its key go together', 'both, or neither');
  }
  return { ca, cert, key, serverName };
}

function readSasl(
  sources: Sources,
  places: SecretPlaces,
  optional: (key: string, variable?: string) => string | undefined,
): SaslSettings | undefined {
  const mechanism = sources.read(
    { key: 'kafka.sasl.mechanism', variable: 'ASSAY_KAFKA_SASL' },
    saslMechanism,
    undefined,
  ).value;
  const username = optional('kafka.sasl.username', 'ASSAY_KAFKA_USERNAME');
  const password = readSecret(sources, places, 'kafka.sasl.password', 'ASSAY_KAFKA_PASSWORD');
  const tokenFile = optional('kafka.sasl.token_file');
  const tokenUrl = optional('kafka.sasl.token_url');
  const clientId = optional('kafka.sasl.client_id');
  const clientSecret = readSecret(sources, places, 'kafka.sasl.client_secret', 'ASSAY_KAFKA_CLIENT_SECRET');
  const scope = optional('kafka.sasl.scope');
  if (mechanism === undefined) return undefined;
  if (mechanism === 'oauthbearer') {
    if (tokenFile !== undefined) return { mechanism, tokenFile: path.resolve(places.baseDir, tokenFile) };
    if (tokenUrl !== undefined && clientId !== undefined && clientSecret !== undefined) {
      return { mechanism, tokenUrl, clientId, clientSecret, scope };
    }
    const expected = 'kafka.sasl.token_file; or token_url, client_id and client_secret_file or client_secret_env';
    sources.mistake({ key: 'kafka.sasl' }, 'file', 'oauthbearer does not say where its token comes from', expected);
    return undefined;
  }
  if (username !== undefined && password !== undefined) return { mechanism, username, password };
  const missing = username === undefined ? 'user name' : 'password';
  const expected = 'kafka.sasl.username, and kafka.sasl.password_file, password_env or ASSAY_KAFKA_PASSWORD';
  sources.mistake({ key: 'kafka.sasl' }, 'file', `${mechanism} needs a ${missing}`, expected);
  return undefined;
}

function checkTogether(sources: Sources, { topics, read, accept, deadLetterTopic, evaluationsTopic }: KafkaSettings) {
  const read_ = [...topics.spans, ...topics.logs];
  const twice = read_.find((topic, index) => read_.indexOf(topic) !== index);
  if (twice !== undefined) {
    sources.mistake(
      { key: 'kafka.topics' },
      'file',
      `'${twice}' is named twice`,
      'each topic once, under spans or logs',
    );
  }
  if (topics.spans.length === 0) {
    sources.mistake({ key: 'kafka.topics.spans' }, 'file', 'no topic holds spans', 'at least one topic');
  }
  for (const [key, topic] of [
    ['kafka.dead_letter_topic', deadLetterTopic],
    ['kafka.evaluations_topic', evaluationsTopic],
  ] as const) {
    if (topic === undefined || !read_.includes(topic)) continue;
    sources.mistake({ key }, 'file', `'${topic}' is read as spans or logs too`, 'a topic of its own');
  }
  if (!read && !accept) {
    const problem = 'with kafka.read and kafka.accept both false there is nothing to do';
    sources.mistake({ key: 'kafka.accept' }, 'file', problem, 'at least one of them true');
  }
}

const someText = z.string('a text').min(1, 'a text that is not empty');
const TOPIC = /^[A-Za-z0-9._-]{1,249}$/;
const topicExpected = 'names of topics: letters, digits, dots, _ and -';
const separated = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
const topicList = z
  .union([z.array(z.string()), separated], topicExpected)
  .refine((topics) => topics.every((topic) => TOPIC.test(topic)), topicExpected)
  .readonly();
const brokerExpected = 'host:port of the brokers, as a list or separated by commas';
const brokerList = z
  .union([z.array(z.string()), separated], brokerExpected)
  .refine((brokers) => brokers.length > 0 && brokers.every((broker) => /^.+:\d{1,5}$/.test(broker)), brokerExpected)
  .readonly();
const from = z.enum(['earliest', 'latest'], 'earliest or latest');
const saslMechanism = z.enum(SASL_MECHANISMS, `one of ${SASL_MECHANISMS.join(', ')}`).optional();
/** A variable is a text. */
