/** A conversation on the terminal: what the user said, what the agent did, and what it answered. */
import type { TranscriptStep, TranscriptTurn } from '../report/documents/transcript.ts';
import { safe, type Terminal } from './terminal.ts';

const TEXT_MAX = 1000;
const CALL_MAX = 300;
/** Where the word is too long for its column. */
const KINDS: { readonly [K in TranscriptStep['kind']]?: string } = {
  retrieval: 'search',
  embedding: 'embed',
  guardrail: 'guard',
};

/** `indent` is what every line begins with. */
export function printTranscript(
  terminal: Pick<Terminal, 'out' | 'paint'>,
  turns: readonly TranscriptTurn[],
  { indent }: { readonly indent: string },
): void {
  for (const [index, turn] of turns.entries()) {
    if (turns.length > 1) terminal.out(`${indent}${terminal.paint('bold', `turn ${index + 1}`)}`);
    printTurn(terminal, turn, { indent });
  }
}

export function printTurn(
  terminal: Pick<Terminal, 'out' | 'paint'>,
  { user, steps, answer, error }: TranscriptTurn,
  { indent }: { readonly indent: string },
): void {
  const { out, paint } = terminal;
  const line = (what: string, text: string) => out(`${indent}${what.padEnd(8)}${text}`);
  const said = (text: string | null) =>
    text === null ? paint('dim', '(not recorded)') : text === '' ? paint('dim', '(nothing)') : safe(text, TEXT_MAX);
  line('user', said(user));
  for (const step of steps) line(KINDS[step.kind] ?? step.kind, describeStep(terminal, step));
  line('answer', said(answer));
  if (error !== null) line('error', paint('red', `${safe(error.type, 80)}: ${safe(error.message)}`));
}

function describeStep({ paint }: Pick<Terminal, 'paint'>, step: TranscriptStep): string {
  const error = step.error === null ? undefined : paint('red', safe(step.error.message, CALL_MAX));
  if (step.kind !== 'tool') return error === undefined ? safe(step.name, 80) : `${safe(step.name, 80)} → ${error}`;
  const shown = (text: string | null) => (text === null ? paint('dim', '(not recorded)') : safe(text, CALL_MAX));
  return `${safe(step.name, 80)}(${shown(step.arguments)}) → ${error ?? shown(step.result)}`;
}
