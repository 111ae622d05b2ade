/** Prints the transcript of a run of a case, with the verdicts below it. */
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { CaseRun } from '../model/experiment.ts';
import { transcriptOf } from '../report/documents/transcript.ts';
import { verdictRows } from './verdict-rows.ts';
import { printTranscript } from './print-transcript.ts';
import { weightText } from './explained-conversation.ts';
import { printTable } from './print-table.ts';
import { safe, type Terminal } from './terminal.ts';
import { outcomeText } from '../model/outcome-text.ts';

interface ShownRun {
  /** A or B, where there are two. */
  readonly side?: string;
  readonly experiment: string;
  readonly run: CaseRun;
  readonly repeats: number;
  /** Undefined where the run left no spans, with the reason. */
  readonly conversation: Conversation | { readonly because: string };
  /** Verdicts of one suite, or of all. */
  readonly evaluations: readonly Evaluation[];
}

export function printCaseRun(terminal: Terminal, shown: ShownRun): void {
  const { paint, out } = terminal;
  const { side, experiment, run, repeats, conversation, evaluations } = shown;
  const repeat = repeats > 1 ? `, repeat ${run.repeat} of ${repeats}` : '';
  out(
    `\n  ${paint('bold', `${side === undefined ? '' : `${side}  `}${safe(experiment, 60)}`)}  ${safe(run.case, 80)}${repeat}  ${paint('dim', safe(run.conversationId, 80))}`,
  );
  if (run.end !== 'completed') out(`    ${paint('red', run.end)}  ${safe(run.problem ?? '')}`);
  if ('because' in conversation) out(`    ${paint('dim', safe(conversation.because, 400))}`);
  else printTranscript(terminal, transcriptOf(conversation), { indent: '    ' });
  for (const evaluation of evaluations) printVerdicts(terminal, evaluation);
}

function printVerdicts(terminal: Terminal, evaluation: Evaluation): void {
  const { suite, score, turnId } = evaluation;
  const { paint, out } = terminal;
  const shown = score === undefined ? '' : `${(score / 1_000_000).toFixed(3)}  `;
  out(
    `    ${paint('bold', safe(suite, 80))}${turnId === undefined ? '' : ' (a turn)'}  ${shown}${safe(outcomeText(evaluation))}${weightText(evaluation)}`,
  );
  printTable(
    terminal,
    verdictRows(evaluation, () => undefined),
    { indent: 6, min: [14] },
  );
}
