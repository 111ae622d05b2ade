/** `assay suite draft`: proposes a suite from tool schemas, a system prompt and recorded traffic, with tests that were run. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../../config/settings.ts';
import { ConversationSource } from '../../backtest/conversation-source.ts';
import { understandRecorded } from '../../engine/recorded/understand-recording.ts';
import type { Conversation } from '../../model/conversation.ts';
import { counted } from '../../model/counted.ts';
import { selectedRows } from '../../offline/datasets/from-store.ts';
import { type Draft, draftSuite } from '../../offline/draft/draft-suite.ts';
import { suiteFile, testFile } from '../../offline/draft/drafted-files.ts';
import { sentencesOf } from '../../offline/draft/prompt-sentences.ts';
import { readToolSchemas } from '../../offline/draft/tool-schemas.ts';
import type { WrittenRule } from '../../offline/draft/written-rules.ts';
import { readRecordings, redactRecorded } from '../../offline/recording.ts';
import { idKeysOf } from '../../normalize/id-keys.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { modelFor } from '../draft-model.ts';
import { fileWhenDone } from '../file-when-done.ts';
import { load } from '../load.ts';
import { openedStore } from '../opened-store.ts';
import { headRow, printTable, type TableRow } from '../print-table.ts';
import { settingOption } from '../setting-option.ts';
import { sinceOf } from '../since.ts';
import { safe, type Terminal } from '../terminal.ts';

interface DraftFlags {
  readonly tools: string;
  readonly prompt?: string;
  readonly from?: readonly string[];
  readonly fromStore?: boolean;
  readonly agent?: string;
  readonly since?: string;
  readonly judge?: string;
  readonly out: string;
  readonly force?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
}

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const CONVERSATIONS_MAX = 2000;

export function addSuiteDraft(suite: Command, terminal: Terminal): void {
  suite
    .command('draft')
    .description('propose a suite from tool schemas, a system prompt and recorded traffic, with tests for each rule')
    .requiredOption(
      '--tools <file>',
      "schemas of the agent's tools, as JSON: those of OpenAI, Anthropic or MCP, or a map",
    )
    .option('--prompt <file>', 'system prompt of the agent; without it, the one that was recorded')
    .option('--from <recordings...>', 'recorded conversations, to see which rules hold and which are broken')
    .option('--from-store', `use the latest ${CONVERSATIONS_MAX} conversations of the store`)
    .option('--agent <name>', 'only conversations of this agent')
    .option('--since <duration>', 'with --from-store, only conversations that began in this time, such as 7d or 12h')
    .option('--judge <name>', 'let this configured judge read the prompt as well, which may cost money')
    .option('--out <file>', 'file to write; the tests are written beside it', 'drafted.yaml')
    .option('--force', 'overwrite existing files')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async (flags: DraftFlags) => await draft(flags, terminal));
}

async function draft(flags: DraftFlags, terminal: Terminal): Promise<void> {
  const { settings } = await load({ config: flags.config, dataDir: flags.dataDir }, { suites: ['default'] });
  const name = nameFor(flags.out);
  const read = readToolSchemas(textOf(flags.tools));
  if (typeof read === 'string') throw new CommandFailure(`${flags.tools}: ${read}`, EXIT.input);
  for (const because of read.leftOut) terminal.err(`left out: ${safe(because)}`);
  const conversations = await conversationsFor(flags, settings);
  const prompt = flags.prompt === undefined ? recordedPrompt(conversations) : textOf(flags.prompt);
  const drafted = await draftSuite({
    name,
    tools: read.tools,
    sentences: sentencesOf(prompt ?? ''),
    ask: modelFor(flags.judge, settings),
    conversations,
    settings: settings.tools,
    onProgress: (done) => terminal.progress(`${done} of ${counted(conversations.length, 'conversation')}`),
  });
  terminal.progressDone();
  print(terminal, drafted, conversations.length);
  if (drafted.rules.length === 0)
    throw new CommandFailure('no rule could be drafted: give --prompt or --from as well', EXIT.input);
  const tests = flags.out.replace(/\.ya?ml$/, '.test.yaml');
  await write(flags.out, suiteFile({ name, tools: read.tools, ...drafted }), flags);
  await write(tests, testFile(drafted.rules), flags);
  terminal.out(`\n${counted(drafted.rules.length, 'rule')} in ${flags.out}, ${tests} beside it: read them, then`);
  terminal.out(`  assay suite test ${flags.out}`);
  printUnused(terminal, drafted);
}

function nameFor(out: string): string {
  const name = /^([A-Za-z][\w-]*)\.ya?ml$/.exec(path.basename(out))?.[1];
  if (name !== undefined) return name;
  const problem = 'expected a name of letters, digits, _ and - that ends in .yaml';
  throw new CommandFailure(`--out ${safe(out)}: ${problem}`, EXIT.usage);
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX) throw new Error(`it has ${size} bytes, and ${FILE_BYTES_MAX} are the most`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${file}: ${error instanceof Error ? error.message : String(error)}`, EXIT.input);
  }
}

/** The oldest first. */
async function conversationsFor(flags: DraftFlags, settings: Settings): Promise<readonly Conversation[]> {
  const { agent, from: files = [] } = flags;
  const { idKeys: conversationKeys } = settings.conversation;
  const batches = redactRecorded(readRecordings(files), settings);
  const { conversations } = await understandRecorded(batches, { conversationKeys });
  const ofAgent = conversations.filter((one) => agent === undefined || one.agent.name === agent);
  if (files.length > 0 && ofAgent.length === 0)
    throw new CommandFailure('--from: no conversation of the agent was found in the recordings', EXIT.input);
  if (flags.fromStore !== true) return ofAgent;
  const stored: Conversation[] = [];
  const reader = await openedStore(settings);
  try {
    const any = { outcomes: undefined, suite: undefined, agentVersion: undefined };
    const selection = { ...any, agent, since: sinceOf(flags.since), limit: CONVERSATIONS_MAX };
    const source = new ConversationSource({ reader, idKeys: idKeysOf(conversationKeys), truth: undefined });
    for await (const row of selectedRows(reader, selection)) {
      const understood = await source.of(row);
      // Spans of some are no longer kept.
      if (typeof understood !== 'string') stored.unshift(understood.whole);
      if (stored.length >= CONVERSATIONS_MAX) break;
    }
  } finally {
    await reader.close();
  }
  return [...ofAgent, ...stored];
}

/** Instructions as the latest conversation has them. */
function recordedPrompt(conversations: readonly Conversation[]): string | undefined {
  const steps = conversations.at(-1)?.turns.flatMap((turn) => turn.steps) ?? [];
  return steps.flatMap(({ systemInstructions }) => systemInstructions ?? []).at(-1);
}

async function write(file: string, text: string, { force }: DraftFlags): Promise<void> {
  const output = await fileWhenDone(file, { force: force === true });
  try {
    await output.write(text);
    await output.done();
  } finally {
    await output.close();
  }
}

const FROM_SHOWN_MAX = 70;
const UNUSED_SHOWN_MAX = 50;

function print(terminal: Terminal, { rules, doubted, leftOut }: Draft, conversations: number): void {
  const { out, paint } = terminal;
  const head = conversations === 0 ? ['rule', 'from'] : ['rule', 'from', 'applies', 'fails', 'such as'];
  const broken = `\n  ${paint('yellow', 'Broken by many conversations, so written as comments')}`;
  const commented = doubted.length === 0 ? [] : [broken, ...doubted.map(rowOf)];
  printTable(terminal, [headRow(...head), ...rules.map(rowOf), ...commented], { align: 'llrr', indent: 2 });
  if (leftOut.length > 0) out('');
  for (const { name, because } of leftOut) out(paint('dim', `  left out: ${safe(name, 80)}: ${safe(because)}`));
}

function printUnused({ out, paint }: Terminal, { unused }: Draft): void {
  if (unused.length > 0) out('\nNo rule follows from:');
  for (const { line, text } of unused.slice(0, UNUSED_SHOWN_MAX))
    out(paint('dim', `  line ${line}: ${safe(text, 200)}`));
  const more = unused.length - UNUSED_SHOWN_MAX;
  if (more > 0) out(paint('dim', `  and ${counted(more, 'other sentence')}`));
}

function rowOf({ name, origin, measured }: WrittenRule): TableRow {
  const said = [name, { text: origin.text, max: FROM_SHOWN_MAX }] as const;
  if (measured === undefined) return said;
  const { applies, fails, failing } = measured;
  return [...said, String(applies), String(fails), failing.map((id) => safe(id, 40)).join(', ')];
}
