import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'assay-config-'));
  writeFileSync(path.join(cwd, 'password'), 's3cret\n');
  writeFileSync(path.join(cwd, 'ca.pem'), 'CERTIFICATE');
});
afterAll(() => rmSync(cwd, { recursive: true }));

function load(file: string, env: Readonly<Record<string, string>> = {}) {
  writeFileSync(path.join(cwd, 'assay.yaml'), file);
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return {
    settings,
    mistakes: mistakes.map(({ line, path: where, problem, expected }) => [line, where, problem, expected].join(' | ')),
  };
}

const STORE = 'store: {url: postgres://assay@db/assay}\n';

test('brokers, topics and the shared store, from the environment alone', () => {
  const { settings, mistakes } = load('', {
    ASSAY_KAFKA_BROKERS: 'a:9092, b:9092',
    ASSAY_KAFKA_LOGS: 'otlp_logs',
    ASSAY_STORE_URL: 'postgres://assay:p%40ss@db:5433/assay?sslmode=require',
    ASSAY_INSTANCE: 'assay-0',
  });

  expect(mistakes).toEqual([]);
  expect(settings.instance).toBe('assay-0');
  expect(settings.kafka).toMatchObject({
    brokers: ['a:9092', 'b:9092'],
    topics: { spans: ['otlp_spans'], logs: ['otlp_logs'] },
    group: 'assay',
    from: 'earliest',
    tls: undefined,
    sasl: undefined,
    read: true,
    accept: true,
  });
  expect(settings.sharedStore).toEqual({
    url: 'postgres://assay@db:5433/assay',
    password: 'p@ss',
    tls: { ca: undefined, cert: undefined, key: undefined },
    leaseMs: 30_000,
  });
});

test('secrets come from the file that the configuration names, or from a variable', () => {
  const { settings, mistakes } = load(
    `kafka:
  brokers: [a:9093]
  tls: {ca_file: ca.pem}
  sasl: {mechanism: scram-sha-512, username: assay, password_file: password}
store:
  url: postgres://assay@db/assay
`,
    { ASSAY_STORE_PASSWORD: 'other' },
  );

  expect(mistakes).toEqual([]);
  expect(settings.kafka?.sasl).toEqual({ mechanism: 'scram-sha-512', username: 'assay', password: 's3cret' });
  expect(settings.kafka?.tls?.ca).toBe('CERTIFICATE');
  expect(settings.sharedStore?.password).toBe('other');
});

test('a token comes from a file or from a server', () => {
  const fromFile = load(`${STORE}kafka: {brokers: [a:1], sasl: {mechanism: oauthbearer, token_file: token}}`);
  const fromServer = load(
    `${STORE}kafka: {brokers: [a:1], sasl: {mechanism: oauthbearer, token_url: https://id/token, client_id: me}}`,
    { ASSAY_KAFKA_CLIENT_SECRET: 'x' },
  );
  const fromNowhere = load(`${STORE}kafka: {brokers: [a:1], sasl: {mechanism: oauthbearer}}`);

  expect(fromFile.settings.kafka?.sasl).toEqual({ mechanism: 'oauthbearer', tokenFile: path.join(cwd, 'token') });
  expect(fromServer.settings.kafka?.sasl).toMatchObject({ tokenUrl: 'https://id/token', clientSecret: 'x' });
  expect(fromNowhere.mistakes.join()).toContain('oauthbearer does not say where its token comes from');
});

test.each([
  ['a broker without a port', `${STORE}kafka: {brokers: a}`, 'kafka.brokers | "a" is not right | host:port'],
  ['a topic named twice', `${STORE}kafka: {brokers: a:1, topics: {logs: [otlp_spans]}}`, "'otlp_spans' is named twice"],
  ['no topic of spans', `${STORE}kafka: {brokers: a:1, topics: {spans: []}}`, 'no topic holds spans'],
  ['a bad topic', `${STORE}kafka: {brokers: a:1, topics: {spans: [a b]}}`, 'names of topics'],
  ['a dead-letter topic that is read', `${STORE}kafka: {brokers: a:1, dead_letter_topic: otlp_spans}`, 'of its own'],
  ['scram without a user', `${STORE}kafka: {brokers: a:1, sasl: {mechanism: plain}}`, 'plain needs a user name'],
  ['half a certificate', `${STORE}kafka: {brokers: a:1, tls: {cert_file: ca.pem}}`, 'go together'],
  ['a file that is not there', `${STORE}kafka: {brokers: a:1, tls: {ca_file: nowhere.pem}}`, 'ENOENT'],
  ['a store without Kafka', STORE, 'no brokers are configured'],
  ['Kafka without a store', 'kafka: {brokers: a:1}', 'store.url is not set'],
  ['hashes without a salt', `${STORE}kafka: {brokers: a:1}\nredaction: {hash_user_ids: true}`, 'many names'],
  ['a password in the file', 'kafka: {brokers: a:1}\nstore: {url: "postgres://u:p@h/d"}', 'the URL holds a password'],
  ['a store of another kind', 'kafka: {brokers: a:1}\nstore: {url: "mysql://h/d"}', 'postgres://assay@db.example'],
  [
    'a variable without a secret',
    `${STORE}  \nkafka: {brokers: a:1, sasl: {mechanism: plain, username: u, password_env: NOT_SET}}`,
    "unknown setting 'password_env'",
  ],
])('%s is a mistake that says what to do', (_, file, expected) => {
  expect(load(file).mistakes.join('\n')).toContain(expected);
});

test('an instance that only takes OTLP needs no store', () => {
  expect(load('kafka: {brokers: a:1, role: gateway}').mistakes).toEqual([]);
});
