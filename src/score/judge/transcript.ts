/**
 * A conversation as a judge is shown it, before it is cut to fit: a list of items in the order in which things happened, each with a few
 * fields. Keys and the words of `item` are ours; whatever comes from spans, names included, is a text in a field.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Content, Step } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { isAnswerUnknown } from '../needs.ts';
import type { Subject } from '../subject.ts';
import type { Sight } from './visible-material.ts';

export interface Item {
  readonly item:
    | 'request'
    | 'answer'
    | 'state'
    | 'truth'
    | 'golden'
    | 'golden_step'
    | 'first'
    | 'second'
    | Step['kind'];
  /** From 1; undefined for what belongs to no turn. */
  readonly turn: number | undefined;
  readonly fields: readonly Field[];
  /**
   * What is cut last: the last turn's request and answer and what is beside the turns (`kept`), then what went wrong and the requests and
   * answers of earlier turns (`telling`), before all other steps.
   */
  readonly rank: 'kept' | 'telling' | 'step';
  /** Where a person is led who wants to see it. */
  readonly spanId: SpanId | undefined;
}

export interface Field {
  readonly key: string;
  /** Undefined where `note` alone says what is known. */
  readonly text: string | undefined;
  /** Ours: why the text is not there, or not whole. */
  readonly note?: string;
}

const NOTES = { truncated: 'cut off when it was recorded', redacted: 'redacted', missing: 'not recorded' } as const;

export function transcriptOf(subject: Subject, sees: readonly Sight[]): readonly Item[] {
  const kinds: ReadonlySet<string> = new Set(sees);
  const items = subject.turns.flatMap((turn, index) =>
    itemsOfTurn(turn, index + 1, kinds, { isLast: index === subject.turns.length - 1 }),
  );
  if (kinds.has('state')) items.push(besideTurns('state', subject.state));
  if (kinds.has('truth')) items.push(besideTurns('truth', subject.truth));
  return items;
}

/** Whether there is a text at all that is not just a name, nor what redaction left. */
export function saysSomething(items: readonly Item[]): boolean {
  return items.some(({ fields }) =>
    fields.some(
      ({ key, text, note }) => key !== 'name' && key !== 'agent' && text !== undefined && note !== NOTES.redacted,
    ),
  );
}

function itemsOfTurn(
  turn: Turn,
  number: number,
  kinds: ReadonlySet<string>,
  { isLast }: { readonly isLast: boolean },
): Item[] {
  const rank = isLast ? 'kept' : 'telling';
  const lastModelCall = turn.steps.findLast(({ kind }) => kind === 'llm');
  const request: Item = {
    item: 'request',
    turn: number,
    fields: [fieldOf('text', turn.userInput)],
    rank,
    spanId: turn.rootSpanId,
  };
  const answer: Item = {
    item: 'answer',
    turn: number,
    fields: [answerField(turn), ...errorField(turn.error)],
    rank,
    spanId: lastModelCall?.spanId ?? turn.rootSpanId,
  };
  return [request, ...workOf(turn, number, kinds), answer];
}

/** Steps and tool calls by when they began; a call comes after the step that asked for it. */
function workOf(turn: Turn, number: number, kinds: ReadonlySet<string>): readonly Item[] {
  const work: { readonly at: number; readonly item: Item }[] = [];
  let instructions: string | undefined;
  for (const step of turn.steps) {
    // Tools are shown as calls, which know more than the span; what the turn's own step was given and gave is its request and answer.
    if (!kinds.has(step.kind) || step.kind === 'tool' || step.spanId === turn.rootSpanId) continue;
    const isNews = step.systemInstructions !== undefined && step.systemInstructions !== instructions;
    instructions = step.systemInstructions ?? instructions;
    work.push({ at: step.startedAtMs, item: itemOfStep(step, number, isNews ? step.systemInstructions : undefined) });
  }
  if (kinds.has('tool')) {
    for (const call of turn.toolCalls) work.push({ at: call.startedAtMs, item: itemOfCall(call, number) });
  }
  return work.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

function itemOfStep(step: Step, turn: number, instructions: string | undefined): Item {
  const fields: Field[] = [{ key: 'name', text: step.name }];
  if (step.agent.name !== undefined && step.agent.name !== step.name)
    fields.push({ key: 'agent', text: step.agent.name });
  if (instructions !== undefined) fields.push({ key: 'instructions', text: instructions });
  // What a model was given is the conversation again.
  if (step.kind !== 'llm' && step.input.state !== 'missing') fields.push(fieldOf('input', step.input));
  fields.push(fieldOf('output', step.output), ...errorField(step.error));
  return { item: step.kind, turn, fields, rank: step.error === undefined ? 'step' : 'telling', spanId: step.spanId };
}

function itemOfCall(call: ToolCall, turn: number): Item {
  const fields: Field[] = [{ key: 'name', text: call.name }, fieldOf('arguments', call.args)];
  if (call.error === undefined) {
    fields.push(
      call.answered ? fieldOf('result', call.result) : { key: 'result', text: undefined, note: 'never came' },
    );
  } else {
    if (call.result.state !== 'missing') fields.push(fieldOf('result', call.result));
    fields.push(...errorField(call.error));
  }
  const rank = call.error === undefined ? 'step' : 'telling';
  return { item: 'tool', turn, fields, rank, spanId: call.spanId ?? call.requestedBy };
}

function besideTurns(item: 'state' | 'truth', value: Subject['state']): Item {
  const field: Field =
    value === undefined
      ? { key: 'text', text: undefined, note: NOTES.missing }
      : { key: 'text', text: JSON.stringify(value) };
  return { item, turn: undefined, fields: [field], rank: 'kept', spanId: undefined };
}

function answerField(turn: Turn): Field {
  const { finalAnswer } = turn;
  if (finalAnswer.state !== 'missing') return fieldOf('text', finalAnswer);
  return isAnswerUnknown(turn)
    ? fieldOf('text', finalAnswer)
    : { key: 'text', text: undefined, note: 'there was none' };
}

function errorField(error: Turn['error']): readonly Field[] {
  if (error === undefined) return [];
  return [{ key: 'error', text: error.message === '' ? error.type : `${error.type}: ${error.message}` }];
}

export function fieldOf(key: string, { state, text }: Content): Field {
  if (state === 'whole') return { key, text };
  return { key, text: text === '' ? undefined : text, note: NOTES[state] };
}
