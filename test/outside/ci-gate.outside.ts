/**
 * The steps of `action.yml` and of the template for GitLab, as their runners call them: in bash, in a project that has
 * Assay installed, with the variables of the runner and a server in the place of the forge.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { startForge } from '../cli/forge.ts';
import { tempDirectory } from '../temp-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/release-gate');

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly name: string;
      readonly if?: string;
      readonly run?: string;
      readonly env?: Readonly<Record<string, string>>;
    }[];
  };
}

type Environment = Readonly<Record<string, string>>;

/** A project that has the command, and eight cases of the example. */
function project(): string {
  const folder = tempDirectory();
  mkdirSync(path.join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(path.join(ROOT, 'bin/assay.mjs'), path.join(folder, 'node_modules/.bin/assay'));
  writeFileSync(path.join(folder, 'package.json'), '{"name":"agent","private":true}');
  const cases = parse(readFileSync(path.join(EXAMPLE, 'scheduling.cases.yaml'), 'utf8')) as { cases: unknown[] };
  writeFileSync(path.join(folder, 'cases.yaml'), stringify({ ...cases, cases: cases.cases.slice(0, 8) }));
  writeFileSync(path.join(folder, 'rules.yaml'), 'rules:\n  cases_worse: 0\n');
  return folder;
}

async function bash(script: string, cwd: string, environment: Environment) {
  const env = { ...process.env, ...environment };
  // As runners call it.
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), said: stdout + stderr };
}

/** Runs the steps of the action that are scripts and whose condition holds. */
async function runAction(
  folder: string,
  event: 'push' | 'pull_request',
  inputs: Environment,
  environment: Environment,
) {
  // The cast holds for the fields that are used: the file is in the repository.
  const action = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8')) as Action;
  const given = (name: string) => inputs[name] ?? action.inputs[name]?.default ?? '';
  const filled = (value: string) => value.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => given(name));
  let code = 0;
  let said = '';
  for (const step of action.runs.steps) {
    const isFor = step.if === undefined || step.if === `github.event_name == '${event}'`;
    if (step.run === undefined || !isFor || code !== 0) continue;
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]));
    const ended = await bash(step.run, folder, { ...environment, ...own });
    code = ended.code;
    said += ended.said;
  }
  return { code, said };
}

/** Another job: a fresh checkout, with the baseline from the cache. */
function checkOut(folder: string): void {
  rmSync(path.join(folder, '.assay-gate/experiments'), { recursive: true, force: true });
}

const AGENT = path.join(EXAMPLE, 'agent.ts');
const ARGUMENTS = '--suite default --seed 1 --settle 100ms';
const CRASHES = { EXAMPLE_AGENT_REGRESS: 'silent-crash', EXAMPLE_AGENT_REGRESS_RATE: '1' };

test('GitHub: a push stores a baseline; a pull request that is worse is stopped, and one comment says so', async () => {
  const [folder, forge] = [project(), await startForge()];
  writeFileSync(path.join(folder, 'event.json'), '{"pull_request":{"number":7}}');
  const runner = {
    ...{ GITHUB_SHA: 'abc', GITHUB_API_URL: forge.url, GITHUB_REPOSITORY: 'o/r' },
    ...{ GITHUB_OUTPUT: path.join(folder, 'output'), GITHUB_STEP_SUMMARY: path.join(folder, 'summary.md') },
  };
  const pull = { ...runner, GITHUB_EVENT_PATH: path.join(folder, 'event.json') };
  const inputs = { dataset: 'cases.yaml', agent: AGENT, arguments: ARGUMENTS, rules: 'rules.yaml', token: 'secret' };

  const early = await runAction(folder, 'pull_request', inputs, pull);
  expect(early).toMatchObject({ code: 0, said: expect.stringContaining('There is no baseline yet') });
  checkOut(folder);
  const pushed = await runAction(folder, 'push', inputs, runner);
  expect(pushed.code, pushed.said).toBe(0);
  checkOut(folder);
  const worse = await runAction(folder, 'pull_request', inputs, { ...pull, ...CRASHES });
  expect(worse.code, worse.said).toBe(1);
  expect(worse.said).toContain('commented on the pull request: https://forge.example/c/1');
  expect(readFileSync(path.join(folder, 'output'), 'utf8')).toBe('exit-code=1\n');
  expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toContain('cases_worse');
  expect(forge.comments.get(1)).toMatch(/^<!-- assay gate: rules\.yaml -->\n.*\|/s);
  checkOut(folder);
  const mended = await runAction(folder, 'pull_request', inputs, pull);
  expect(mended.code, mended.said).toBe(0);
  expect(forge.comments.size).toBe(1);
  expect(forge.comments.get(1)).not.toContain('regression');
});

test('GitLab: the job of the default branch stores a baseline, and that of a merge request is held against it', async () => {
  const [folder, forge] = [project(), await startForge()];
  // The cast holds for the fields that are used: the file is in the repository.
  const template = parse(readFileSync(path.join(ROOT, 'deploy/gitlab/assay-gate.yaml'), 'utf8')) as {
    readonly '.assay-gate': { readonly variables: Environment; readonly script: readonly string[] };
  };
  const { variables, script } = template['.assay-gate'];
  const given = { DATASET: 'cases.yaml', AGENT, ARGUMENTS, RULES: 'rules.yaml', CI_COMMIT_SHA: 'abc' };
  const job = (environment: Environment) => bash(script.join('\n'), folder, { ...variables, ...given, ...environment });
  const merge = {
    ...{ CI_MERGE_REQUEST_IID: '7', CI_API_V4_URL: forge.url, CI_PROJECT_ID: '3', GITLAB_TOKEN: 'secret' },
  };

  expect(await job(merge)).toMatchObject({ code: 0, said: expect.stringContaining('There is no baseline yet') });
  checkOut(folder);
  const pushed = await job({});
  expect(pushed.code, pushed.said).toBe(0);
  checkOut(folder);
  const worse = await job({ ...merge, ...CRASHES });
  expect(worse.code, worse.said).toBe(1);
  expect(forge.comments.get(1)).toMatch(/^<!-- assay gate: rules\.yaml -->/);
  expect(readFileSync(path.join(folder, '.assay-gate/gate.xml'), 'utf8')).toContain('<failure');
});
