/**
 * `assay labels import`: puts what people said of conversations into the service that is running, to compare judges with it; or, with `--outcome`,
 * what came of them in the world, to hold all scores against it. With `--readings` it puts whether each went well.
 */
import { counted } from '../../model/counted.ts';
import { type WrittenReading, withoutContradictions } from '../../model/readings.ts';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { addOutcomeOptions, OUTCOME_FILE, type OutcomeFlags, outcomesIn } from '../outcome-options.ts';
import { readingsIn } from '../read-annotations.ts';
import { readLabels, type WrittenLabel } from '../read-labels.ts';
import {
  ask,
  type AskedService,
  askedPort,
  reading,
  type ServiceFlags,
  serviceOf,
  tokenOption,
  writing,
} from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { printMissed, whatSuitesMiss } from '../what-suites-miss.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';

/** The API takes up to twice as many in a request. */
const PUT_TOGETHER = 500;
const answerSchema = z.object({ added: z.number() });
const NOT_FOUND = 404;
const foundSchema = z.object({ conversation: z.object({ turns: z.number() }).optional() });
const changedSchema = z.object({ changed: z.number() });

const HELP = `
With --outcome: ${OUTCOME_FILE}

With --readings: the same kinds of file, with conversation_id, answer (good, bad or cannot_tell; true or 1, false or 0),
by, first_wrong (the span id of the first step that went wrong), note and, of a bad one, kind (of failure). Also
annotations that Langfuse, Phoenix, LangSmith or MLflow export, as JSON, JSON lines or CSV: --label has the name of the
one that says whether it went well.

Examples:
  assay labels import reviewed.csv --by ana
  assay labels import readings.csv --readings --by ana
  assay labels import scores.json --readings --label resolved
  assay labels import csat.csv --outcome --good-from 4`;

type ImportFlags = ServiceFlags &
  OutcomeFlags & { readonly by?: string; readonly suite?: string } & {
    readonly [Name in 'outcome' | 'certain' | 'readings']?: boolean;
  };

export function addLabels(program: Command, terminal: Terminal): void {
  const labels = program
    .command('labels')
    .description('import labels by people, which show how far judges can be trusted');
  const command = labels
    .command('import')
    .description('import the labels of a file into the running service; existing labels are skipped')
    .argument(
      '<file>',
      'YAML, JSON, JSON lines (.jsonl) or CSV: conversation, suite, criterion, label, by, turn_id, note',
    )
    .option('--by <person>', 'name of the labeller or reader, if the file has none')
    .option('--suite <name>', 'the suite, if the file has none')
    .addOption(new Option('--readings', 'the file says how conversations went, as people read').conflicts('outcome'))
    .option('--outcome', 'the file holds real outcomes of conversations: conversation_id, an outcome, case')
    .option('--certain', 'with --outcome: it decides how the conversation went, and nobody has to read it');
  addOutcomeOptions(
    command,
    'with --outcome: the column that is the outcome, and its name in the store; with --readings: the annotation',
  )
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print the counts as JSON')
    .addOption(settingOption('config'))
    .addOption(tokenOption())
    .addOption(askedPort())
    .addHelpText('after', HELP)
    .action(async (file: string, flags: ImportFlags) => {
      checkFlags(flags);
      if (flags.outcome === true) await importOutcomes(file, flags, terminal);
      else if (flags.readings === true) await importReadings(file, flags, terminal);
      else await importLabels(file, flags, terminal);
    });
}

/** Options that only one kind of file takes. */
function checkFlags(flags: ImportFlags): void {
  const { outcome, readings, by, suite, label, goodFrom, goodUpTo, certain } = flags;
  const ofColumns = { label, 'good-from': goodFrom, 'good-up-to': goodUpTo };
  const excluded =
    outcome === true ? { by, suite } : readings === true ? { certain, suite } : { ...ofColumns, certain };
  const given = Object.entries(excluded).find(([, value]) => value !== undefined)?.[0];
  if (given === undefined) return;
  const kind = outcome === true ? '--outcome' : '--readings';
  const why =
    outcome === true || given === 'suite' ? `is for labels of people, and ${kind} is given` : 'needs --outcome';
  throw new CommandFailure(`--${given} ${why}`, EXIT.usage);
}

async function importLabels(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const read = readLabels(file, { by: flags.by, suite: flags.suite });
  failOn(read.mistakes);
  const added = await putAll(read.labels, serviceOf(flags));
  const counts = { labels: read.labels.length, added };
  terminal.out(
    flags.json === true
      ? visibleJson(counts)
      : `${counted(counts.labels, 'label')}, ${added} of them new: metrics show them within a minute`,
  );
}

async function importReadings(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const { readings, of } = readingsIn(file, flags);
  const here = of === undefined ? readings : await ofConversations(readings, serviceOf(flags));
  const known = of === undefined ? here : withoutContradictions(here);
  const changed = await putTogether(known, { path: '/v1/readings', one: 'reading' }, flags, terminal);
  const by_programs = known.filter(({ source }) => source === 'agent').length;
  const others = { by_programs, left_out: of?.leftOut, of_no_conversation: readings.length - here.length };
  const counts = { readings: known.length, changed };
  if (flags.json === true) terminal.out(visibleJson(of === undefined ? counts : { ...counts, ...others }));
  else terminal.out(`${counted(counts.readings, 'reading')}, ${changed} of them new or changed`);
  if (flags.json === true || of === undefined) return;
  terminal.out(`${of.tool}: ${safe(of.name, 80)} says whether a conversation went well.
by programs, which count in no estimate: ${by_programs}
left out, without a value, a trace or a session: ${of.leftOut}
left out, of a trace or session that is no conversation here: ${others.of_no_conversation}
No lot chose these conversations: each is out of turn, and counts once all that come before it are read.`);
}

/** The service finds a conversation by its trace if its agent gave it no id. */
async function ofConversations(readings: readonly WrittenReading[], { url, token }: AskedService) {
  const there = new Set<string>();
  for (const id of new Set(readings.map(({ conversation_id }) => conversation_id))) {
    const asked = new URL(`/api/conversations/${encodeURIComponent(id)}`, url);
    const { conversation } = foundSchema.parse(await ask(asked, { ...reading(token), accept: NOT_FOUND }));
    if (conversation !== undefined && conversation.turns > 0) there.add(id);
  }
  return readings.filter(({ conversation_id: id }) => there.has(id));
}

/** Items before a refused one stay in the store; the file can be imported again. */
async function putTogether(
  all: readonly unknown[],
  { path, one }: { readonly path: string; readonly one: string },
  flags: ImportFlags,
  terminal: Terminal,
): Promise<number> {
  const { url, writeToken } = serviceOf(flags);
  let changed = 0;
  for (let first = 0; first < all.length; first += PUT_TOGETHER) {
    const some = all.slice(first, first + PUT_TOGETHER);
    changed += changedSchema.parse(await ask(new URL(path, url), writing('PUT', some, writeToken))).changed;
    terminal.progress(`${first + some.length} of ${counted(all.length, one)}`);
  }
  terminal.progressDone();
  return changed;
}

async function importOutcomes(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const { label, outcomes, empty, contradicted } = outcomesIn(file, flags);
  const all = [...outcomes].map(([conversation_id, { isGood, value, case: ofCase }]) => ({
    ...{ conversation_id, label, good: isGood, value },
    ...(ofCase === undefined ? {} : { case: ofCase }),
    ...(flags.certain === true ? { certain: true } : {}),
  }));
  const changed = await putTogether(all, { path: '/v1/outcomes', one: 'outcome' }, flags, terminal);
  const counts = { label, outcomes: all.length, changed, empty, contradicted: contradicted.length };
  const service = serviceOf(flags);
  const missed = await whatSuitesMiss(all, service, terminal);
  if (flags.json === true) {
    terminal.out(visibleJson({ ...counts, ...missed }));
    return;
  }
  terminal.out(`${counted(all.length, 'outcome')} in ${safe(label, 80)}, ${changed} of them new or changed`);
  if (empty > 0) terminal.out(`entries without an outcome, left out: ${empty}`);
  if (contradicted.length > 0) terminal.out(`conversations called both good and bad, left out: ${contradicted.length}`);
  if (missed !== undefined) printMissed(terminal, missed, { outcomes: all.length, url: service.url });
  terminal.out(`Compare the scores with them: assay validity --label ${safe(label, 80)}`);
}

/** Labels before a refused one stay in the store; once the mistake is fixed, the file can be imported again. */
async function putAll(
  labels: readonly WrittenLabel[],
  { url, writeToken }: ReturnType<typeof serviceOf>,
): Promise<number> {
  let added = 0;
  for (const [conversation, own] of Map.groupBy(labels, (label) => label.conversation)) {
    for (let first = 0; first < own.length; first += PUT_TOGETHER) {
      const some = own.slice(first, first + PUT_TOGETHER).map(({ conversation: _, ...label }) => label);
      const address = new URL(`/v1/labels/${encodeURIComponent(conversation)}`, url);
      added += answerSchema.parse(await ask(address, writing('PUT', some, writeToken))).added;
    }
  }
  return added;
}
