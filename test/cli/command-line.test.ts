import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { assay } from '../assay-command.ts';
import { assayHere } from '../assay-here.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';

const REQUESTS = [...traffic({ seed: 5, conversations: 12, endMarks: 'all' })].flatMap((conversation) =>
  conversation.turns.map((turn) => exportRequest(turn, conversation.agentVersion)),
);
const RECORDING = REQUESTS.join('\n');

test('scores JSON lines from standard input and gives the documented JSON', () => {
  const { status, stdout } = assay(['score', '-', '--suite', 'default', '--json'], { input: RECORDING });

  expect(status).toBe(0);
  // The cast holds for what is asserted below.
  const report = JSON.parse(stdout) as {
    summary: Record<string, unknown>;
    evaluations: readonly Record<string, unknown>[];
  };
  expect(report.evaluations).toHaveLength(REQUESTS.length);
  expect(report.summary).toMatchObject({ conversations: 12, evaluations: REQUESTS.length });
  expect(Object.keys(report.evaluations[0] ?? {})).toEqual(
    expect.arrayContaining(['conversation_id', 'suite', 'revision', 'score', 'outcome', 'explanation', 'verdicts']),
  );
  expect(report.evaluations[0]?.verdicts).toMatchObject({
    answered: { verdict: expect.any(String), reason: expect.any(String), evidence: expect.any(Array) },
  });
});

test('the same spans give the same bytes as JSON lines, protobuf, length-prefixed protobuf and gzip', async () => {
  const directory = tempDirectory();
  const messages = REQUESTS.map((request) => transcodeTraces(Buffer.from(request)));
  const frames = messages.flatMap((message) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(message.length);
    return [length, message];
  });
  const files: Record<string, Uint8Array | string> = {
    'lines.jsonl': RECORDING,
    'lines.jsonl.gz': gzipSync(RECORDING),
    'framed.bin': Buffer.concat(frames),
    // Protobuf messages of this kind can be put one behind the other.
    'whole.pb': Buffer.concat(messages),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content);

  const outputs = await Promise.all(
    Object.keys(files).map((name) => assayHere(['score', name, '--suite', 'default', '--json'], { cwd: directory })),
  );

  expect(outputs.map(({ status, stderr }) => [status, stderr])).toEqual(outputs.map(() => [0, '']));
  expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
});

test('prints a summary for people: of form, faults, their kinds and what the score is; outcomes, failing criteria with examples', async () => {
  const { stdout } = await assayHere(['score', '-', '--suite', 'default'], { input: RECORDING });

  expect(stdout).toMatch(
    /default {3}\d+\.\d of 100 turns have a fault {3}form score 0\.\d{3} {3}\d+\.\d % decided\n {2}faults per 100 turns: answered \d/,
  );
  // It looks at form alone: no band, and no success.
  expect(stdout).toContain('form only: says nothing about whether the task was done');
  expect(stdout).toContain('form score: the mean score from 0 to 1 of a suite about form');
  expect(stdout).not.toMatch(/production ready|usable|not ready/);
  expect(stdout).toMatch(/no_fault_found +\d+ +\d+\.\d %/);
  expect(stdout).toMatch(/Failing most\n +default\/\w+ +failed +\d+ of \d+ +for example conversation-5-/);
  expect(stdout).not.toContain('\u001b');
});

test('writes JUnit XML that names what failed', async () => {
  const directory = tempDirectory();

  await assayHere(['score', '-', '--suite', 'default', '--junit', 'out.xml'], { input: RECORDING, cwd: directory });

  const xml = readFileSync(path.join(directory, 'out.xml'), 'utf8');
  expect(xml).toContain(`<testsuite name="default" tests="${REQUESTS.length}"`);
  expect(xml).toMatch(/<failure type="\w+" message="[^"]+">/);
});

test.each<[claim: string, args: string[], input: string, status: number, message: RegExp]>([
  ['a file that is not there', ['score', 'missing.jsonl'], '', 3, /there is no file missing\.jsonl/],
  ['a line that is not JSON', ['score', '-'], '{"resourceSpans": [}\n', 3, /standard input:1: /],
  [
    'a document that ends too early',
    ['score', '-'],
    '{"resourceSpans": [\n',
    3,
    /standard input: OTLP\/JSON at resourceSpans/,
  ],
  ['JSON that is no export request', ['score', '-'], '{"spans": []}', 3, /expected one OTLP\/JSON export request/],
  ['a suite that does not exist', ['score', '-', '--suite', 'nope'], '', 2, /nope/],
  ['an unknown flag', ['score', '-', '--sweet', 'default'], '', 2, /unknown option '--sweet'/],
  ['a store that does not exist', ['explain', 'x'], '', 3, /no store at .*start `assay serve` first/],
  ['a service on another port', ['export'], '', 3, /no store at .*or give its --data-dir, or the --url or --http-port/],
])('%s ends with its exit code and a message that says what to do', async (_claim, args, input, status, message) => {
  const result = await assayHere(args, { input });

  expect(result.stderr).toMatch(message);
  expect(result.status).toBe(status);
});

test('validate says every mistake of a configuration and its suites at once, with file and line', async () => {
  const directory = tempDirectory();
  writeFileSync(
    path.join(directory, 'assay.yaml'),
    'http_prot: 4319\nturn:\n  settle: soon\nsuites: [bad.yaml, default]\n',
  );
  writeFileSync(
    path.join(directory, 'bad.yaml'),
    [
      'suite: default',
      'scope: turn',
      'criteria:',
      '  - name: a',
      '    question: Is it?',
      '    weight: 0.5',
      "    check: final_answer + 1 == ''",
      '    wieght: 1',
      'outcomes:',
      '  - outcome: hard_failure',
      '    when: criteria.b.passed',
    ].join('\n'),
  );

  const { status, stderr } = await assayHere(['validate', 'assay.yaml'], { cwd: directory });

  expect(status).toBe(2);
  for (const part of [
    'assay.yaml:1',
    'http_prot',
    'http_port',
    'assay.yaml:3',
    'soon',
    'bad.yaml:8',
    'wieght',
    'bad.yaml:7',
    'bad.yaml:11',
    "two suites have the name 'default'",
    '0.5',
  ]) {
    expect(stderr).toContain(part);
  }
});

test('validate says what is wrong with each project', async () => {
  const directory = tempDirectory();
  const written = {
    'assay.yaml': 'data_dir: ./data\nprojects: { one: ./one.yaml, two: ./two.yaml, three: ./three.yaml }\n',
    'one.yaml': 'data_dir: ./one\nturn: { settle: banana }\n',
    'two.yaml': 'data_dir: ./data/two\n',
    'three.yaml': 'data_dir: ./three\n',
  };
  for (const [name, text] of Object.entries(written)) writeFileSync(path.join(directory, name), text);

  const { status, stderr } = await assayHere(['validate'], { cwd: directory });

  expect(status).toBe(2);
  expect(stderr).toContain('banana');
  expect(stderr).toContain('is that of the default project, or one is within the other');
  expect(stderr).not.toContain('three.yaml');
});

test('who only reads, or checks a file, needs no secrets of others; who serves does', async () => {
  const directory = tempDirectory();
  writeFileSync(
    path.join(directory, 'assay.yaml'),
    `judges: { default: { provider: openai, model: m, api_key_env: NOT_SET_HERE } }
alerts: { webhooks: [{ url_file: /nowhere/hook }] }
`,
  );
  const run = (...args: string[]) => assayHere(args, { cwd: directory, input: RECORDING });

  expect(await run('validate', 'assay.yaml')).toMatchObject({ status: 0, stderr: '' });
  expect(await run('score', '-', '--suite', 'default', '--json')).toMatchObject({ status: 0, stderr: '' });
  expect((await run('explain', 'x')).stderr).toMatch(/no store at/);
  const served = await run('serve');
  expect(served.status).toBe(2);
  expect(served.stderr).toMatch(/NOT_SET_HERE is not set[\s\S]*nowhere|nowhere[\s\S]*NOT_SET_HERE is not set/);
});

test('a suite is named as in the configuration, and a built-in one goes before it', async () => {
  const folder = tempDirectory();
  const suite = (name: string) =>
    `suite: ${name}\nscope: turn\ncriteria:\n  - { name: said, question: Said?, weight: 1, check: size(final_answer) > 0 }\n`;
  mkdirSync(path.join(folder, 'config'));
  writeFileSync(path.join(folder, 'config/assay.yaml'), 'suites: [support.yaml, own.yaml]\n');
  writeFileSync(path.join(folder, 'config/support.yaml'), suite('support'));
  writeFileSync(path.join(folder, 'config/own.yaml'), suite('default'));
  const scored = async (...suites: readonly string[]) => {
    const { status, stdout, stderr } = await assayHere(
      ['score', '-', '--config', 'config/assay.yaml', '--json', '--suite', ...suites],
      { input: RECORDING, cwd: folder },
    );
    const { evaluations } = status === 0 ? JSON.parse(stdout) : { evaluations: [] };
    const names = evaluations.map(({ suite: of, verdicts }: { suite: string; verdicts: object }) =>
      'said' in verdicts ? `${of} here` : of,
    );
    return { status, stderr, suites: [...new Set(names)].toSorted() };
  };

  expect(await scored('support')).toEqual({ status: 0, stderr: '', suites: ['support here'] });
  expect((await scored('support', 'error-recovery')).suites).toEqual(['error-recovery', 'support here']);
  expect((await scored('config/support.yaml')).suites).toEqual(['support here']);
  expect((await scored('default')).suites).toEqual(['default']);
  expect(await scored('suport')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("no built-in pack 'suport'"),
  });
});

test('validate warns of a suite in shadow that cannot be told from the live one', async () => {
  const directory = tempDirectory();
  const suite = (check: string, version: number) =>
    `suite: live\nversion: ${version}\nscope: turn\ncriteria:\n  - { name: a, question: A?, weight: 1, check: ${check} }\n`;
  const write = (name: string, text: string) => writeFileSync(path.join(directory, name), text);
  write('live.yaml', suite('turn.ok', 1));
  write('same.yaml', suite('turn.ended', 1));
  write('next.yaml', suite('turn.ended', 2));
  const validated = async (shadow: string, ...files: readonly string[]) => {
    write('assay.yaml', `suites: [./live.yaml]\nshadow_suites: [./${shadow}]\n`);
    return await assayHere(['validate', ...files], { cwd: directory });
  };

  for (const files of [[], ['assay.yaml']]) {
    expect(await validated('next.yaml', ...files)).toMatchObject({ status: 0, stderr: '' });
    expect(await validated('same.yaml', ...files)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(
        'warning: same.yaml: the suite in shadow is live@1, as is the live one in live.yaml',
      ),
    });
  }
});

test('validate names what it found good', async () => {
  const { status, stdout } = await assayHere(['validate', 'default', 'scheduling']);

  expect(status).toBe(0);
  expect(stdout).toMatch(
    /valid: default@4 \(turn, \d+ criteria\), scheduling@4 \(conversation, 6 criteria\)\n {2}default: form only/,
  );
});

test.each(Object.keys(COMMANDS))(
  '%s --help says what it does, in a process that has loaded nothing else',
  (command) => {
    const { status, stdout, stderr } = assay([command, '--help']);

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: assay ${command}`);
  },
);

test('every flag in the reference of the settings exists on the command line', async () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/configuration.md'), 'utf8');
  const helpOf = async (command: string) => (await assayHere([command, '--help'])).stdout;
  const [service, experiments] = [await helpOf('serve'), await helpOf('run')];
  const flags = [...page.matchAll(/^\| `([\w.]+)`.*`(--[\w-]+) <\w+>`/gm)];

  expect(flags.length).toBeGreaterThan(5);
  for (const [, key, flag] of flags) expect(key === 'experiments' ? experiments : service).toContain(`  ${flag} <`);
});

test.each(['detect', 'labels import'])('%s: --http-port is that of the service to ask', async (command) => {
  expect((await assayHere([...command.split(' '), '--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain(
    '--http-port <port> port of the service to ask (ASSAY_HTTP_PORT; default 4319)',
  );
});

test('names from spans reach a terminal without control characters', async () => {
  const [request = ''] = REQUESTS;
  const hostile = request
    .replaceAll(/"conversation-5-\d+"/g, JSON.stringify('x\u001b[31m\u0007\ny'))
    .replace('"stringValue":""', '"stringValue":""');

  const { stdout } = await assayHere(['score', '-', '--suite', 'default'], {
    input: [hostile, ...REQUESTS].join('\n'),
  });

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('suite test ends with 0, 1, 2 or 3, and says which line expected what', async () => {
  const directory = tempDirectory();
  const write = (name: string, text: string) => writeFileSync(path.join(directory, name), text);
  write(
    'short.yaml',
    'suite: short\nscope: turn\ncriteria:\n  - { name: short, question: Short?, weight: 1, check: size(final_answer) < 9 }\n',
  );
  const run = async (expected: string) => {
    write('short.test.yaml', `tests:\n  - { name: hello, user: Hi, answer: Hello, expect: { short: ${expected} } }\n`);
    return await assayHere(['suite', 'test', 'short.yaml', '--junit', 'out.xml'], { cwd: directory });
  };

  const passed = await run('pass');
  const failed = await run('fail');
  const mistaken = await run('fial');
  write('untested.yaml', readFileSync(path.join(directory, 'short.yaml'), 'utf8'));
  const untested = await assayHere(['suite', 'test', 'untested.yaml'], { cwd: directory });

  expect([passed.status, failed.status, mistaken.status, untested.status]).toEqual([0, 1, 2, 3]);
  expect(passed.stdout).toBe('pass  short: hello\n1 test passed\n');
  expect(failed.stdout).toMatch(
    /FAIL {2}short: hello {2}short\.test\.yaml:2\n +short\.test\.yaml:2: short\n +expected +fail\n +was +pass/,
  );
  expect(failed.stderr).toBe('1 of 1 tests failed\n');
  expect(readFileSync(path.join(directory, 'out.xml'), 'utf8')).toContain('failures="1"');
  expect(mistaken.stderr).toMatch(/short\.test\.yaml:2:\d+[\s\S]*did you mean 'fail'\?/);
  expect(untested.stderr).toMatch(/no tests: untested\.yaml/);
});

test.each([
  ['of a suite', 'suite: bomb\n'],
  ['of a configuration', ''],
])('validate refuses a YAML alias bomb %s with its file and line', async (_of, head) => {
  const directory = tempDirectory();
  const levels = 'abcdefghij'.split('');
  const bomb = levels.map((name, at) => `${name}: &${name} [${Array(9).fill(at === 0 ? 'x' : `*${levels[at - 1]}`)}]`);
  writeFileSync(path.join(directory, 'bomb.yaml'), `${head}${bomb.join('\n')}\n`);

  const { status, stderr } = await assayHere(['validate', 'bomb.yaml'], { cwd: directory });

  expect(status).toBe(2);
  expect(stderr).toMatch(/bomb\.yaml:\d+/);
});

test('validate refuses a suite for its size before it is parsed', async () => {
  const directory = tempDirectory();
  // It is no YAML: if it were parsed, that would be said.
  writeFileSync(path.join(directory, 'large.yaml'), `suite: large\n${'}{[ '.repeat(1_600_000)}`);

  const { status, stderr } = await assayHere(['validate', 'large.yaml'], { cwd: directory });

  expect(status).toBe(2);
  expect(stderr).toContain('the file has 6400013 bytes');
  expect(stderr.split('\n').filter((line) => line.includes('large.yaml'))).toHaveLength(1);
});

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const HOSTILE = 'x\u001b[31m\u009b31m\u0007\u007f\u202e\u200b\u2028\u{e0041}y';

test('validate prints nothing of a hostile suite that a terminal would obey', async () => {
  const directory = tempDirectory();
  const name = JSON.stringify(HOSTILE);
  writeFileSync(
    path.join(directory, 'hostile.yaml'),
    `suite: ${name}\nscope: turn\n${name}: 1\ncriteria:\n  - { name: ${name}, question: ${name}, weight: 1, check: ${name}, ${name}: 1 }\n`,
  );

  const { status, stdout, stderr } = await assayHere(['validate', 'hostile.yaml'], { cwd: directory });

  expect(status).toBe(2);
  expect(stderr).toContain('hostile.yaml');
  expect(`${stdout}${stderr}`).not.toMatch(HIDDEN);
});
