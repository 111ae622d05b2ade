/**
 * `assay validity`: compares outcomes of conversations in the world with what suites say of them: of a recording, with
 * a file of outcomes, or of the conversations in the store, with the outcomes that were put there.
 */
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import { holdAgainst } from '../../statistics/calibrate/validity.ts';
import type { OutcomeFile } from '../../offline/outcome-labels.ts';
import { validityJson } from '../../report/documents/validity-json.ts';
import { openedStore } from '../opened-store.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { addOutcomeOptions, OUTCOME_FILE, type OutcomeFlags, outcomesIn } from '../outcome-options.ts';
import { printValidity } from '../print-validity.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import { sinceOf } from '../since.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';
import { type StoredPairs, storedPairs } from '../../offline/stored-pairs.ts';

interface ValidityFlags extends ScoringFlags, OutcomeFlags {
  readonly outcomes?: string;
  readonly since?: string;
  readonly agent?: string;
  readonly agentVersion?: string;
  readonly json?: boolean;
}

const NAMED_MAX = 5;

const HELP = `
With files, they are a recording, and --outcomes is the file of the real outcomes of its conversations. ${OUTCOME_FILE}

Without files, conversations and outcomes are those in the store: \`assay labels import --outcome\` puts outcomes there.
Versions of a suite, and of the judge of a criterion, are then reported separately.

Examples:
  assay validity spans.jsonl --suite default --outcomes csat.csv --good-from 4
  assay validity --label csat --since 30d`;

/** Options that need a recording, and options that exclude one. */
const OF_THE_STORE = ['since', 'agent', 'agentVersion'] as const;
const OF_A_RECORDING = ['outcomes', 'goodFrom', 'goodUpTo', 'judges'] as const;

export function addValidity(program: Command, terminal: Terminal): void {
  const command = program
    .command('validity')
    .description('compare scores with the real outcomes of conversations: a reward, a rating, a refund');
  addScoringOptions(command, '[files...]').option(
    '--outcomes <file>',
    'real outcomes of the recorded conversations: CSV or JSON lines, by conversation_id',
  );
  addOutcomeOptions(command, 'the column that is the outcome, or its name in the store, if there are several')
    .option(
      '--since <time>',
      'in the store: only conversations that began since then, a duration such as 7d, or a time',
    )
    .option('--agent <name>', 'in the store: only conversations of this agent')
    .option('--agent-version <version>', 'in the store: conversations of this version only')
    .option('--json', 'print all figures as JSON')
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: ValidityFlags) => {
      if (files.length > 0) await ofRecording(files, flags, terminal);
      else await ofStore(flags, terminal);
    });
}

async function ofRecording(files: readonly string[], flags: ValidityFlags, terminal: Terminal): Promise<void> {
  refuse(flags, OF_THE_STORE, 'is for conversations in the store, and files are given');
  if (flags.outcomes === undefined) {
    throw new CommandFailure(
      '--outcomes <file> is missing: name the file with the real outcomes of the recorded conversations',
      EXIT.usage,
    );
  }
  const outcomes = outcomesIn(flags.outcomes, flags);
  const { evaluations } = await scoreFiles(files, flags, terminal);
  const { suites, ...counted } = holdAgainst(evaluations, outcomes.outcomes);
  if (counted.labelled === 0) throw new CommandFailure(noneJoined(evaluations, outcomes), EXIT.input);
  const all = { ...outcomes, ...counted };
  if (flags.json === true) terminal.out(visibleJson(recordedJson(all, suites)));
  else {
    terminal.out(`\n  ${joinedText(all)}`);
    for (const line of leftOutLines(all)) terminal.out(`  ${line}`);
    printValidity(terminal, suites);
  }
}

async function ofStore(flags: ValidityFlags, terminal: Terminal): Promise<void> {
  refuse(flags, OF_A_RECORDING, 'is for a recording, and no file is given');
  const since = sinceOf(flags.since);
  const { settings } = await load({ config: flags.config, dataDir: flags.dataDir }, { secrets: "the store's" });
  const reader = await openedStore(settings);
  try {
    const names = await reader.outcomeNames();
    const label = flags.label ?? (names.length === 1 ? names[0]?.label : undefined);
    if (label === undefined || !names.some((name) => name.label === label)) {
      throw new CommandFailure(noSuchOutcome(names, flags.label), EXIT.input);
    }
    const pairs = await storedPairs(reader, {
      ...{ label, since, agent: flags.agent, agentVersion: flags.agentVersion, suites: flags.suite },
      onProgress: (looked) => terminal.progress(`${looked} outcomes looked at`),
    });
    terminal.progressDone();
    const { suites, labelled } = holdAgainst(pairs.evaluations, pairs.outcomes);
    if (labelled === 0) throw new CommandFailure(`none of ${leftOutText(pairs)}`, EXIT.input);
    if (flags.json === true) terminal.out(visibleJson(storedJson(pairs, { label, labelled }, suites)));
    else {
      terminal.out(
        `\n  ${safe(label, 80)} is the outcome: ${counted(labelled, 'conversation has', 'conversations have')} one and ${labelled === 1 ? 'is' : 'are'} scored`,
      );
      if (labelled < pairs.kept) terminal.out(`  of ${leftOutText(pairs)}`);
      printValidity(terminal, suites);
    }
  } finally {
    await reader.close();
  }
}

function refuse(flags: ValidityFlags, names: readonly (keyof ValidityFlags)[], why: string): void {
  const given = names.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (given === undefined) return;
  throw new CommandFailure(
    `--${given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${why}`,
    EXIT.usage,
  );
}

function noSuchOutcome(
  names: readonly { readonly label: string; readonly outcomes: number }[],
  asked: string | undefined,
): string {
  if (names.length === 0)
    return 'no outcomes are in the store: `assay labels import --outcome <file>` puts them there; or give a recording and --outcomes <file>';
  const there = names.map(({ label, outcomes }) => `${safe(label, 80)} (${outcomes})`).join(', ');
  if (asked === undefined) return `there are several outcomes: --label with one of ${there}`;
  return `no outcome in the store is called ${safe(asked, 80)}: there are ${there}`;
}

function leftOutText({ kept, notThere, leftOut, notScored }: StoredPairs): string {
  const parts = [
    ...(notThere > 0 ? [`${notThere} are of conversations that are not in the store`] : []),
    ...(leftOut > 0 ? [`${leftOut} of conversations that --since, --agent or --agent-version leave out`] : []),
    ...(notScored > 0 ? [`${notScored} of conversations that no such suite has scored yet`] : []),
  ];
  return `${kept} outcomes in the store, ${parts.join(', ')}`;
}

function storedJson(
  { kept, notThere, leftOut, notScored }: StoredPairs,
  { label, labelled }: { readonly label: string; readonly labelled: number },
  suites: Parameters<typeof validityJson>[0],
): unknown {
  const counted = { not_in_store: notThere, left_out: leftOut, not_scored: notScored };
  return validityJson(suites, { label, entries: kept, labelled, ...counted });
}

function noneJoined(
  evaluations: readonly { readonly conversationId: string }[],
  { label, entries, outcomes, empty, contradicted }: OutcomeFile,
): string {
  if (evaluations.length === 0)
    return 'no conversation was scored: is this a recording of an agent, and does a suite match it?';
  if (outcomes.size === 0)
    return `none of ${entries} entries has an outcome in ${safe(label, 80)}: ${empty} are empty, and ${contradicted.length} conversations are called both good and bad`;
  const theirs = named([...outcomes.keys()]);
  const ours = named([...new Set(evaluations.map(({ conversationId }) => conversationId))]);
  return `no outcome is of a conversation in the recording\n  the outcomes are of: ${theirs}\n  the recording has: ${ours}`;
}

function recordedJson(all: Joined, suites: Parameters<typeof validityJson>[0]): unknown {
  const { label, entries, labelled, withoutOutcome, unknown, empty, repeated, contradicted } = all;
  const counted = { entries, labelled, without_outcome: withoutOutcome, unknown, empty, repeated, contradicted };
  return validityJson(suites, { label, ...counted });
}

interface Joined extends OutcomeFile {
  readonly labelled: number;
  readonly withoutOutcome: number;
  readonly unknown: readonly string[];
}

function joinedText({ label, labelled, withoutOutcome }: Joined): string {
  const all = labelled + withoutOutcome;
  const without = withoutOutcome === 0 ? '' : `; ${withoutOutcome} without one left out`;
  return `${safe(label, 80)} is the outcome: ${labelled} of ${all} conversations have one${without}`;
}

function leftOutLines({ unknown, empty, repeated, contradicted }: Joined): readonly string[] {
  const notScored = `${unknown.length} of the outcomes: the conversation is not in the recording, or no suite scored it`;
  return [
    ...(unknown.length === 0 ? [] : [`${notScored}: ${named(unknown)}`]),
    ...(empty === 0 ? [] : [`entries without an outcome: ${empty}`]),
    ...(repeated === 0 ? [] : [`entries that repeat one before them, and count once: ${repeated}`]),
    ...(contradicted.length === 0
      ? []
      : [`conversations called both good and bad, and left out: ${contradicted.length}, ${named(contradicted)}`]),
  ];
}

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, NAMED_MAX).map((id) => safe(id, 80));
  return [...shown, ...(ids.length > NAMED_MAX ? ['…'] : [])].join(', ');
}
