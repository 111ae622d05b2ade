/** `assay dataset`: checks the cases that an agent is to be tried on, and takes cases from what production recorded. */
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import type { Settings } from '../../config/settings.ts';
import type { Dataset } from '../../model/dataset.ts';
import { didYouMean } from '../../model/did-you-mean.ts';
import { type Outcome, OUTCOMES } from '../../model/evaluation.ts';
import { FAILED_OUTCOMES } from '../../model/severity.ts';
import { caseLine, LEFT_OUT, type LeftOut } from '../../engine/recorded-case.ts';
import { casesFromStore, type Selection } from '../../offline/datasets/from-store.ts';
import { readDataset } from '../../offline/datasets/read-dataset.ts';
import { openedStore } from '../opened-store.ts';
import { readTruthFiles } from '../../engine/truth-files.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { fileWhenDone } from '../file-when-done.ts';
import { failOn, load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { sinceOf } from '../since.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';

interface FromStoreFlags {
  readonly failed?: boolean;
  readonly outcome?: readonly string[];
  readonly suite?: string;
  readonly agent?: string;
  readonly agentVersion?: string;
  readonly since?: string;
  readonly limit: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
}

const LIMIT = '1000';
const LIMIT_MAX = 1_000_000;
/** Written together. */
const LINES = 100;

export function addDataset(program: Command, terminal: Terminal): void {
  const dataset = program
    .command('dataset')
    .description('work on datasets: the cases that `assay run` runs an agent on');
  dataset
    .command('check')
    .description('check a dataset: every mistake with its line')
    .argument('<file>', 'YAML, or JSON lines (.jsonl) with a case a line')
    .option('--json', 'print what it holds as JSON')
    .action((file: string, flags: { readonly json?: boolean }) => {
      const { dataset: read, mistakes } = readDataset(file);
      failOn(mistakes);
      if (read === undefined) throw new Error('a dataset has neither cases nor mistakes');
      terminal.out(flags.json === true ? visibleJson(toJson(read)) : describe(read));
    });
  dataset
    .command('from-store')
    .description('turn recorded conversations into cases: the user messages, the known ground truth, and its source')
    .option('--failed', 'only conversations with a failure of any kind')
    .option('--outcome <outcome...>', `only conversations with one of these outcomes: ${OUTCOMES.join(', ')}`)
    .option(
      '--suite <name>',
      'only conversations that this suite evaluated; with an outcome, those to which it gave the outcome',
    )
    .option('--agent <name>', 'only conversations of this agent')
    .option('--agent-version <version>', 'only conversations of this version of the agent')
    .option('--since <duration>', 'only conversations that began in this time, such as 7d or 12h')
    .option('--limit <n>', 'at most this many cases, latest first', LIMIT)
    .option('--out <file>', 'JSON lines (.jsonl); without it, standard output')
    .option('--force', 'overwrite an existing file')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action((flags: FromStoreFlags) => fromStore(flags, terminal));
}

async function fromStore(flags: FromStoreFlags, terminal: Terminal): Promise<void> {
  const { settings } = await load({ config: flags.config, dataDir: flags.dataDir }, { secrets: "the store's" });
  const selection = selectionOf(flags);
  const output = await outputTo(flags, terminal);
  const leftOut = new Map<LeftOut, number>();
  let cases = 0;
  try {
    for await (const line of linesFrom(settings, selection, (because) =>
      leftOut.set(because, (leftOut.get(because) ?? 0) + 1),
    )) {
      cases += 1;
      await output.write(line);
      terminal.progress(counted(cases, 'case'));
    }
    if (cases > 0) await output.done();
  } finally {
    terminal.progressDone();
    await output.close();
  }
  for (const because of LEFT_OUT) {
    const count = leftOut.get(because) ?? 0;
    if (count > 0)
      terminal.err(`${counted(count, 'conversation was', 'conversations were')} left out: ${REASONS[because]}`);
  }
  if (cases === 0)
    throw new CommandFailure(
      'no stored conversation matches these options: widen them, for example --since',
      EXIT.input,
    );
  if (cases === selection.limit) terminal.err(`there may be more: --limit is ${selection.limit}`);
  if (flags.out !== undefined) terminal.out(`${counted(cases, 'case')} in ${flags.out}`);
}

const REASONS = {
  not_recorded: 'what the user said was not recorded',
  truncated: 'what the user said was recorded in part',
  redacted: 'what the user said was withheld',
  not_kept: 'their spans are not kept any more',
} as const satisfies Record<LeftOut, string>;

async function* linesFrom(
  settings: Settings,
  selection: Selection,
  onLeftOut: (because: LeftOut) => void,
): AsyncGenerator<string> {
  const reader = await openedStore(settings, 'its --data-dir, or store.url in the configuration');
  try {
    const { truth: written } = readTruthFiles(settings.truth);
    const conversationKeys = settings.conversation.idKeys;
    for await (const one of casesFromStore({ reader, written, conversationKeys, selection, onLeftOut }))
      yield caseLine(one);
  } finally {
    await reader.close();
  }
}

function selectionOf(flags: FromStoreFlags): Selection {
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new CommandFailure(`--limit: ${flags.limit} is not a whole number from 1 to ${LIMIT_MAX}`, EXIT.usage);
  const { suite, agent, agentVersion } = flags;
  return { outcomes: outcomesOf(flags), suite, agent, agentVersion, since: sinceOf(flags.since), limit };
}

function outcomesOf({ failed, outcome: given }: FromStoreFlags): readonly Outcome[] | undefined {
  if (failed !== true && given === undefined) return undefined;
  const named = (given ?? []).map((text) => {
    const outcome = OUTCOMES.find((known) => known === text);
    if (outcome !== undefined) return outcome;
    const nearest = didYouMean(text, OUTCOMES);
    const hint = nearest === undefined ? `one of ${OUTCOMES.join(', ')}` : `did you mean '${nearest}'?`;
    throw new CommandFailure(`--outcome: there is no outcome '${safe(text, 60)}'; ${hint}`, EXIT.usage);
  });
  return [...new Set([...(failed === true ? FAILED_OUTCOMES : []), ...named])];
}

interface Output {
  write(line: string): Promise<void>;
  /** Only then is it there under its name. */
  done(): Promise<void>;
  close(): Promise<void>;
}

async function outputTo({ out, force }: FromStoreFlags, terminal: Terminal): Promise<Output> {
  if (out === undefined) {
    const nothing = () => Promise.resolve();
    return { write: (line) => Promise.resolve(terminal.out(line)), done: nothing, close: nothing };
  }
  if (!/\.(jsonl|ndjson)$/.test(out))
    throw new CommandFailure(`--out: ${out} must end in .jsonl, because it is written as JSON lines`, EXIT.usage);
  const file = await fileWhenDone(out, { force: force === true });
  let lines: string[] = [];
  const flush = async () => {
    if (lines.length > 0) await file.write(`${lines.join('\n')}\n`);
    lines = [];
  };
  return {
    write: async (line) => {
      lines.push(line);
      if (lines.length >= LINES) await flush();
    },
    done: async () => {
      await flush();
      await file.done();
    },
    close: () => file.close(),
  };
}

function toJson({ name, version, file, fingerprint, cases }: Dataset) {
  const tags = new Map<string, number>();
  for (const tag of cases.flatMap((one) => one.tags)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  return {
    name,
    version,
    file,
    fingerprint,
    cases: cases.length,
    turns: cases.reduce((sum, { turns }) => sum + turns.length, 0),
    with_truth: cases.filter(({ truth }) => truth !== undefined).length,
    with_golden: cases.filter(({ golden }) => golden !== undefined).length,
    recorded: cases.filter(({ from }) => from !== undefined).length,
    tags: Object.fromEntries([...tags].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function describe(dataset: Dataset): string {
  const { name, version, fingerprint, cases, turns, with_truth, with_golden, recorded, tags } = toJson(dataset);
  const parts = [
    counted(turns, 'turn'),
    `${with_truth} with truth`,
    `${with_golden} with a golden trace`,
    `${recorded} from production`,
  ];
  const tagged = Object.entries(tags).map(([tag, count]) => `${safe(tag, 60)} (${count})`);
  return [
    `${safe(name)} ${safe(version)}: ${counted(cases, 'case')} without mistakes; ${parts.join(', ')}`,
    ...(tagged.length === 0 ? [] : [`tags: ${tagged.join(', ')}`]),
    `fingerprint ${fingerprint}`,
  ].join('\n');
}
