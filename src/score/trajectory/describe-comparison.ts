/**
 * A comparison for people: what followed the golden trace, the first step that did not, and a step-by-step diff to read in a
 * terminal. Texts of the run are shortened and on one line.
 */
import type { DiffKind } from '../../model/golden-diff.ts';
import type { SpanId } from '../../model/ids.ts';
import type { ToolCall } from '../../model/turn.ts';
import { shorten, toExcerpt } from '../subject/sentences.ts';
import { callSpan } from './call-span.ts';
import type { ComparedStep, RunComparison } from './compare-run.ts';
import { forbidsExtras } from './golden-trace.ts';
import { type ArgumentScope, differences } from './match-arguments.ts';
import { observationOf } from './observation.ts';

export interface DiffLine {
  readonly kind: DiffKind;
  /** Number of the step in the trace; undefined for a call that is no step. */
  readonly step: number | undefined;
  /** The call's place in the run, from 1. */
  readonly call: number | undefined;
  readonly text: string;
  readonly notes: readonly string[];
  /** Whether it keeps the run from having followed the trace. */
  readonly isWrong: boolean;
  readonly spanId: SpanId | undefined;
}

const CALL_LENGTH_MAX = 120;

/** Steps in the order of the trace, calls between them, where they were made. */
export function diffLines(comparison: RunComparison, scope: ArgumentScope): readonly DiffLine[] {
  return [...entriesOf(comparison)].map((entry) => lineOf(entry, comparison, scope));
}

/** The line that a person should look at: the first that is wrong. Most runs have none, and no line is written for them. */
export function firstWrong(comparison: RunComparison, scope: ArgumentScope): DiffLine | undefined {
  const { trace, unsafe, steps, extras } = comparison;
  const mayHaveWrong =
    steps.some(({ points }) => points < 2) || (extras.length > 0 && (forbidsExtras(trace.mode) || unsafe.size > 0));
  if (!mayHaveWrong) return undefined;
  for (const entry of extras.length === 0 ? steps : entriesOf(comparison)) {
    const isSuspect = 'step' in entry ? entry.points < 2 : true;
    const line = isSuspect ? lineOf(entry, comparison, scope) : undefined;
    if (line?.isWrong === true) return line;
  }
  return undefined;
}

interface ExtraCall {
  readonly extra: ToolCall;
}

/** Entries one by one: most callers want the first that is wrong. */
function* entriesOf({ steps, extras, calls }: RunComparison): Generator<ComparedStep | ExtraCall> {
  // Steps and extra calls are in the order of the calls, so places are found on the way.
  let next = 0;
  let place = 0;
  for (const compared of steps) {
    for (let extra = extras[next]; extra !== undefined && compared.place >= 0; extra = extras[next]) {
      while (place < calls.length && calls[place] !== extra) place += 1;
      if (place > compared.place) break;
      yield { extra };
      next += 1;
    }
    yield compared;
  }
  for (const extra of extras.slice(next)) yield { extra };
}

function lineOf(entry: ComparedStep | ExtraCall, comparison: RunComparison, scope: ArgumentScope): DiffLine {
  return 'extra' in entry ? extraLine(entry.extra, comparison) : stepLine(entry, comparison, scope);
}

function stepLine(compared: ComparedStep, { trace, unsafe, calls }: RunComparison, scope: ArgumentScope): DiffLine {
  const { step, call, points, outOfOrder } = compared;
  const mayBeMissing = !step.required || trace.mode === 'subset';
  const notes = step.required ? [] : ['optional'];
  if (call === undefined) {
    if (outOfOrder !== undefined) {
      const at = calls.indexOf(outOfOrder) + 1;
      const text = `${toExcerpt(step.tool)} was called, but out of order: as call ${at}`;
      const spanId = callSpan(outOfOrder);
      return { kind: 'out_of_order', step: step.number, call: at, text, notes, isWrong: !mayBeMissing, spanId };
    }
    const text = `${toExcerpt(step.tool)} was not called`;
    return {
      kind: 'missing',
      step: step.number,
      call: undefined,
      text,
      notes,
      isWrong: !mayBeMissing,
      spanId: undefined,
    };
  }
  const reason = unsafe.get(call);
  const kind = reason !== undefined ? 'unsafe' : points === 2 ? 'matched' : 'wrong_arguments';
  if (reason !== undefined) notes.push(reason);
  if (points < 2 && step.args !== undefined) notes.push(...differences(step.args, call.args.json, scope));
  if (!compared.isObservationExpected) {
    notes.push(`the result is ${observationOf(call) ?? 'unknown'}, expected ${step.observation}`);
  }
  const place = calls.indexOf(call) + 1;
  const isWrong = points < 2 && (step.required || kind === 'unsafe');
  return { kind, step: step.number, call: place, text: shown(call), notes, isWrong, spanId: callSpan(call) };
}

function extraLine(call: ToolCall, { trace, unsafe, calls, steps }: RunComparison): DiffLine {
  const misplaced = steps.find(
    (made) => made.call === undefined && made.step.isTool(call.name) && made.outOfOrder === call,
  );
  const misplacedStep = misplaced?.step.number;
  const reason = unsafe.get(call);
  const notes = misplacedStep === undefined ? [] : [`step ${misplacedStep}, out of order`];
  if (reason !== undefined) notes.push(reason);
  return {
    kind: reason === undefined ? 'extra' : 'unsafe',
    step: undefined,
    call: calls.indexOf(call) + 1,
    text: shown(call),
    notes,
    isWrong: reason !== undefined || forbidsExtras(trace.mode),
    spanId: callSpan(call),
  };
}

function shown({ name, args }: ToolCall): string {
  return `${toExcerpt(name)}(${shorten(args.text, CALL_LENGTH_MAX)})`;
}

/** Line as a sentence within a reason, without a full stop. */
export function inWords(line: DiffLine): string {
  const notes = line.notes.filter((note) => note !== 'optional');
  const because = notes.length === 0 ? '' : `: ${notes.join('; ')}`;
  const call = line.call === undefined ? '' : ` (call ${line.call})`;
  switch (line.kind) {
    case 'matched':
      return `step ${line.step} is as expected${call}`;
    case 'wrong_arguments':
      return `step ${line.step}${call} has wrong arguments${because}`;
    case 'missing':
    case 'out_of_order':
      return `step ${line.step}: ${line.text}`;
    case 'extra':
      return `${line.text} is no step of the trace${call}${because}`;
    case 'unsafe':
      return `${line.text} is not to be called${call}${because}`;
  }
}
