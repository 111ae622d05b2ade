import { HAND_OVER_TOOLS } from '../../src/model/hand-over-tools.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { receiveLimits } from '../../src/config/fixed-settings.ts';
import { formatMistakes } from '../../src/model/mistake.ts';

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'assay-config-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

interface Given {
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
}

function load({ file, env = {}, flags = {} }: Given) {
  const config = path.join(cwd, 'assay.yaml');
  if (file === undefined) rmSync(config, { force: true });
  else writeFileSync(config, file);
  return loadSettings({ flags, env, cwd });
}

function lines(given: Given): string[] {
  return load(given).mistakes.map(({ file, line, path: where, problem, expected }) =>
    [file, line, where, problem, expected].join(' | '),
  );
}

test('without anything written, the defaults hold', () => {
  const { settings, mistakes } = load({});

  expect(mistakes).toEqual([]);
  expect(settings).toEqual({
    acceptLoss: false,
    baseDir: cwd,
    host: '127.0.0.1',
    dataDir: path.join(cwd, 'data'),
    exporters: { known: [] },
    experimentsDir: path.join(cwd, 'data', 'experiments'),
    otlpGrpcPort: 4317,
    otlpHttpPort: 4318,
    httpPort: 4319,
    http: { writeToken: undefined, allowedHosts: [], trustedProxies: [] },
    access: {
      required: false,
      insecureNoAuth: false,
      tokensFile: undefined,
      auditBytes: 64 * 2 ** 20,
      sessionLifetimeMs: 43_200_000,
      sessionKey: undefined,
      oidc: undefined,
    },
    suites: ['default', 'honesty'],
    shadowSuites: [],
    turn: {
      settleMs: 10_000,
      idleMs: 60_000,
      maxAgeMs: 900_000,
      maxSpans: 5000,
      maxBytes: 16 * 2 ** 20,
      reopenMs: 86_400_000,
    },
    conversation: { idleMs: 300_000, maxAgeMs: 86_400_000, maxTurns: 200, idKeys: [], handOverTools: HAND_OVER_TOOLS },
    journal: { maxBytes: 8 * 2 ** 30, segmentBytes: 64 * 2 ** 20 },
    receive: receiveLimits(Number.MAX_SAFE_INTEGER),
    store: { maxBytes: 20 * 2 ** 30, keepMs: 30 * 86_400_000, keepFailedMs: 90 * 86_400_000 },
    score: { checkTimeoutMs: 1000 },
    metrics: { maxLabelValues: 1000, maxSeries: 20_000, segment: [], maxSegments: 100 },
    detection: {
      active: true,
      falseAlarmsPerMonth: 1,
      learnConversations: 50,
      learnHistoryMs: 7 * 86_400_000,
      baselineMemoryMs: 14 * 86_400_000,
      baselineGapMs: 86_400_000,
      recoveredMs: 86_400_000,
      holidays: [],
    },
    alerts: { webhooks: [], giveUpAfterMs: 86_400_000, timeoutMs: 10_000 },
    page: { traceUrl: undefined, dashboardUrl: undefined },
    redaction: {
      patterns: ['card', 'iban', 'bearer', 'api_key', 'jwt', 'secret', 'url_password'],
      keys: [],
      custom: [],
      hashUserIds: false,
      salt: undefined,
    },
    judging: {
      judges: [],
      budget: { perHour: Number.POSITIVE_INFINITY, perDay: Number.POSITIVE_INFINITY },
      limitMs: 3_600_000,
    },
    telemetry: undefined,
    kafka: undefined,
    sharedStore: undefined,
    instance: hostname(),
    truth: [],
    prices: [],
    project: undefined,
    projects: [],
    logLevel: 'info',
  });
});

test('a flag wins over a variable, that over the file, that over the default', () => {
  const file = 'http_port: 1001\notlp_http_port: 1002\notlp_grpc_port: 1003\n';
  const env = { ASSAY_HTTP_PORT: '2001', ASSAY_OTLP_HTTP_PORT: '2002', ASSAY_HOST: '' };

  const { settings, mistakes } = load({ file, env, flags: { httpPort: '3001' } });

  expect(mistakes).toEqual([]);
  expect([settings.httpPort, settings.otlpHttpPort, settings.otlpGrpcPort, settings.host]).toEqual([
    3001,
    2002,
    1003,
    '127.0.0.1',
  ]);
});

test('every setting of the file arrives', () => {
  const { settings, mistakes } = load({
    file: `host: 0.0.0.0
data_dir: /var/lib/assay
experiments: /var/lib/experiments
suites: [default, ./mine]
shadow_suites: [default, ./mine/next.yaml]
turn: { settle: 2s, idle: 30, max_age: 10m, max_bytes: 32MiB }
conversation: { idle: 90s, max_age: 2h, max_turns: 5, id_keys: [app.chat_id] }
journal: { max_bytes: 1GiB }
store: { max_bytes: 1TiB, keep: 7d, keep_failed: 14d }
metrics: { max_label_values: 500, segment: customer.tier }
log_level: warn
`,
  });

  expect(formatMistakes(mistakes)).toBe('');
  expect(settings).toMatchObject({
    host: '0.0.0.0',
    dataDir: '/var/lib/assay',
    experimentsDir: '/var/lib/experiments',
    suites: ['default', './mine'],
    shadowSuites: ['default', path.join(cwd, 'mine/next.yaml')],
    turn: {
      settleMs: 2000,
      idleMs: 30_000,
      maxAgeMs: 600_000,
      maxSpans: 10_001,
      maxBytes: 32 * 2 ** 20,
    },
    conversation: { idleMs: 90_000, maxAgeMs: 7_200_000, maxTurns: 5, idKeys: ['app.chat_id'] },
    journal: { maxBytes: 2 ** 30, segmentBytes: 8 * 2 ** 20 },
    store: { maxBytes: 2 ** 40, keepMs: 7 * 86_400_000, keepFailedMs: 14 * 86_400_000 },
    metrics: { maxLabelValues: 500, maxSeries: 20_000, segment: ['customer.tier'], maxSegments: 50 },
    logLevel: 'warn',
  });
});

test('all mistakes are given at once, each with where it was written and what was expected', () => {
  const found = lines({
    file: `host: "not a host"
otlp_http_prt: 5
turn:
  settle: 10 x
  max_byts: 5
store: 5
suites: [a, 4]
log_level: loud
`,
    env: { ASSAY_HTTP_PORT: '99999', ASSAY_TURN_IDLE: 'soon' },
    flags: { otlpGrpcPort: '4317x', unrelated: true },
  });

  expect(found).toEqual([
    'assay.yaml | 1 | host | "not a host" is not right | an address such as 127.0.0.1, 0.0.0.0 or ::1',
    '--otlp-grpc-port |  |  | "4317x" is not right | a whole number from 0 to 65535',
    'environment variable ASSAY_HTTP_PORT |  |  | "99999" is not right | a whole number from 0 to 65535',
    'assay.yaml | 7 | suites[1] | 4 is not right | a list of names and paths',
    'assay.yaml | 4 | turn.settle | "10 x" is not right | a duration such as 10s, 5m or 2h, from 0ms to 1h',
    'environment variable ASSAY_TURN_IDLE |  |  | "soon" is not right | a duration such as 10s, 5m or 2h, from 1ms to 1d',
    'assay.yaml | 8 | log_level | "loud" is not right | one of debug, info, warn, error',
    "assay.yaml | 2 | otlp_http_prt | unknown setting 'otlp_http_prt' | did you mean 'otlp_http_port'?",
    "assay.yaml | 5 | turn.max_byts | unknown setting 'max_byts' | did you mean 'max_bytes'?",
    'assay.yaml | 6 | store | 5 is not right | a mapping of fields',
  ]);
});

describe('settings that make no sense together', () => {
  test.each([
    ['http_port: 4317', 'http_port | 4317 is the otlp_grpc_port too | a port of its own, or 0 for any free one'],
    ['turn: { idle: 1h }', 'turn.max_age | 15m is less than turn.idle, which is 1h | at least 1h'],
    ['store: { keep_failed: 1d }', 'store.keep_failed | 1d is less than store.keep, which is 30d | at least 30d'],
  ])('%s', (file, mistake) => {
    expect(lines({ file })).toEqual([`assay.yaml | 1 | ${mistake}`]);
  });

  test('any free port is shared by nobody', () => {
    expect(lines({ flags: { httpPort: 0, otlpHttpPort: 0, otlpGrpcPort: '0' } })).toEqual([]);
  });
});

describe('the file', () => {
  test('that is named must be there', () => {
    expect(load({ flags: { config: 'nothing.yaml' } }).mistakes).toMatchObject([
      { file: 'nothing.yaml', expected: '--config to name a file that can be read' },
    ]);
    expect(load({ env: { ASSAY_CONFIG: 'nothing.yaml' } }).mistakes).toMatchObject([
      { expected: 'ASSAY_CONFIG to name a file that can be read' },
    ]);
  });

  test('makes its paths relative to itself; variables and flags to where one stands', () => {
    const folder = mkdtempSync(path.join(cwd, 'etc-'));
    writeFileSync(path.join(folder, 'a.yaml'), 'data_dir: store\n');

    const written = loadSettings({ flags: { config: path.join(folder, 'a.yaml') }, env: {}, cwd }).settings;
    const given = loadSettings({
      flags: { config: path.join(folder, 'a.yaml') },
      env: { ASSAY_DATA_DIR: 'store' },
      cwd,
    }).settings;

    expect([written.dataDir, written.baseDir]).toEqual([path.join(folder, 'store'), folder]);
    expect(given.dataDir).toBe(path.join(cwd, 'store'));
  });

  test.each([
    ['no YAML', 'host: [', 'valid YAML'],
    ['a list', '- host', 'settings such as `http_port: 4319`'],
  ])('that is %s is a mistake, and the settings are the defaults', (_what, file, expected) => {
    const { settings, mistakes } = load({ file });

    expect(mistakes[0]?.expected).toBe(expected);
    expect(settings.httpPort).toBe(4319);
  });

  test('may be empty', () => {
    expect(lines({ file: '' })).toEqual([]);
    expect(lines({ file: '# nothing yet\nturn:\n' })).toEqual([]);
  });
});

describe('redaction', () => {
  test.each([
    ['all', ['email', 'phone', 'card', 'iban', 'bearer', 'api_key', 'jwt', 'secret', 'url_password']],
    ['none', []],
    ['[jwt, email]', ['email', 'jwt']],
  ])('the patterns may be %s', (written, patterns) => {
    const { settings, mistakes } = load({ file: `redaction: {patterns: ${written}}` });

    expect(mistakes).toEqual([]);
    expect(settings.redaction.patterns).toEqual(patterns);
  });

  test('the rest is taken as written, the salt only from the environment', () => {
    const { settings, mistakes } = load({
      file: `redaction:
  keys: ["http.request.header.*"]
  custom: [{name: employee, pattern: "EMP-[0-9]{6}"}]
  hash_user_ids: true
`,
      env: { ASSAY_REDACTION_SALT: '0123456789abcdef' },
    });

    expect(mistakes).toEqual([]);
    expect(settings.redaction).toMatchObject({
      keys: ['http.request.header.*'],
      custom: [{ name: 'employee', pattern: 'EMP-[0-9]{6}' }],
      hashUserIds: true,
      salt: '0123456789abcdef',
    });
  });

  test('every mistake is named where it stands', () => {
    const found = lines({
      file: `redaction:
  patterns: [emial, card]
  keys: [1]
  custom:
    - {name: employee, pattern: "EMP-(?<!x)1"}
    - {name: Email, pattern: "x*"}
    - name: employee
      pattern: x
    - pattern: y
    - {name: jwt, pattern: z, flags: i}
  hash_user_ids: yes please
  salt: abc
`,
      env: { ASSAY_REDACTION_SALT: 'short' },
    });

    expect(found.map((line) => line.split(' | ').slice(0, 4).join(' | '))).toEqual([
      'assay.yaml | 2 | redaction.patterns[0] | "emial" is not right',
      'assay.yaml | 3 | redaction.keys[0] | 1 is not right',
      'assay.yaml | 5 | redaction.custom[0].pattern | "EMP-(?<!x)1" is not right',
      'assay.yaml | 6 | redaction.custom[1].name | "Email" is not right',
      'assay.yaml | 6 | redaction.custom[1].pattern | "x*" is not right',
      'assay.yaml | 9 | redaction.custom[3].name | it is missing',
      'assay.yaml | 10 | redaction.custom[4].name | "jwt" is not right',
      'assay.yaml | 10 | redaction.custom[4] | {"name":"jwt","pattern":"z","flags":"i"} is not right',
      'assay.yaml | 11 | redaction.hash_user_ids | "yes please" is not right',
      'environment variable ASSAY_REDACTION_SALT |  |  | a salt of 5 characters can be guessed',
      "assay.yaml | 12 | redaction.salt | unknown setting 'salt'",
    ]);
    expect(found[2]).toContain('RE2 syntax');
    expect(found[4]).toContain('it matches the empty text');
  });

  test('two patterns of one name are a mistake', () => {
    const found = lines({ file: 'redaction: {custom: [{name: a, pattern: x}, {name: a, pattern: y}]}' });

    expect(found).toEqual([
      'assay.yaml | 1 | redaction.custom[1].name | "a" is not right | a name that no other pattern has',
    ]);
  });
});

test('a price that can never count is a mistake', () => {
  const price = 'input_per_million: 1, output_per_million: 2';
  const of = (...models: readonly string[]) => ({
    file: `prices:\n  models:\n${models.map((model) => `    - { model: '${model}', ${price} }\n`).join('')}`,
  });
  const expected = 'a name or a glob: only * and ? are patterns, not { } or [ ]';

  expect(lines(of('gpt-5-mini*', 'gpt-5*', 'claude-?-opus'))).toEqual([]);
  for (const model of ['{gpt,o}-*', 'claude-[34]*'])
    expect(lines(of(model))).toEqual([
      expect.stringMatching(`models\\[0\\]\\.model .*${expected.replace(/[*?[{}\]]/g, '\\$&')}`),
    ]);
  expect(lines(of('gpt-5*', 'o3', 'gpt-5-mini*'))).toEqual([
    expect.stringContaining('a model that `gpt-5*` before it does not match: the first that matches counts'),
  ]);
  expect(lines(of('gpt-5*', 'o3', 'gpt-5-mini*'))[0]).toContain('prices.models[2].model');
});
