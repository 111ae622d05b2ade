/**
 * The output of `npm pack`, installed in an empty folder on the Node of the machine: the command, the service, and the
 * modules with their types. Needs a registry of npm packages.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { packInto } from './pack.ts';
import { freeListenPorts } from '../simulation/process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const project = mkdtempSync(path.join(tmpdir(), 'assay-package-'));
const TARBALL_MAX_BYTES = 2.25 * 2 ** 20;
/** As in a terminal: without the project's commands, and so with the Node of the machine. */
const ENV = {
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
  HOME: project,
};
/** Makes a Node say that it is an old one, to the launcher alone. */
const OLD = `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`)}`;

let tarball: string;
const packed = () => execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
const inProject = (command: string, ...args: readonly string[]) =>
  spawnSync(command, args, { cwd: project, env: ENV, encoding: 'utf8' });

beforeAll(async () => {
  tarball = await packInto(project);
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const { devDependencies } = JSON.parse(
    execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }),
  );
  const { status, stderr } = inProject(
    'npm',
    ...['install', '--no-audit', '--no-fund', '--loglevel=warn', tarball],
    ...['@types/node', 'typescript', 'vitest'].map((name) => `${name}@${devDependencies[name]}`),
  );
  expect(status, stderr).toBe(0);
  // It warns of nothing that it brings.
  expect(stderr.split('\n').filter((line) => /warn/i.test(line) && line.includes('assay'))).toEqual([]);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('the package holds what it needs and nothing else', () => {
  const files = packed().map((file) => file.replace(/^package\//, ''));

  expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'bin/assay.mjs']));
  expect(
    files.filter(
      (file) => !/^(dist|suites|bin|docs\/(?:runbooks|start))\/|^(package\.json|README\.md|LICENSE)$/.test(file),
    ),
  ).toEqual([]);
  // Examples beside the built-in suites are what `assay suite test` and `mutate` read.
  expect(files.filter((file) => /\.map$|\.outside\.|\.test\.(?!yaml$)/.test(file))).toEqual([]);
  const sheets = globSync('page/**/*.css', { cwd: path.join(ROOT, 'src') }).map((file) => `dist/${file}`);
  expect(sheets).toContain('dist/page/shell/base.css');
  expect(files.filter((file) => file.startsWith('dist/') && !/\.(js|d\.ts)$/.test(file)).toSorted()).toEqual(
    ['dist/THIRD-PARTY-NOTICES.txt', 'dist/page/icon.svg', 'dist/sbom.cdx.json', ...sheets].toSorted(),
  );
  expect(statSync(tarball).size).toBeLessThan(TARBALL_MAX_BYTES);
});

test('it brings the Node that it runs on, and uses it where the Node of the machine is too old', () => {
  const nodes = readdirSync(path.join(project, 'node_modules')).filter((name) =>
    /^node-(bin-)?(linux|darwin|win)/.test(name),
  );
  const launcher = path.join(project, 'node_modules/assay/bin/assay.mjs');

  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', OLD, launcher, '--version'], {
    cwd: project,
    env: ENV,
    encoding: 'utf8',
  });

  expect(nodes).toHaveLength(1);
  expect([status, stdout, stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/), '']);
});

test('`npx assay score` scores a recording', () => {
  copyFileSync(path.join(ROOT, 'examples/golden-traces/runs.jsonl'), path.join(project, 'runs.jsonl'));

  const { status, stdout, stderr } = inProject('npx', 'assay', 'score', 'runs.jsonl', '--suite', 'default', '--json');

  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ summary: expect.anything(), evaluations: expect.anything() });
});

test('`npx assay serve` receives a span and scores it', async () => {
  const ports = await freeListenPorts();
  const child = spawn('npx', ['assay', 'serve'], {
    cwd: project,
    env: {
      ...ENV,
      ASSAY_OTLP_GRPC_PORT: `${ports.otlpGrpc}`,
      ASSAY_OTLP_HTTP_PORT: `${ports.otlpHttp}`,
      ASSAY_HTTP_PORT: `${ports.http}`,
      ASSAY_TURN_SETTLE: '100ms',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // So that a test that fails takes npm's children with it.
    detached: true,
  });
  let log = '';
  child.stderr.on('data', (part: Buffer) => (log += part.toString()));
  const ended = once(child, 'exit');
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  const answered = async (url: string, init?: RequestInit) => {
    for (;;) {
      if (child.exitCode !== null) throw new Error(log);
      const response = await fetch(url, init).catch(() => undefined);
      if (response?.ok === true) return await response.text();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  await answered(`http://127.0.0.1:${ports.http}/readyz`);
  await answered(`http://127.0.0.1:${ports.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(SPAN),
  });
  let score: string | undefined;
  while (score === undefined) {
    const metrics = await answered(`http://127.0.0.1:${ports.http}/metrics`);
    score = /^assay_evaluation_score_sum\{.*agent="greeter".*\} ([\d.]+)$/m.exec(metrics)?.[1];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  const html = await answered(`http://127.0.0.1:${ports.http}/`, { headers: { accept: 'text/html' } });
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
  for (const file of files) await answered(`http://127.0.0.1:${ports.http}${file}`);

  expect(Number(score)).toBeGreaterThan(0);
  expect(files).toContainEqual(expect.stringMatching(/^\/page\/shell\/main\.js\?v=/));
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await ended;
});

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
const SPAN = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: 'a1'.repeat(16),
              spanId: 'b2'.repeat(8),
              name: 'invoke_agent greeter',
              startTimeUnixNano: `${Date.now()}000000`,
              endTimeUnixNano: `${Date.now()}000000`,
              attributes: [
                attribute('gen_ai.operation.name', 'invoke_agent'),
                attribute('gen_ai.agent.name', 'greeter'),
                attribute('gen_ai.input.messages', said('user', 'When do you open?')),
                attribute('gen_ai.output.messages', said('assistant', 'We open at nine.')),
              ],
            },
          ],
        },
      ],
    },
  ],
};

const SUITE = `import { defineSuite } from 'assay/suite';

export default defineSuite({
  name: 'short',
  scope: 'conversation',
  criteria: [{ name: 'short', question: 'Is it short?', weight: 1, check: (c) => c.finalAnswer.length < 2000 }],
});
`;
const READER = `import { ConversationSpanProcessor, endConversation, inConversation } from 'assay/instrument';
import suite from './short.ts';

const processor: ConversationSpanProcessor = new ConversationSpanProcessor();
const answer: number = inConversation({ id: 'c-1' }, () => 42);
console.log(answer, endConversation(), suite.name, typeof processor.onStart);
`;
const TEST = `import { expectConversation } from 'assay/vitest';
import { test } from 'vitest';

test('the good run passes', async () => {
  await expectConversation('runs.jsonl', { id: 'good' }).toPass('short.ts');
});
`;
const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    skipLibCheck: false,
  },
  include: ['*.ts'],
};

test('its modules have types, and do what they say', () => {
  for (const [file, text] of Object.entries({ 'short.ts': SUITE, 'reader.ts': READER, 'short.test.ts': TEST })) {
    writeFileSync(path.join(project, file), text);
  }
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  copyFileSync(path.join(ROOT, 'examples/golden-traces/runs.jsonl'), path.join(project, 'runs.jsonl'));
  const env = { ...ENV, PATH: `${path.dirname(process.execPath)}:${ENV.PATH}` };
  const onThisNode = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: project, env, encoding: 'utf8' });

  const compiled = onThisNode('npx', 'tsc');
  const run = onThisNode('node', 'reader.ts');
  const scored = onThisNode('npx', 'assay', 'score', 'runs.jsonl', '--suite', 'short.ts');
  const tested = onThisNode('npx', 'vitest', 'run');

  expect([compiled.status, compiled.stdout]).toEqual([0, '']);
  expect([run.stdout, run.stderr]).toEqual(['42 false short function\n', '']);
  expect(scored.status, scored.stderr).toBe(0);
  expect(tested.status, tested.stdout + tested.stderr).toBe(0);
});
