/** `assay init`: from an agent's project to a score of its conversations: what to install, a few files, and a test of the service. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { conversationList } from '../../api/conversation-list.ts';
import { facets } from '../../api/facets.ts';
import { TEST_AGENT } from '../../model/agent-labels.ts';
import { conversationLine } from '../conversation-line.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { FRAMEWORKS, type Framework, type Language } from '../init/frameworks.ts';
import {
  filesOf,
  isUnchanged,
  type Plan,
  removeUnchanged,
  suiteNameOf,
  TRACING_FILES,
  writeNew,
} from '../init/init-files.ts';
import { type Project, readProject, withoutRecorded } from '../init/project.ts';
import { sayWhatToDo } from '../init/to-do.ts';
import { forgetTestConversation, sendTestConversation, untilScored } from '../init/test-conversation.ts';
import {
  ask,
  askedPort,
  isThere,
  otlpFrom,
  reading,
  type ServiceFlags,
  serviceOf,
  tokenOption,
} from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

type InitFlags = ServiceFlags & {
  readonly framework?: readonly string[];
  readonly dryRun?: boolean;
  readonly undo?: boolean;
};

const ROOT = path.resolve(import.meta.dirname, '../../..');
const OWN_SHOWN = 5;
const LATEST = 50;

const HELP = `
Writes assay_tracing.py or assay-tracing.mjs, assay.yaml and suites/my-agent.yaml, and nothing else. A file that exists
stays as it is. If a service runs, a test conversation of the agent ${TEST_AGENT} shows whether it receives and scores,
and is removed: exit code 1 if it was not scored within 90 seconds.

Examples:
  assay init                            # looks at package.json, requirements.txt, pyproject.toml and their kind
  assay init --framework langchain
  assay init --dry-run
  assay init --undo`;

export function addInit(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description(
      "set an agent's project up: recognize its framework, write the lines that send its spans, test the service",
    )
    .addOption(
      new Option('--framework <names...>', 'instead of those that are recognized').choices(
        FRAMEWORKS.map(({ id }) => id),
      ),
    )
    .option('--dry-run', 'print the files, and write none')
    .option('--undo', 'remove the files that were written and not changed since')
    .option('--url <url>', 'the service to test (default: that of the configuration, on this machine)')
    .addOption(tokenOption())
    .addOption(askedPort())
    .addOption(settingOption('config'))
    .addHelpText('after', HELP)
    .action(async (flags: InitFlags) => {
      const folder = process.cwd();
      if (flags.undo === true) {
        undo(folder, terminal);
        return;
      }
      const service = serviceOf(flags);
      const runs = await isThere(service.url);
      const otlp = runs ? await otlpFrom(service.url, service.token) : service.otlp;
      const plan = planOf(folder, { otlp, given: flags.framework });
      if (flags.dryRun === true) {
        for (const { name, text } of filesOf(plan))
          terminal.out(
            `${existsSync(path.join(folder, name)) ? `${name} is there already, and stays` : `${name}:`}\n${text}`,
          );
        return;
      }
      write(folder, plan, terminal);
      sayWhatToDo(folder, plan, terminal);
      if (runs) await test({ ...service, otlp, suite: suiteNameOf(plan) }, terminal);
      else
        terminal.out(
          `\nNo service runs at ${service.url}. Start one in this folder, and call init again to test it:\n  ${assayHere(folder)} serve`,
        );
    });
}

function planOf(
  folder: string,
  { otlp, given = [] }: { readonly otlp: string; readonly given: InitFlags['framework'] },
): Plan & Project {
  if (folder === ROOT)
    throw new CommandFailure(
      `this is Assay's own folder: call init in that of your agent, as node ${path.join(ROOT, 'bin/assay.mjs')} init`,
      EXIT.input,
    );
  const project = readProject(folder);
  const chosen = withoutRecorded(FRAMEWORKS.filter(({ id }) => given.includes(id)));
  const frameworks = given.length > 0 ? chosen : project.frameworks;
  const languages = frameworks.length > 0 ? languagesOf(frameworks) : project.languages;
  if (frameworks.length === 0 && languages.length === 0)
    throw new CommandFailure(
      'nothing here says what the agent is made with: call init in its folder, beside package.json, requirements.txt or pyproject.toml, or give --framework',
      EXIT.input,
    );
  return { ...project, telemetry: withoutOwn(folder, project.telemetry), frameworks, languages, otlp };
}

/** Packages that init asked for set nothing up. */
function withoutOwn(folder: string, telemetry: Project['telemetry']): Project['telemetry'] {
  const of = (language: Language) =>
    existsSync(path.join(folder, TRACING_FILES[language])) ? [] : telemetry[language];
  return { python: of('python'), javascript: of('javascript') };
}

/** Languages with a framework that a file switches on. */
function languagesOf(frameworks: readonly Framework[]): readonly Language[] {
  const traced = frameworks.filter(({ tracing }) => tracing !== undefined && tracing.exporter !== 'env');
  return [...new Set(traced.map(({ language }) => language))];
}

function write(folder: string, plan: Plan, { out }: Terminal): void {
  const written: string[] = [];
  const kept: string[] = [];
  for (const file of filesOf(plan)) (writeNew(folder, file) ? written : kept).push(file.name);
  if (written.length > 0) out(`written: ${written.join(', ')}`);
  for (const name of kept)
    out(`${name} is there already, ${isUnchanged(folder, name) ? 'as init wrote it' : 'and stays as it is'}`);
}

function undo(folder: string, { out }: Terminal): void {
  const { removed, left } = removeUnchanged(folder);
  out(removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`);
  if (left.length > 0) out(`left, because init did not write it, or it was changed since: ${left.join(', ')}`);
  const tracing = removed.filter((name) => Object.values(TRACING_FILES).includes(name));
  for (const name of tracing) out(`Remove the line that loads ${name}.`);
}

async function test(
  service: Parameters<typeof sendTestConversation>[0] & { readonly suite: string },
  terminal: Terminal,
): Promise<void> {
  const { url, token, suite } = service;
  const id = await sendTestConversation(service);
  terminal.out(`\nA service runs at ${url}. Test conversation sent: ${id}`);
  const item = await untilScored(id, service, terminal);
  if (item === undefined)
    throw new CommandFailure('it was received, and was not scored in time: `assay doctor` says why', EXIT.failed);
  terminal.out(conversationLine(terminal, item));
  if (!(await forgetTestConversation(id, service)))
    terminal.out(`It stays, because the service did not remove it: assay forget --conversation ${id}`);
  const { suites } = facets.parse(await ask(new URL('/api/v1/facets', url), reading(token)));
  if (!suites.includes(suite))
    terminal.out(
      `The service has no suite ${suite}, because it was started elsewhere. Stop it, and start it in this folder, where assay.yaml names it. Conversations that it has stay in its own store.\n  ${assayHere(process.cwd())} serve`,
    );
  const latest = await ask(new URL(`/api/v1/conversations?limit=${LATEST}`, url), reading(token));
  const own = conversationList.parse(latest).conversations.filter(({ agent }) => agent !== TEST_AGENT);
  terminal.out(own.length === 0 ? '\nNo conversation of an agent has come yet.' : '\nLatest conversations:');
  for (const one of own.slice(0, OWN_SHOWN)) terminal.out(conversationLine(terminal, one));
  terminal.out(`\nRun your agent, and see its scores: ${url}/  or  ${assayHere(process.cwd())} watch`);
}

/** The command as it can be typed in the folder. */
function assayHere(folder: string): string {
  if (existsSync(path.join(folder, 'node_modules/.bin/assay'))) return 'npx assay';
  const program = path.relative(folder, path.join(ROOT, 'bin/assay.mjs'));
  return `node ${/^[\w./-]+$/.test(program) ? program : safe(JSON.stringify(program))}`;
}
