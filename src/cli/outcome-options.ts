/** The options by which a file of outcomes is read, and what is wrong with it said on the terminal. */
import { type Command, Option } from 'commander';
import { type GoodLimit, type OutcomeFile, readOutcomes } from '../offline/outcome-labels.ts';
import { formatMistakes, type Mistake } from '../model/mistake.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe } from './terminal.ts';

export interface OutcomeFlags {
  readonly label?: string;
  readonly goodFrom?: string;
  readonly goodUpTo?: string;
}

export function addOutcomeOptions(command: Command, label: string): Command {
  return command
    .option('--label <name>', label)
    .addOption(new Option('--good-from <number>', 'numbers from this one up are good').conflicts('goodUpTo'))
    .option('--good-up-to <number>', 'numbers up to this one are good');
}

export const OUTCOME_FILE = `The outcomes are CSV with a line of names, or JSON lines with the same names:

  conversation_id,csat,case
  c-101,5,refund
  c-102,2,refund

An outcome is good or bad, true or false, 1 or 0; other numbers need --good-from or --good-up-to. \`case\` is optional:
if several conversations try the same task, it allows scores to be compared within a case as well.`;

export function outcomesIn(file: string, flags: OutcomeFlags): OutcomeFile {
  const result = readOutcomes(file, { label: flags.label, good: goodLimitOf(flags) });
  return 'read' in result ? result.read : refuseFile(result.mistakes);
}

/** Mistakes quote the file, which is untrusted. */
export function refuseFile(mistakes: readonly Mistake[]): never {
  const shown = mistakes.map((one) => ({ ...one, path: safe(one.path), problem: safe(one.problem) }));
  const text = formatMistakes(shown.map((one) => ({ ...one, expected: safe(one.expected) })));
  throw new CommandFailure(text, EXIT.usage);
}

export function goodLimitOf({ goodFrom, goodUpTo }: OutcomeFlags): GoodLimit | undefined {
  return limitOf('--good-from', goodFrom, 'from') ?? limitOf('--good-up-to', goodUpTo, 'up-to');
}

function limitOf(flag: string, text: string | undefined, is: GoodLimit['is']): GoodLimit | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (text.trim() !== '' && Number.isFinite(limit)) return { is, limit };
  throw new CommandFailure(`${flag} ${safe(text, 80)}: expected a number`, EXIT.usage);
}
