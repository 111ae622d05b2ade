/** `assay golden`: from a run to a draft, from a draft to a trace without mistakes, and a run beside its trace. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { DiffKind } from '../../model/golden-diff.ts';
import { counted } from '../../model/counted.ts';
import { goldenFilesIn, type LoadedGolden } from '../../score/trajectory/golden-files.ts';
import { subjectOf } from '../../score/subject/subject.ts';
import type { DiffLine } from '../../score/trajectory/describe-comparison.ts';
import { draftGolden } from '../../score/trajectory/draft-golden.ts';
import { GoldenLibrary } from '../../score/trajectory/golden-library.ts';
import type { GoldenTrace } from '../../score/trajectory/golden-trace.ts';
import { lintGolden } from '../../score/trajectory/lint-golden.ts';
import { runBesideTrace } from '../../score/trajectory/run-beside-trace.ts';
import { formatMillionths } from '../../score/subject/weigh.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn, load } from '../load.ts';
import { oneConversation } from '../one-conversation.ts';
import { settingOption } from '../setting-option.ts';
import { printTable, type TableRow } from '../print-table.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';

interface ConversationFlags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly file?: readonly string[];
}

export function addGolden(program: Command, terminal: Terminal): void {
  const golden = program
    .command('golden')
    .description('record, check and compare golden traces: runs that you approved');
  const from = (command: Command) =>
    command
      .option('--file <recording...>', 'take the conversation from recorded spans instead of the store')
      .addOption(settingOption('config'))
      .addOption(settingOption('data_dir'));

  from(golden.command('record'))
    .description('write a conversation as the draft of a golden trace; parts that change from run to run become globs')
    .argument('<conversation>', 'conversation id, or `trace:<trace id>` if the agent sets none')
    .option('--out <file>', 'where to write it; without it, standard output')
    .action(async (id: string, flags: ConversationFlags & { readonly out?: string }) => {
      const draft = draftGolden(await conversationOf(id, flags));
      if (flags.out === undefined) terminal.out(draft.trimEnd());
      else {
        await writeFile(flags.out, draft, { flag: 'wx' }).catch((error: unknown) => {
          throw new CommandFailure(`write ${flags.out}: ${error instanceof Error ? error.message : ''}`, EXIT.input);
        });
        terminal.out(`${flags.out}: a draft; look it over, then delete \`status: draft\``);
      }
    });

  golden
    .command('lint')
    .description('check golden traces: every mistake with its line, and valid settings that are probably unintended')
    .argument('<files...>', 'files of golden traces, or folders of them')
    .action((files: readonly string[]) => {
      const { traces } = loadGolden(files);
      const drafts = traces.filter(({ draft }) => draft).length;
      for (const trace of traces) {
        for (const advice of lintGolden(trace))
          terminal.out(`${trace.file}:${trace.line ?? 1}: ${trace.id}: ${advice}`);
      }
      terminal.out(
        `${counted(traces.length, 'golden trace')} without mistakes, ${counted(drafts, 'draft')} among them`,
      );
    });

  from(golden.command('diff'))
    .description('compare a conversation with a golden trace, step by step')
    .argument('<golden>', 'a file of golden traces')
    .argument('<conversation>', 'conversation id, or `trace:<trace id>` if the agent sets none')
    .option('--id <trace>', 'which trace of the file, where it has several')
    .option('--json', 'print the comparison as JSON')
    .action((file: string, id: string, flags: DiffFlags) => showDiff(file, id, flags, terminal));
}

type DiffFlags = ConversationFlags & { readonly id?: string; readonly json?: boolean };

async function showDiff(file: string, id: string, flags: DiffFlags, terminal: Terminal): Promise<void> {
  const trace = traceIn(loadGolden([file]).traces, file, flags.id);
  const conversation = await conversationOf(id, flags);
  const subject = subjectOf(conversation, undefined);
  const beside = runBesideTrace(trace, subject, { golden: new GoldenLibrary([trace]) });
  if (typeof beside === 'string') throw new CommandFailure(`they cannot be compared: ${safe(beside)}`, EXIT.input);
  const { lines, follows, scoreMillionths: score, overBudget: over, isOptimal } = beside;
  const output = beside.output?.because;
  if (flags.json === true) {
    const told = {
      golden: trace.id,
      conversation_id: conversation.id,
      follows,
      trajectory_score: score / 1_000_000,
      steps: lines,
      output_mistake: output ?? null,
      over_budget: over ?? null,
      is_optimal: isOptimal,
    };
    terminal.out(visibleJson(told));
    return;
  }
  const { paint } = terminal;
  terminal.out(
    `${paint('bold', safe(conversation.id))} beside golden trace ${paint('bold', trace.id)} (${trace.mode})\n`,
  );
  printTable(terminal, lines.flatMap(rowsOf), { indent: 2, min: [1, 7, 7] });
  terminal.out(
    `\n  trajectory score ${formatMillionths(score)}; ${follows ? 'follows the trace' : 'does not follow the trace'}`,
  );
  terminal.out(`  ${answerOf(trace, output)}`);
  if (over !== undefined) terminal.out(`  it took ${over}`);
  if (!isOptimal) terminal.out('  a better alignment may exist: the search stopped at its limit');
}

async function conversationOf(id: string, flags: ConversationFlags) {
  const { settings } = await load({ config: flags.config, dataDir: flags.dataDir }, { secrets: "the store's" });
  return await oneConversation(id, { settings, files: flags.file ?? [] });
}

function loadGolden(references: readonly string[]): LoadedGolden {
  const loaded = goldenFilesIn(process.cwd())(references);
  const [unread] = loaded.unread.values();
  if (unread !== undefined) throw new CommandFailure(unread, EXIT.input);
  failOn(loaded.mistakes);
  return loaded;
}

function traceIn(traces: readonly GoldenTrace[], file: string, id: string | undefined): GoldenTrace {
  const [only] = traces;
  if (id === undefined && traces.length === 1 && only !== undefined) return only;
  const named = traces.find((trace) => trace.id === id);
  if (named !== undefined) return named;
  const known = traces.map((trace) => trace.id).join(', ');
  const problem = id === undefined ? `has ${traces.length} traces: say which with --id` : `has no trace ${safe(id)}`;
  throw new CommandFailure(`${file} ${problem}: ${known}`, EXIT.input);
}

function answerOf({ output }: GoldenTrace, mistake: string | undefined): string {
  if (output.contains.length + output.matches.length === 0) return 'the trace does not say what the answer contains';
  return mistake === undefined ? 'the answer is as expected' : `the answer is not as expected: ${safe(mistake)}`;
}

const KINDS = {
  matched: ['green', '=', ''],
  wrong_arguments: ['yellow', '~', 'wrong arguments'],
  missing: ['red', '-', 'missing'],
  extra: ['dim', '+', 'extra'],
  out_of_order: ['red', '!', 'out of order'],
  unsafe: ['red', '!', 'unsafe'],
} as const satisfies Record<DiffKind, readonly [string, string, string]>;

function rowsOf({ kind, step, call, text, notes }: DiffLine): readonly TableRow[] {
  const [style, mark, word] = KINDS[kind];
  const shown = [word, ...notes].filter((note) => note !== '');
  return [
    [
      { text: mark, style },
      step === undefined ? '' : `step ${step}`,
      call === undefined ? '' : `call ${call}`,
      { text, max: 160 },
    ],
    ...shown.map((note): TableRow => ['', '', '', { text: note, style: 'dim', max: 200 }]),
  ];
}
