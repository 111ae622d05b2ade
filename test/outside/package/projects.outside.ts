/**
 * The output of `npm pack` in a clean clone, installed in the projects that people have: empty, with each Vitest, with
 * each SDK of OpenTelemetry, in either order, on each Node. Needs a registry of npm packages.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyTracked } from '../clean-copy.ts';
import { instrumented, RECORDED, SETUP, TELEMETRY, TEST, TSCONFIG, VITEST_CONFIG, WRONG } from './project-files.ts';
import { NODES, type NodeVersion, type NpmVersion, Runtimes } from './runtimes.ts';
import { shareOf } from '../share-of-round.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const EXAMPLE = path.join(ROOT, 'examples/golden-traces');
const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const NODE_TYPES = '@types/node@22.20.1';
const TYPES = [`typescript@${devDependencies.typescript}`, NODE_TYPES];
/** TypeScript 7 refuses the declarations of Vitest 3 itself, beside those of chai. */
const OLDER_TYPES = ['typescript@5.9.3', NODE_TYPES];
/** Stands for the package in the steps below. */
const ASSAY = 'assay';

interface Project {
  readonly what: string;
  /** On which it is installed. */
  readonly node: NodeVersion;
  readonly npm: NpmVersion;
  /** Nodes on which its commands are run. */
  readonly commandsOn: readonly NodeVersion[];
  /** Packages of each `npm install`, one after another. */
  readonly steps: readonly (readonly string[])[];
  readonly telemetry?: keyof typeof TELEMETRY;
  /** Nodes that its SDK runs on. */
  readonly instrumentedOn?: readonly NodeVersion[];
  /** Nodes that its Vitest runs on. */
  readonly testedOn?: readonly NodeVersion[];
  /** Its only copy of the API, as far as Assay and the SDK go. */
  readonly api?: string;
}

const PROJECTS: readonly Project[] = [
  { what: 'an empty project', node: 20, npm: 10, commandsOn: NODES, steps: [[ASSAY]] },
  {
    what: 'the oldest API',
    node: 20,
    npm: 10,
    commandsOn: [20],
    steps: [['@opentelemetry/api@1.4.0', '@opentelemetry/sdk-trace-node@1.10.1'], [ASSAY]],
    telemetry: '1.10',
    instrumentedOn: NODES,
    api: '1.4.0',
  },
  {
    what: 'Vitest 3 and SDK 1.x, before Assay',
    node: 22,
    npm: 10,
    commandsOn: [22],
    steps: [['vitest@3.2.7', '@opentelemetry/sdk-trace-node@1.30.1', ...OLDER_TYPES], [ASSAY]],
    telemetry: '1.30 and 2',
    instrumentedOn: NODES,
    testedOn: NODES,
    api: '1.9',
  },
  {
    what: 'Vitest 4 and SDK 2.x, after Assay',
    node: 20,
    npm: 11,
    commandsOn: [20],
    steps: [[ASSAY], ['vitest@4.1.12', '@opentelemetry/sdk-trace-node@2.12.1', ...TYPES]],
    telemetry: '1.30 and 2',
    instrumentedOn: NODES,
    testedOn: NODES,
    api: '1.9',
  },
  {
    what: 'Vitest 5 and the newest SDK, after Assay',
    node: 24,
    npm: 11,
    commandsOn: [24],
    steps: [
      [ASSAY],
      [
        `vitest@${devDependencies.vitest}`,
        `@opentelemetry/sdk-node@${devDependencies['@opentelemetry/sdk-node']}`,
        `@opentelemetry/api@${devDependencies['@opentelemetry/api']}`,
        ...TYPES,
      ],
    ],
    telemetry: 'newest',
    instrumentedOn: [22, 24],
    testedOn: [22, 24],
    api: '1.10',
  },
];

let runtimes: Runtimes;
let tarball: string;

beforeAll(async () => {
  runtimes = await Runtimes.install();
  const clone = path.join(runtimes.base, 'clone');
  copyTracked(clone);
  const installed = runtimes.npm(20, 11, clone, 'ci');
  expect(installed.status, installed.output).toBe(0);
  // As npm 10 leaves it, which installs the Nodes of all platforms before it removes those of others, and the link with them.
  rmSync(path.join(clone, 'node_modules/.bin/node'));
  const packed = runtimes.npm(20, 10, clone, 'pack', '--silent');
  expect(packed.status, packed.output).toBe(0);
  tarball = path.join(clone, packed.stdout.trim().split('\n').at(-1) ?? '');
});
afterAll(() => runtimes?.remove());

function install({ node, npm }: Project, folder: string, packages: readonly string[]): void {
  const names = packages.map((name) => (name === ASSAY ? tarball : name));
  const { status, output } = runtimes.npm(node, npm, folder, 'install', ...names);
  expect(status, output).toBe(0);
}

describe.each(shareOf(PROJECTS, 3))('$what', (project) => {
  const { telemetry, commandsOn, instrumentedOn = [], testedOn = [], npm, api } = project;
  let folder: string;

  beforeAll(() => {
    folder = path.join(runtimes.base, project.what.replaceAll(/\W+/g, '-'));
    mkdirSync(folder);
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
    write('package.json', JSON.stringify({ private: true, type: 'module' }));
    write('tsconfig.json', JSON.stringify(TSCONFIG));
    for (const name of ['runs.jsonl', 'tickets.yaml', 'golden']) {
      cpSync(path.join(EXAMPLE, name), path.join(folder, name), { recursive: true });
    }
    if (telemetry !== undefined) {
      write('telemetry.mjs', TELEMETRY[telemetry]);
      write('agent.mjs', instrumented('./telemetry.mjs'));
    }
    if (testedOn.length > 0) {
      write('setup.mjs', SETUP);
      write('vitest.config.mjs', VITEST_CONFIG);
      write('agent.test.ts', TEST);
      write('wrong.test.ts', WRONG);
    }
    for (const packages of project.steps) install(project, folder, packages);
  });

  test.each(commandsOn)('`npx assay` scores and checks a suite on Node %i', (node) => {
    const version = runtimes.npx(node, npm, folder, 'assay', '--version');
    const scored = runtimes.npx(node, npm, folder, 'assay', 'score', 'runs.jsonl', '--suite', 'tickets.yaml', '--json');
    const checked = runtimes.npx(node, npm, folder, 'assay', 'validate', 'tickets.yaml');

    expect(version.output).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(scored.status, scored.output).toBe(0);
    expect(JSON.parse(scored.stdout)).toMatchObject({ summary: { conversations: 3, scored: 3 } });
    expect(checked.status, checked.output).toBe(0);
  });

  test.each(instrumentedOn)('`assay/instrument` records on Node %i', (node) => {
    const { status, stdout, stderr } = runtimes.run(node, folder, 'node', 'agent.mjs');

    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(RECORDED);
  });

  test.each(api === undefined ? [] : [api])('Assay has the copy of the API that the SDK has: %s', (version) => {
    const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
    const place = 'node_modules/@opentelemetry/api';

    expect(packages[place].version).toMatch(new RegExp(`^${RegExp.escape(version)}`));
    expect(Object.keys(packages).filter((one) => one.startsWith('node_modules/assay/') && one.endsWith(place))).toEqual(
      [],
    );
  });

  test.each(testedOn.slice(-1))('the types fit, without `skipLibCheck`, on Node %i', (node) => {
    const { status, output } = runtimes.npx(node, npm, folder, 'tsc');

    expect([status, output]).toEqual([0, '']);
  });

  const scoring = testedOn.filter((node) => node >= 22);
  const vitest = (node: NodeVersion, ...args: readonly string[]) =>
    // A busy machine takes longer than the five seconds that a test has by default.
    runtimes.run(node, folder, 'node', 'node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', ...args);

  test.each(scoring)('`assay/vitest` asserts on Node %i', (node) => {
    const right = vitest(node, 'agent.test.ts');
    const wrong = vitest(node, 'wrong.test.ts');

    expect(right.status, right.output).toBe(0);
    expect(right.output).toMatch(/Tests {2}2 passed \(2\)/);
    expect(wrong.status).toBe(1);
    expect(wrong.output).toMatch(/Tests {2}2 failed \(2\)/);
    expect(wrong.output).toContain('lucky: tickets');
    expect(wrong.output).toContain('was not awaited');
  });

  test.each(testedOn.filter((node) => node < 22))('on Node %i, `assay/vitest` names the one that it needs', (node) => {
    const { status, output } = vitest(node, 'agent.test.ts');

    expect(status).toBe(1);
    expect(output).toContain('assay/vitest needs Node 22.13 or newer');
  });
});

describe('two copies of the API', () => {
  const project: Project = { what: 'two copies', node: 22, npm: 11, commandsOn: [], steps: [] };
  let folder: string;

  beforeAll(() => {
    folder = path.join(runtimes.base, 'two-copies');
    const tracing = path.join(folder, 'tracing');
    mkdirSync(tracing, { recursive: true });
    const dependencies = { '@opentelemetry/api': '1.9.0', '@opentelemetry/sdk-trace-node': '2.12.1' };
    const exports = './index.mjs';
    writeFileSync(path.join(tracing, 'index.mjs'), `${TELEMETRY['1.30 and 2']}export * from '@opentelemetry/api';\n`);
    writeFileSync(
      path.join(tracing, 'package.json'),
      JSON.stringify({ name: 'tracing', version: '1.0.0', exports, dependencies }),
    );
    writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({
        private: true,
        type: 'module',
        dependencies: { '@opentelemetry/api': '1.10.0', tracing: 'file:./tracing' },
      }),
    );
    writeFileSync(path.join(folder, 'agent.mjs'), instrumented('tracing', 'tracing'));
    install(project, folder, [ASSAY]);
  });

  test.each(NODES)('it says so once on Node %i, with the remedy', (node) => {
    const { stdout, stderr } = runtimes.run(node, folder, 'node', 'agent.mjs');

    expect(JSON.parse(stdout)).toMatchObject({ recorded: [false, false, false, false], attributes: {} });
    expect(stderr.match(/AssayWarning/g)).toHaveLength(1);
    expect(stderr).toContain('assay/instrument records nothing');
    expect(stderr).toContain('`npm ls @opentelemetry/api`');
  });

  test('the remedy that it names is one', () => {
    const warned = runtimes.run(22, folder, 'node', 'agent.mjs').stderr;
    const [, command = ''] = /for example with `([^`]+)`/.exec(warned) ?? [];

    for (const one of command.split(' && ')) {
      const { status, output } = runtimes.npm(22, 11, folder, ...one.split(' ').slice(1));
      expect(status, output).toBe(0);
    }
    const { stdout, stderr } = runtimes.run(22, folder, 'node', 'agent.mjs');

    expect(command).toMatch(/^npm install @opentelemetry\/api@1\.9\.0 && npm dedupe$/);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(RECORDED);
  });
});
