/**
 * The settings of Kafka: how to reach it, which topics hold spans and log records, and what this instance does with them. Without
 * brokers there is no Kafka, and Assay keeps its own log.
 */
import path from 'node:path';
import { z } from 'zod';
import { certificates, secret } from './secrets.ts';
import { section, type SettingsOf } from './section.ts';
import { choice, type Declared, duration, separated, setting, text, type ValuesOf, yesOrNo } from './setting.ts';
import type { Sources } from './sources.ts';

const TOPIC = /^[A-Za-z0-9._-]{1,249}$/;
const topicExpected = 'names of topics: letters, digits, dots, _ and -';
const topicList = z
  .union([z.array(z.string()).readonly(), separated], topicExpected)
  .refine((topics) => topics.every((topic) => TOPIC.test(topic)), topicExpected)
  .readonly();
const brokerExpected = 'host:port of the brokers, as a list or separated by commas';
const brokerList = z
  .union([z.array(z.string()).readonly(), separated], brokerExpected)
  .refine((brokers) => brokers.length > 0 && brokers.every((broker) => /^.+:\d{1,5}$/.test(broker)), brokerExpected)
  .readonly();

/** Size of a record, uncompressed: as much as a request over OTLP may have. A larger one is a dead letter. */
const RECORD_BYTES_MAX = 64 * 2 ** 20;

const topics = <const D extends Declared>(declared: D, help: string) => setting(declared, help, topicList);

const TLS = {
  enabled: yesOrNo(
    { key: 'kafka.tls.enabled', variable: 'ASSAY_KAFKA_TLS', default: false },
    'Whether connections are encrypted; any certificate or name below implies it.',
  ),
  ...certificates('kafka.tls'),
  serverName: text(
    { key: 'kafka.tls.server_name', example: 'kafka', rare: true },
    "Name in the brokers' certificates, where it is not that of their addresses.",
  ),
};

const SASL = {
  mechanism: choice(
    ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'],
    { key: 'kafka.sasl.mechanism', variable: 'ASSAY_KAFKA_SASL', example: 'scram-sha-512' },
    'How this client authenticates; not at all unless given.',
  ),
  username: text(
    { key: 'kafka.sasl.username', variable: 'ASSAY_KAFKA_USERNAME', example: 'assay' },
    'User name, for all mechanisms except oauthbearer.',
  ),
  password: secret({ key: 'kafka.sasl.password_file', variable: 'ASSAY_KAFKA_PASSWORD' }, 'Password of that user.'),
  tokenFile: text(
    { key: 'kafka.sasl.token_file', example: '/run/secrets/token', rare: true },
    'File with the token of oauthbearer, read again for each connection.',
  ),
  tokenUrl: text(
    { key: 'kafka.sasl.token_url', example: 'https://id.example/token', rare: true },
    'Server that issues tokens for oauthbearer; needs client_id and client_secret.',
  ),
  clientId: text({ key: 'kafka.sasl.client_id', example: 'assay', rare: true }, 'Name of this client at that server.'),
  clientSecret: secret(
    { key: 'kafka.sasl.client_secret_file', variable: 'ASSAY_KAFKA_CLIENT_SECRET', rare: true },
    'Secret of this client at that server.',
  ),
  scope: text({ key: 'kafka.sasl.scope', example: 'kafka', rare: true }, 'Scope that is asked of that server.'),
};

const DECLARED = {
  brokers: setting(
    { key: 'kafka.brokers', variable: 'ASSAY_KAFKA_BROKERS', example: ['kafka-1:9092', 'kafka-2:9092'] },
    'Brokers to begin with, in the variable separated by commas.',
    brokerList,
  ),
  tls: TLS,
  sasl: SASL,
  group: text({ key: 'kafka.group', variable: 'ASSAY_KAFKA_GROUP', default: 'assay' }, 'Consumer group.'),
  topics: {
    spans: topics({ key: 'kafka.topics.spans', variable: 'ASSAY_KAFKA_SPANS', default: ['otlp_spans'] }, 'Of spans.'),
    logs: topics(
      { key: 'kafka.topics.logs', variable: 'ASSAY_KAFKA_LOGS', default: [], example: ['otlp_logs'] },
      'Topics of log records, with as many partitions as the topics of spans.',
    ),
  },
  from: choice(
    ['earliest', 'latest'],
    { key: 'kafka.from', default: 'earliest', rare: true },
    'Where a new group begins.',
  ),
  sessionTimeoutMs: duration(
    {
      key: 'kafka.session_timeout',
      variable: 'ASSAY_KAFKA_SESSION_TIMEOUT',
      default: '30s',
      min: '1s',
      max: '10m',
      rare: true,
    },
    'A silent instance loses its partitions, and its conversations in the shared store, after this long.',
  ),
  clockMarginMs: duration(
    {
      key: 'kafka.clock_margin',
      variable: 'ASSAY_KAFKA_CLOCK_MARGIN',
      // A broker that dies is missed after nine seconds, and what it had can be read only after that.
      default: '15s',
      min: '0ms',
      max: '10m',
      rare: true,
    },
    'How much later than its timestamp a record may appear.',
  ),
  deadLetterTopic: text(
    { key: 'kafka.dead_letter_topic', variable: 'ASSAY_KAFKA_DEAD_LETTERS', example: 'assay.dead-letters' },
    'Topic of records that cannot be read; without one they are counted and dropped.',
  ),
  evaluationsTopic: text(
    { key: 'kafka.evaluations_topic', variable: 'ASSAY_KAFKA_EVALUATIONS', example: 'assay.evaluations' },
    'Topic of evaluations; without one they are not sent.',
  ),
  role: choice(
    ['both', 'gateway', 'reader'],
    { key: 'kafka.role', variable: 'ASSAY_KAFKA_ROLE', default: 'both', rare: true },
    'A gateway only accepts OTLP and writes it to the topics, a reader only reads them.',
  ),
};

/** Undefined where Assay keeps its own log. */
export const KAFKA = section('start', 'Kafka instead of the journal (kafka.md).', DECLARED).build((values, sources) => {
  const tls = tlsOf(values.tls, sources);
  const sasl = saslOf(values.sasl, sources);
  const { role, ...others } = values;
  const { brokers } = others;
  if (brokers === undefined) return undefined;
  checkTopics(values, sources);
  const does = { read: role !== 'gateway', accept: role !== 'reader' };
  return { ...others, ...does, brokers, tls, sasl, maxRecordBytes: RECORD_BYTES_MAX };
});
export type KafkaSettings = NonNullable<SettingsOf<typeof KAFKA>>;
export type SaslSettings = NonNullable<ReturnType<typeof saslOf>>;

function tlsOf({ enabled, ca, cert, key, serverName }: ValuesOf<typeof TLS>, sources: Sources) {
  if (!enabled && [ca, cert, key, serverName].every((part) => part === undefined)) return undefined;
  if ((cert === undefined) !== (key === undefined)) {
    const missing = cert === undefined ? 'kafka.tls.cert_file' : 'kafka.tls.key_file';
    sources.mistake(missing, 'a client certificate and its key go together', 'both, or neither');
  }
  return { ca, cert, key, serverName };
}

function saslOf(login: ValuesOf<typeof SASL>, sources: Sources) {
  const { mechanism, username, password, tokenFile, tokenUrl, clientId, clientSecret, scope } = login;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'oauthbearer') {
    if (tokenFile !== undefined) return { mechanism, tokenFile: path.resolve(sources.places.baseDir, tokenFile) };
    if (tokenUrl !== undefined && clientId !== undefined && clientSecret !== undefined) {
      return { mechanism, tokenUrl, clientId, clientSecret, scope };
    }
    const expected = 'kafka.sasl.token_file; or token_url, client_id and client_secret_file';
    sources.mistake('kafka.sasl', 'oauthbearer does not say where its token comes from', expected);
    return undefined;
  }
  if (username !== undefined && password !== undefined) return { mechanism, username, password };
  const missing = username === undefined ? 'user name' : 'password';
  const expected = 'kafka.sasl.username, and kafka.sasl.password_file or ASSAY_KAFKA_PASSWORD';
  sources.mistake('kafka.sasl', `${mechanism} needs a ${missing}`, expected);
  return undefined;
}

function checkTopics({ topics, deadLetterTopic, evaluationsTopic }: ValuesOf<typeof DECLARED>, sources: Sources): void {
  const all = [...topics.spans, ...topics.logs];
  const twice = all.find((topic, index) => all.indexOf(topic) !== index);
  if (twice !== undefined)
    sources.mistake('kafka.topics', `'${twice}' is named twice`, 'each topic once, under spans or logs');
  if (topics.spans.length === 0) sources.mistake('kafka.topics.spans', 'no topic holds spans', 'at least one topic');
  for (const [key, topic] of [
    ['kafka.dead_letter_topic', deadLetterTopic],
    ['kafka.evaluations_topic', evaluationsTopic],
  ] as const) {
    if (topic === undefined || !all.includes(topic)) continue;
    sources.mistake(key, `'${topic}' is read as spans or logs too`, 'a topic of its own');
  }
}
