/**
 * docs/start/python.md as a new user follows it: `assay-client` installed with pip into a new environment, agents in
 * four frameworks against a scripted model, a running Assay, pytest, and the package's own tests. Needs PyPI and Python
 * 3.11 or newer, because the frameworks do. The versions of the frameworks are those of the recordings
 * (scripts/capture).
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readFramework } from '../../../scripts/capture/framework-file.ts';
import { ScriptedModel } from '../../../scripts/capture/model-server.ts';
import { playable } from '../../../scripts/capture/script.ts';
import { freePorts } from '../../free-ports.ts';
import { allBlocks, ROOT } from '../../snippets/blocks.ts';
import { shareOf } from '../share-of-round.ts';

const PAGE = 'docs/start/python.md';
const CLIENT = path.join(ROOT, 'clients/python');
const AGENTS = path.join(import.meta.dirname, 'agents');
const LAUNCHER = path.join(ROOT, 'bin/assay.mjs');
/** By the file in scripts/capture/frameworks: all of them fit into one environment. */
const FRAMEWORKS: Readonly<Record<string, { readonly file: string; readonly without: readonly string[] }>> = {
  'pydantic-ai': { file: 'pydantic_ai_agent.py', without: ['anthropic', 'logfire'] },
  'openai-agents-python': { file: 'openai_agents_agent.py', without: ['opentelemetry-instrumentation-openai-agents'] },
  'langchain-python': { file: 'langgraph_agent.py', without: ['opentelemetry-instrumentation-langchain'] },
  smolagents: { file: 'smolagents_agent.py', without: [] },
};
const run = promisify(execFile);
const base = mkdtempSync(path.join(tmpdir(), 'assay-python-'));
const page = path.join(base, 'page');
const python = path.join(base, 'venv/bin/python');
let model: Server;
let service: ChildProcess;
let environment: Record<string, string>;
let api = '';

beforeAll(async () => {
  mkdirSync(page);
  await run('python3', ['-m', 'venv', path.join(base, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'uv']);
  const pins = Object.entries(FRAMEWORKS).flatMap(([framework, { without }]) =>
    Object.entries(readFramework(framework).packages)
      .filter(([name]) => !without.includes(name))
      .map(([name, version]) => `${name}==${version}`),
  );
  const wanted = [...new Set(pins), '-r', path.join(CLIENT, 'tests/requirements.txt'), `${CLIENT}[otlp,pandas]`];
  await run(python, ['-m', 'uv', 'pip', 'install', '--quiet', '--python', python, ...wanted]);
  const modelUrl = await startModel();
  writeFileSync(path.join(page, 'assay.yaml'), 'suites: [default, orders.yaml]\n');
  for (const { text } of blocks) {
    const [, name] = /^# (\w+\.\w+)/.exec(text) ?? [];
    if (name !== undefined) writeFileSync(path.join(page, name), `${text}\n`);
  }
  const [grpc, otlp, http] = await freePorts(3);
  api = `http://127.0.0.1:${http}`;
  environment = {
    PATH: `${path.dirname(python)}:${path.dirname(process.execPath)}:${process.env.PATH}`,
    HOME: base,
    OPENAI_API_KEY: 'sk-scripted',
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${otlp}`,
    ASSAY_COMMAND: `${process.execPath} ${LAUNCHER}`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const ports = ['--otlp-grpc-port', `${grpc}`, '--otlp-http-port', `${otlp}`, '--http-port', `${http}`];
  service = spawn(process.execPath, [LAUNCHER, 'serve', ...ports], {
    cwd: page,
    env: { PATH: environment.PATH, HOME: base, ASSAY_TURN_SETTLE: '300ms', ASSAY_DATA_DIR: path.join(base, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await vi.waitFor(async () => expect((await fetch(`${api}/readyz`)).ok).toBe(true), LONG);
});
afterAll(() => {
  service.kill();
  model.close();
  rmSync(base, { recursive: true, force: true });
});

const LONG = { timeout: 60_000, interval: 200 };
const blocks = allBlocks().filter((block) => block.page === PAGE);

/** Each turn is a question, a call of a tool, and an answer: two requests of a model. */
async function startModel(): Promise<string> {
  const steps = [
    { calls: [{ tool: 'look_up_order', args: { order: 17 }, result: { status: 'shipped' } }] },
    { answer: 'Order 17 has been shipped.' },
  ];
  const turns = playable(
    'python',
    { agent: 'support', outcome: 'success', turns: [{ user: 'Where is order 17?', steps }] },
    { reasoning: false },
  );
  const scripted = new ScriptedModel(turns);
  let asked = 0;
  model = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    if (asked % steps.length === 0) scripted.beginTurn(0);
    asked += 1;
    if (!(await scripted.answer(incoming, pathname, Buffer.concat(chunks), response))) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  const address = model.address();
  if (address === null || typeof address === 'string') throw new Error('a server that listens has a port');
  return `http://127.0.0.1:${address.port}`;
}

interface Answered {
  readonly state?: string;
  readonly evaluations?: readonly unknown[];
}

/** Output and status of a command in the reader's folder. */
async function ran(args: readonly string[], more: Readonly<Record<string, string>> = {}, cwd = page) {
  const env = { ...environment, ...more };
  return run(python, args, { cwd, env, timeout: 150_000 }).then(
    ({ stdout, stderr }) => ({ status: 0, output: `${stdout}${stderr}` }),
    ({ code, stdout, stderr }) => ({ status: code, output: `${stdout}${stderr}` }),
  );
}

async function scored(id: string, isSo: (found: Answered) => boolean = ({ state }) => state === 'scored') {
  return await vi.waitFor(async () => {
    const found = await (await fetch(`${api}/api/v1/conversations/${id}`)).json();
    expect(found).toSatisfy(isSo);
    return found;
  }, LONG);
}

test.each(shareOf(Object.entries(FRAMEWORKS), 2))('an agent in %s has its id, state and score', async (_, { file }) => {
  const folder = path.join(base, file);
  mkdirSync(folder);
  for (const name of [file, 'asking.py']) cpSync(path.join(AGENTS, name), path.join(folder, name));

  const { status, output } = await ran([file], {}, folder);

  expect(status, output).toBe(0);
  expect(output).not.toContain('was not instrumented');
  const id = `python-${file.replace('_agent.py', '').replaceAll('_', '-')}`;
  const found = await scored(id);
  expect(found).toMatchObject({ agent: 'orders', agent_version: '1.0.0', environment: 'test', turns: 2 });
  expect(found.turn_list.map(({ asked, answered }: Record<string, string>) => [asked, answered])).toEqual([
    ['Where is order 17?', 'Order 17 has been shipped.'],
    ['Is that certain?', 'Order 17 has been shipped.'],
  ]);
  const tools = found.turn_list.flatMap(({ steps }: { steps: { kind: string }[] }) =>
    steps.filter(({ kind }) => kind === 'tool'),
  );
  expect(tools).toMatchObject([{ arguments: { order: 17 } }, { arguments: { order: 17 } }]);
  const ours = found.evaluations_full.filter(
    ({ suite, latest }: Record<string, unknown>) => suite === 'orders' && latest,
  );
  expect(ours).toMatchObject([{ score: 1, verdicts: [{ criterion: 'found', verdict: 'pass' }] }]);
  expect(found.evaluations_full.filter(({ suite }: { suite: string }) => suite === 'default')).toHaveLength(2);
});

/** Names that the page uses in its blocks of Python, by how each begins. */
const AROUND: Readonly<Record<string, string>> = {
  'from assay_client import attach_truth': `from assay_client import instrument
from opentelemetry import trace

instrument("orders")

def run_agent(question):
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "orders"}
    trace.get_tracer("orders").start_span("invoke_agent orders", attributes=attributes).end()
    return "Order 17 has been shipped."

`,
  'from assay_client import Client': '',
};

test('the blocks of the page run, from the first agent to tables', async () => {
  const written = blocks.filter(({ language }) => language === 'python').map(({ text }) => text);
  const first = await ran(['orders.py']);

  expect(first.output).toContain('Order 17 has been shipped.');
  // Nothing has marked its end, so that only suites of turns score it.
  const found = await scored('ticket-4711', ({ evaluations = [] }) => evaluations.length > 0);
  expect(found.turn_list).toMatchObject([{ answered: 'Order 17 has been shipped.' }]);
  for (const [begins, before] of Object.entries(AROUND)) {
    const [text = ''] = written.filter((one) => one.startsWith(begins));
    writeFileSync(path.join(page, 'block.py'), `${before}${text.replaceAll('http://127.0.0.1:4319', api)}\n`);
    const { status, output } = await ran(['-W', 'error', 'block.py']);
    expect([status, text === ''], output).toEqual([0, false]);
    if (begins.endsWith('Client')) expect(output).toMatch(/orders +1\.0\.0 /);
  }
  expect(written.filter((one) => !/^# \w+\.py\n/.test(one))).toHaveLength(Object.keys(AROUND).length);
});

test('the tests of the page pass, and one that fails says why', async () => {
  const quiet = { OTEL_TRACES_EXPORTER: 'none' };
  const passed = await ran(['-m', 'pytest', '-p', 'no:cacheprovider', 'test_orders.py'], quiet);
  expect(passed.output).toContain('2 passed');

  const tests = readFileSync(path.join(page, 'test_orders.py'), 'utf8');
  writeFileSync(
    path.join(page, 'test_wrong.py'),
    tests.replace('assert_fails(assay_capture, "orders", "found")', 'assert_passes(assay_capture, "orders")'),
  );
  const failed = await ran(['-m', 'pytest', '-p', 'no:cacheprovider', 'test_wrong.py', '-k', 'notices'], quiet);
  const shown = blocks.find(({ text }) => text.startsWith('AssertionError:'))?.text.split('\n') ?? [];
  expect(failed.status).toBe(1);
  expect(shown.length).toBeGreaterThan(3);
  for (const line of shown) expect(failed.output).toContain(line);
});

test('the package is typed, formatted and tested', async () => {
  const own = (...args: readonly string[]) => ran(['-m', ...args], {}, CLIENT);

  expect((await own('ruff', 'check', '--no-cache', '.', AGENTS)).output).toBe('All checks passed!\n');
  expect((await own('ruff', 'format', '--no-cache', '--check', '.', AGENTS)).status).toBe(0);
  expect((await own('mypy', '--cache-dir', path.join(base, 'mypy'))).output).toContain('Success');
  const tests = await own('pytest', '-p', 'no:cacheprovider', '--quiet');
  expect(tests.status, tests.output).toBe(0);
  expect(tests.output).toMatch(/^\d\d+ passed/m);
});
