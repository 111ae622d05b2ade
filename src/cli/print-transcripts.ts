/** What was said and done in a run of a case, from its spans, with the verdicts under it. */
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { CaseRun } from '../model/experiment.ts';
import type { Turn } from '../model/turn.ts';
import { inWords } from '../report/inspect/inspection-json.ts';
import { inOneLine, inQuotes } from './print-inspection.ts';
import { safe, type Terminal } from './terminal.ts';

export interface Transcript {
  /** A or B. */
  readonly side: string;
  readonly experiment: string;
  readonly run: CaseRun;
  readonly repeats: number;
  /** Undefined where the run left no spans, with the reason. */
  readonly conversation: Conversation | { readonly because: string };
  /** Of one suite, or of all. */
  readonly evaluations: readonly Evaluation[];
}

const TEXT_MAX = 2000;

export function printTranscript(terminal: Terminal, transcript: Transcript): void {
  const { paint, out } = terminal;
  const { side, experiment, run, repeats, conversation, evaluations } = transcript;
  const repeat = repeats > 1 ? `, repeat ${run.repeat} of ${repeats}` : '';
  out(
    `\n  ${paint('bold', `${side}  ${safe(experiment, 60)}`)}  ${safe(run.case, 80)}${repeat}  ${paint('dim', safe(run.conversationId, 80))}`,
  );
  if (run.end !== 'completed') out(`    ${paint('red', run.end)}  ${safe(run.problem ?? '')}`);
  if ('because' in conversation) out(`    ${paint('dim', safe(conversation.because, 400))}`);
  else
    for (const [index, turn] of conversation.turns.entries())
      printTurn(terminal, turn, conversation.turns.length > 1 ? index + 1 : undefined);
  for (const evaluation of evaluations) printVerdicts(terminal, evaluation);
}

function printTurn({ paint, out }: Terminal, turn: Turn, number: number | undefined): void {
  if (number !== undefined) out(paint('dim', `    turn ${number}`));
  out(`    user    ${inQuotes(turn.userInput, TEXT_MAX)}`);
  for (const call of turn.toolCalls) out(`    tool    ${inOneLine(call, TEXT_MAX)}`);
  out(`    answer  ${inQuotes(turn.finalAnswer, TEXT_MAX)}`);
  if (turn.error !== undefined) out(`    error   ${paint('red', safe(inWords(turn.error) ?? ''))}`);
}

const STYLES = {
  pass: 'green',
  fail: 'red',
  not_applicable: 'dim',
  error: 'yellow',
  skipped: 'dim',
} as const;

function printVerdicts({ paint, out }: Terminal, { suite, score, outcome, verdicts, turnId }: Evaluation): void {
  const shown = score === undefined ? '' : `${(score / 1_000_000).toFixed(3)}  `;
  out(`    ${paint('bold', safe(suite, 80))}${turnId === undefined ? '' : ' (a turn)'}  ${shown}${outcome}`);
  for (const [criterion, { verdict, reason }] of verdicts)
    out(
      `      ${paint(STYLES[verdict], verdict.padEnd(14))} ${safe(criterion, 60)}  ${paint('dim', safe(reason, 400))}`,
    );
}
