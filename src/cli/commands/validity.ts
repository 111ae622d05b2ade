/** `assay validity`: what came of recorded conversations in the world, held against what suites say of them. */
import { type Command, Option } from 'commander';
import { holdAgainst } from '../../calibrate/validity.ts';
import { type GoodLimit, type OutcomeFile, readOutcomes } from '../../offline/outcome-labels.ts';
import { validityJson } from '../../report/documents/validity-json.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { printValidity } from '../print-validity.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import { jsonText, safe, type Terminal } from '../terminal.ts';

interface ValidityFlags extends ScoringFlags {
  readonly outcomes: string;
  readonly label?: string;
  readonly goodFrom?: string;
  readonly goodUpTo?: string;
  readonly json?: boolean;
}

const NAMED_MAX = 5;

const HELP = `
The outcomes are CSV with a line of names, or JSON lines with the same names:

  conversation_id,csat,case
  c-101,5,refund
  c-102,2,refund

An outcome is good or bad, true or false, 1 or 0; other numbers need --good-from or --good-up-to. \`case\` is optional:
where several conversations try the same task, it lets the score be compared within a case as well.

Example: assay validity spans.jsonl --suite default --outcomes csat.csv --good-from 4`;

export function addValidity(program: Command, terminal: Terminal): void {
  const command = program
    .command('validity')
    .description(
      'hold what suites say of recorded conversations against what came of them: a reward, a rating, a refund',
    );
  addScoringOptions(command)
    .requiredOption('--outcomes <file>', 'what came of the conversations: CSV or JSON lines, by conversation_id')
    .option('--label <name>', 'the column that is the outcome, where there are several')
    .addOption(new Option('--good-from <number>', 'numbers from this one up are good').conflicts('goodUpTo'))
    .option('--good-up-to <number>', 'numbers up to this one are good')
    .option('--json', 'print all figures as JSON')
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: ValidityFlags) => {
      const outcomes = outcomesIn(flags);
      const { evaluations } = await scoreFiles(files, flags, terminal);
      const { suites, ...counted } = holdAgainst(evaluations, outcomes.outcomes);
      if (counted.labelled === 0) {
        throw new CommandFailure(noneJoined(evaluations, outcomes), EXIT.input);
      }
      const all = { ...outcomes, ...counted };
      if (flags.json === true) terminal.out(jsonText(validityJson(suites, all)));
      else {
        terminal.out(`\n  ${joinedText(all)}`);
        for (const line of leftOutLines(all)) terminal.out(`  ${line}`);
        printValidity(terminal, suites);
      }
    });
}

function outcomesIn({ outcomes: file, label, goodFrom, goodUpTo }: ValidityFlags): OutcomeFile {
  const good = limitOf('--good-from', goodFrom, 'from') ?? limitOf('--good-up-to', goodUpTo, 'up-to');
  const result = readOutcomes(file, { label, good });
  if ('read' in result) return result.read;
  // What is wrong is quoted from the file.
  const mistakes = result.mistakes.map((one) => ({ ...one, path: safe(one.path), problem: safe(one.problem) }));
  failOn(mistakes.map((one) => ({ ...one, expected: safe(one.expected) })));
  throw new Error(`${file}: it cannot be read, and nothing is wrong with it`);
}

function limitOf(flag: string, text: string | undefined, is: GoodLimit['is']): GoodLimit | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (text.trim() !== '' && Number.isFinite(limit)) return { is, limit };
  throw new CommandFailure(`${flag} ${safe(text, 80)}: expected a number`, EXIT.usage);
}

function noneJoined(
  evaluations: readonly { readonly conversationId: string }[],
  { label, entries, outcomes, empty }: OutcomeFile,
): string {
  if (evaluations.length === 0)
    return 'no conversation was scored: is this a recording of an agent, and does a suite match it?';
  if (outcomes.size === 0)
    return `none of ${entries} entries has an outcome in ${safe(label, 80)} (${empty} are empty)`;
  const theirs = named([...outcomes.keys()]);
  const ours = named([...new Set(evaluations.map(({ conversationId }) => conversationId))]);
  return `no outcome is of a conversation in the recording\n  the outcomes are of: ${theirs}\n  the recording has: ${ours}`;
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
