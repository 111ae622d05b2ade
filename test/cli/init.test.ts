/** `assay init`: what it recognizes, what it writes and removes, and how it tests a service. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FRAMEWORKS } from '../../src/cli/init/frameworks.ts';
import { readProject } from '../../src/cli/init/project.ts';
import { captureSwitchOf } from '../../src/report/inspect/capture-switches.ts';
import { assayHere } from '../assay-here.ts';
import { freePorts } from '../free-ports.ts';
import { runService } from '../serve/running-service.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/start/frameworks.md'), 'utf8');
/** Sections about how spans are exported, and not about a framework. */
const OF_EXPORTERS = [
  ...['Your own code', "OpenTelemetry's own instrumentations", 'Langfuse', 'OpenLIT', 'LangSmith', 'LangWatch'],
  'Codex, LiveKit Agents, Flue',
];
/** A port on which nothing listens. */
const NOWHERE = ['--url', 'http://127.0.0.1:1'];

function sectionOf(heading: string): string {
  return PAGE.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';
}

function projectWith(files: Readonly<Record<string, string>>): string {
  const folder = tempDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

function found(files: Readonly<Record<string, string>>): readonly string[] {
  return readProject(projectWith(files)).frameworks.map(({ id }) => id);
}

test('each framework has its section in docs/start/frameworks.md, and each section about one its framework', () => {
  const sections = [...(PAGE.split('\n## The frameworks\n')[1] ?? '').matchAll(/^## (.+)$/gm)].map(
    ([, title]) => title,
  );

  expect(sections.length).toBeGreaterThan(25);
  expect([...new Set([...FRAMEWORKS.map(({ section }) => section), ...OF_EXPORTERS])].toSorted()).toEqual(
    sections.toSorted(),
  );
});

test.each(FRAMEWORKS.filter(({ tracing }) => tracing !== undefined))(
  '$id is switched on as docs/start/frameworks.md says',
  ({ section, tracing }) => {
    const said = sectionOf(section);
    const names = [
      ...(tracing?.code ?? []).flatMap(
        (line) =>
          /(?:new )?(\w+(?:Instrumentor|Exporter)|registerTelemetry|instrument_all|enable_instrumentation)\b/.exec(
            line,
          )?.[1] ?? [],
      ),
      ...Object.keys(tracing?.env ?? {}).filter((name) => name !== 'TRACELOOP_BASE_URL'),
    ];

    // The page has one section for all clients of models.
    const inPage = (name: string) => (section === 'OpenInference (Arize)' ? name.replace(/Instrumentor$/, '') : name);
    for (const name of names) expect(said).toContain(inPage(name));
    if (tracing?.scope !== undefined) expect(captureSwitchOf(tracing.scope).framework).not.toBe('this instrumentation');
  },
);

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['requirements.txt', { 'requirements.txt': '# agents\nLangGraph[all]>=1.0\nopenai\n' }, ['langchain']],
  ['a folder of requirements', { 'requirements/prod.txt': 'crewai==1.15\n' }, ['crewai']],
  [
    'pyproject.toml',
    { 'pyproject.toml': '[project]\ndependencies = [\n  "pydantic_ai-slim[openai]>=2",\n]\n' },
    ['pydantic-ai'],
  ],
  ['Poetry', { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "^3.12"\ngoogle-adk = "^2"\n' }, ['google-adk']],
  ['a Pipfile', { Pipfile: '[packages]\nstrands-agents = "*"\n' }, ['strands']],
  ['a lock, where nothing else tells', { 'pyproject.toml': '[project]\n', 'uv.lock': 'name = "agno"\n' }, ['agno']],
  [
    'what is declared, before a lock',
    { 'requirements.txt': 'crewai\n', 'uv.lock': 'name = "langchain"\nname = "agno"\n' },
    ['crewai'],
  ],
  ['imports, where nothing else tells', { 'agent.py': 'import os\nfrom llama_index.core import x\n' }, ['llama-index']],
  ['a client alone', { 'requirements.txt': 'openai\nanthropic\n' }, ['openai', 'anthropic']],
  ['Traceloop, which records all', { 'requirements.txt': 'traceloop-sdk\nlangchain\nopenai\n' }, ['openllmetry']],
  ['AI SDK 7', { 'package.json': '{"dependencies":{"ai":"^7.0.1","openai":"6"}}' }, ['ai-sdk']],
  ['AI SDK 5', { 'package.json': '{"dependencies":{"ai":"~5.0"}}' }, ['ai-sdk-6']],
  [
    'an installed version, before a range',
    { 'package.json': '{"dependencies":{"ai":"latest"}}', 'node_modules/ai/package.json': '{"version":"6.0.3"}' },
    ['ai-sdk-6'],
  ],
  ['a version that is not said', { 'package.json': '{"dependencies":{"ai":"latest"}}' }, ['ai-sdk']],
  ['Mastra over the AI SDK', { 'package.json': '{"dependencies":{"@mastra/core":"1","ai":"7"}}' }, ['mastra']],
  [
    'two languages',
    { 'package.json': '{"devDependencies":{"@openai/agents":"0"}}', 'requirements.txt': 'smolagents' },
    ['smolagents', 'openai-agents-js'],
  ],
  ['no JSON', { 'package.json': '{' }, []],
  ['nothing known', { 'requirements.txt': 'requests\n' }, []],
])('%s', (_, files, ids) => {
  expect(found(files)).toEqual(ids);
});

test('it writes three files that are valid, keeps what is there, and removes what is unchanged', async () => {
  const folder = projectWith({ 'requirements.txt': 'langgraph\n', 'assay.yaml': 'suites: [default]\n' });
  const before = readdirSync(folder);

  const shown = await assayHere(['init', '--dry-run', ...NOWHERE], { cwd: folder });
  const untouched = readdirSync(folder);
  const written = await assayHere(['init', ...NOWHERE], { cwd: folder });
  const valid = await assayHere(['validate', 'suites/my-agent.yaml'], { cwd: folder });
  const again = await assayHere(['init', ...NOWHERE], { cwd: folder });
  const tracing = path.join(folder, 'assay_tracing.py');
  writeFileSync(tracing, `${readFileSync(tracing, 'utf8')}# mine\n`);
  const undone = await assayHere(['init', '--undo'], { cwd: folder });

  expect([shown.status, untouched]).toEqual([0, before]);
  expect(shown.stdout).toContain('assay.yaml is there already');
  expect(written.stdout).toContain(
    'written: assay_tracing.py, suites/my-agent.yaml\nassay.yaml is there already, and stays',
  );
  expect(written.stdout).toContain('pip install openinference-instrumentation-langchain opentelemetry-sdk');
  expect(written.stdout).toMatch(/No service runs at http:\/\/127\.0\.0\.1:1\b.*\n {2}node \S+bin\/assay\.mjs serve\n/);
  expect(valid.stdout).toMatch(/valid: assay-test-\S+@1 \(turn, 1 criteria\)/);
  expect([again.status, again.stdout.includes('written:')]).toEqual([0, false]);
  expect(undone.stdout).toBe(
    'removed: suites/my-agent.yaml\nleft, because init did not write it, or it was changed since: assay_tracing.py, assay.yaml\n',
  );
  expect(readdirSync(folder).toSorted()).toEqual(['assay.yaml', 'assay_tracing.py', 'requirements.txt']);
  expect(readFileSync(path.join(folder, 'assay.yaml'), 'utf8')).toBe('suites: [default]\n');
});

test('the configuration that it writes is valid, and --undo leaves the folder as it was', async () => {
  const folder = projectWith({ 'package.json': '{"dependencies":{"ai":"7"}}', 'suites/other.yaml': '' });
  rmSync(path.join(folder, 'suites'), { recursive: true });

  await assayHere(['init', ...NOWHERE], { cwd: folder });
  const valid = await assayHere(['validate'], { cwd: folder });
  const undone = await assayHere(['init', '--undo'], { cwd: folder });

  expect(valid.stdout).toMatch(/^valid: default@\d+, honesty@\d+, assay-test-\S+@1\n/);
  expect(undone.stdout).toContain('removed: assay-tracing.mjs, assay.yaml, suites/my-agent.yaml');
  expect(readdirSync(folder)).toEqual(['package.json']);
});

test('--undo keeps the suite that a changed configuration names', async () => {
  const folder = projectWith({ 'requirements.txt': 'langgraph\n' });
  await assayHere(['init', ...NOWHERE], { cwd: folder });
  const configuration = path.join(folder, 'assay.yaml');
  writeFileSync(configuration, readFileSync(configuration, 'utf8').replace('./.assay', './kept'));

  const undone = await assayHere(['init', '--undo'], { cwd: folder });
  const valid = await assayHere(['validate'], { cwd: folder });

  expect(undone.stdout).toContain('removed: assay_tracing.py\nleft,');
  expect(undone.stdout).toContain('assay.yaml, suites/my-agent.yaml');
  expect(valid.status).toBe(0);
});

test('the module is a program, whatever the project is called', async () => {
  const folder = projectWith({ 'package.json': JSON.stringify({ name: "x';process.exit(1)//\u001b[31m\n" }) });
  const ids = FRAMEWORKS.filter(({ language }) => language === 'javascript').map(({ id }) => id);

  for (const given of [ids, ids.filter((id) => !id.startsWith('openllmetry'))]) {
    await assayHere(['init', ...NOWHERE, '--framework', ...given], { cwd: folder });
    const module = path.join(folder, 'assay-tracing.mjs');
    if (!existsSync(module)) continue;
    expect(spawnSync(process.execPath, ['--check', module]).status).toBe(0);
    expect(readFileSync(module, 'utf8')).toContain("OTEL_SERVICE_NAME ??= 'x-process.exit-1-//-31m-'");
  }
  expect(existsSync(path.join(folder, 'assay-tracing.mjs'))).toBe(true);
});

test.each<[string, string, RegExp, readonly string[]]>([
  ['genkit', '{"genkit":"1"}', /Genkit .*\n {2}Your own code switches its spans on/, []],
  ['Traceloop', '{"@traceloop/node-server-sdk":"1"}', /set TRACELOOP_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/, []],
  ['nothing known', '{"left-pad":"1"}', /No known framework is among the dependencies/, ['assay-tracing.mjs']],
  [
    'OpenTelemetry that is set up',
    '{"ai":"7","@opentelemetry/sdk-node":"1"}',
    /@opentelemetry\/sdk-node may set OpenTelemetry up: then do not load this file/,
    ['assay-tracing.mjs'],
  ],
])('%s: it says what only the program can do', async (_, dependencies, said, tracing) => {
  const folder = projectWith({ 'package.json': `{"dependencies":${dependencies}}`, 'pnpm-lock.yaml': '' });

  const { status, stdout } = await assayHere(['init', ...NOWHERE], { cwd: folder });

  expect([status, stdout]).toEqual([0, expect.stringMatching(said)]);
  expect(stdout.includes('pnpm add')).toBe(tracing.length > 0);
  expect(readdirSync(folder).filter((name) => name.startsWith('assay-'))).toEqual(tracing);
});

test('a program in Python that exports already gets a second exporter, with an address of its own', async () => {
  const folder = projectWith({ 'requirements.txt': 'smolagents\nopentelemetry-sdk\n' });

  const { stdout } = await assayHere(['init', ...NOWHERE], { cwd: folder });
  const text = readFileSync(path.join(folder, 'assay_tracing.py'), 'utf8');

  expect(stdout).toContain('opentelemetry-sdk may set OpenTelemetry up: import it after that, and it adds an exporter');
  expect(text).toMatch(/OTLPSpanExporter\(endpoint="http:\/\/127\.0\.0\.1:\d+\/v1\/traces"\)/);
  expect(text).not.toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
});

test('a folder that says nothing, and a framework that nobody knows, are refused', async () => {
  const nothing = await assayHere(['init', ...NOWHERE]);
  const unknown = await assayHere(['init', ...NOWHERE, '--framework', 'lang-chian']);

  expect([nothing.status, nothing.stderr]).toEqual([3, expect.stringContaining('or give --framework')]);
  const own = await assayHere(['init', ...NOWHERE], { cwd: path.resolve(import.meta.dirname, '../..') });
  expect([own.status, own.stderr]).toEqual([3, expect.stringMatching(/own folder: .* node \S+bin\/assay\.mjs init/)]);
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('langchain')]);
});

test('it tests a running service, under the name of an agent that nobody has', async () => {
  const [otlpHttpPort = 0] = await freePorts(1);
  const running = await runService({ suites: ['default'], otlpHttpPort });
  const [first] = [...traffic({ seed: 1, conversations: 1, endMarks: 'all' })];
  const turn = first?.turns[0];
  if (turn === undefined) return expect.unreachable();
  const body = exportRequest(turn, 'v1').replaceAll('simulated-agent', 'mine\\u001b[31m');
  await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

  const { status, stdout, stderr } = await assayHere(['init', '--url', running.http, '--framework', 'openai'], {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://elsewhere:4318' },
  });

  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /\d\d:\d\d:\d\d {2}assay-init-test 1 {2}no fault found {2}1\.00 {2}assay-init-test-[0-9a-f]{8}\n/,
  );
  expect(stdout).toMatch(/The service has no suite assay-test-\w+, because it was started elsewhere/);
  expect(stdout).toContain(`where the agent runs, set it to ${running.otlp}`);
  expect(stdout).toMatch(/Latest conversations:\n\S+ {2}mine v1 /);
  expect(stdout).not.toContain('\u001b');
  // The test is nobody's conversation.
  const lists = ['conversations?agent=assay-init-test', 'facets', 'fleet'];
  for (const list of lists)
    expect(await (await fetch(`${running.http}/api/v1/${list}`)).text()).not.toContain('assay-init-test');
});
