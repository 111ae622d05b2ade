/** A conversation on the terminal: what the user said, what the agent did, and what it answered. */
import type { TranscriptError, TranscriptStep, TranscriptTurn } from '../report/documents/transcript.ts';
import { safe, type Terminal } from './terminal.ts';

const TEXT_MAX = 1000;
const CALL_MAX = 300;
/** A line that is longer is no text for a person. */
const WHOLE_MAX = 20_000;
const KIND_WIDTH = 8;
/** Placeholders of OpenTelemetry and dialects for an unknown type. */
const TYPES_WITHOUT_MEANING: ReadonlySet<string> = new Set(['_OTHER', '']);
/** Where the word is too long for its column. */
const KINDS: { readonly [K in TranscriptStep['kind']]?: string } = {
  retrieval: 'search',
  embedding: 'embed',
  guardrail: 'guard',
};

interface Form {
  /** Each line begins with it. */
  readonly indent: string;
  /** Texts keep their lines and their length, for people who read all of it. */
  readonly isWhole?: boolean;
}

export function printTranscript(
  terminal: Pick<Terminal, 'out' | 'paint'>,
  turns: readonly TranscriptTurn[],
  form: Form,
): void {
  for (const [index, turn] of turns.entries()) {
    if (turns.length > 1) terminal.out(`${form.indent}${terminal.paint('bold', `turn ${index + 1}`)}`);
    printTurn(terminal, turn, form);
  }
}

export function printTurn(
  terminal: Pick<Terminal, 'out' | 'paint'>,
  { user, steps, answer, error }: TranscriptTurn,
  { indent, isWhole = false }: Form,
): void {
  const { out, paint } = terminal;
  const line = (what: string, text: string) => out(`${indent}${what.padEnd(KIND_WIDTH)}${text}`);
  const gap = `\n${indent}${' '.repeat(KIND_WIDTH)}`;
  const shown = (text: string) =>
    isWhole
      ? text
          .split(/\r?\n/)
          .map((one) => safe(one, WHOLE_MAX))
          .join(gap)
      : safe(text, TEXT_MAX);
  const said = (text: string | null) =>
    text === null ? paint('dim', '(not recorded)') : text === '' ? paint('dim', '(nothing)') : shown(text);
  line('user', said(user));
  for (const step of steps)
    line(KINDS[step.kind] ?? step.kind, describeStep(terminal, step, isWhole ? WHOLE_MAX : CALL_MAX));
  line('answer', said(answer));
  if (error !== null) line('error', paint('red', errorText(error)));
}

/** The type where it says something, and the message. */
function errorText({ type, message }: TranscriptError): string {
  const said = [
    ...(TYPES_WITHOUT_MEANING.has(type) ? [] : [safe(type, 80)]),
    ...(message === '' ? [] : [safe(message)]),
  ];
  return said.length === 0 ? '(no message)' : said.join(': ');
}

function failureText({ type, message }: TranscriptError): string {
  const said = message === '' && !TYPES_WITHOUT_MEANING.has(type) ? type : message;
  return said === '' ? 'failed' : `failed: ${safe(said, CALL_MAX)}`;
}

function describeStep({ paint }: Pick<Terminal, 'paint'>, step: TranscriptStep, max: number): string {
  const error = step.error === null ? undefined : paint('red', failureText(step.error));
  if (step.kind !== 'tool') return error === undefined ? safe(step.name, 80) : `${safe(step.name, 80)} → ${error}`;
  const shown = (text: string | null) => (text === null ? paint('dim', '(not recorded)') : safe(text, max));
  return `${safe(step.name, 80)}(${shown(step.arguments)}) → ${error ?? shown(step.result)}`;
}
