/** Commands that a reader pastes to read on. Ids and file names are text from elsewhere: a shell takes each as one word. */
import type { Sides } from './sides.ts';

/** Shows what was said and done in a case. */
export function caseCommand(id: string | undefined, { candidate, baseline }: Sides): string | undefined {
  if (id === undefined) return undefined;
  const [after, named] = [inShell(candidate.experiment.id), inShell(id)];
  return baseline === undefined
    ? `assay show ${after} ${named}`
    : `assay compare ${inShell(baseline.experiment.id)} ${after} --transcripts ${named}`;
}

interface Asked {
  readonly candidate: string;
  readonly baseline: string | undefined;
  /** File of rules, if it was named. */
  readonly rules: string | undefined;
}

/** Shows each rule of a gate. */
export function detailsCommand({ candidate, baseline, rules }: Asked): string {
  return [
    `assay gate ${inShell(candidate)}`,
    ...(baseline === undefined ? [] : [`--baseline ${inShell(baseline)}`]),
    ...(rules === undefined ? [] : [`--rules ${inShell(rules)}`]),
    '--details',
  ].join(' ');
}

function inShell(text: string): string {
  return /^[\w.:@%+/-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
