/**
 * A conversation as a judge is shown it, before it is cut to fit: a list of items in the order in which things
 * happened, each with a few fields. The instructions of agents are written once, where they begin. Everything from
 * spans, names included, is text in a field.
 */
import type { Step } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { isAnswerUnknown } from '../subject/turn-answer.ts';
import type { Subject } from '../subject/subject.ts';
import { type BegunInstructions, instructionsByTurn } from './agent-instructions.ts';
import { type Field, fieldOf, type Item, NOTES } from './item.ts';
import type { Sight } from './visible-material.ts';

export function transcriptOf(subject: Subject, sees: readonly Sight[]): readonly Item[] {
  const kinds: ReadonlySet<string> = new Set(sees);
  const begun = kinds.has('instructions') ? instructionsByTurn(subject.turns) : [];
  const items = subject.turns.flatMap((turn, index) =>
    itemsOfTurn(turn, index + 1, { kinds, begun: begun[index] ?? [], isLast: index === subject.turns.length - 1 }),
  );
  if (kinds.has('instructions') && begun.every(({ length }) => length === 0)) items.unshift(NO_INSTRUCTIONS);
  if (kinds.has('state')) items.push(besideTurns('state', subject.state));
  if (kinds.has('truth')) items.push(besideTurns('truth', subject.truth));
  return items;
}

const NO_INSTRUCTIONS: Item = {
  item: 'instructions',
  turn: undefined,
  fields: [{ key: 'text', text: undefined, note: NOTES.missing }],
  rank: 'instructions',
  spanId: undefined,
};

/** True if anything is known of what happened: more than names, redacted text and instructions. */
export function saysSomething(items: readonly Item[]): boolean {
  return items.some(
    ({ item, fields }) =>
      item !== 'instructions' &&
      fields.some(
        ({ key, text, note }) => key !== 'name' && key !== 'agent' && text !== undefined && note !== NOTES.redacted,
      ),
  );
}

interface SeenOfTurn {
  readonly kinds: ReadonlySet<string>;
  readonly begun: readonly BegunInstructions[];
  readonly isLast: boolean;
}

function itemsOfTurn(turn: Turn, number: number, seen: SeenOfTurn): Item[] {
  const rank = seen.isLast ? 'kept' : 'telling';
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
  const inForce = seen.begun.flatMap(({ at, item }) => (at === undefined ? [item] : []));
  return [...inForce, request, ...workOf(turn, number, seen), answer];
}

/** Steps, tool calls and instructions by when they began; a call comes after the step that asked for it. */
function workOf(turn: Turn, number: number, { kinds, begun }: SeenOfTurn): readonly Item[] {
  const work = begun.flatMap(({ at, item }) => (at === undefined ? [] : [{ at, item }]));
  for (const step of turn.steps) {
    // Tools are shown as calls, which know more than the span; what the turn's own step was given and gave is its request and answer.
    if (!kinds.has(step.kind) || step.kind === 'tool' || step.spanId === turn.rootSpanId) continue;
    work.push({ at: step.startedAtMs, item: itemOfStep(step, number) });
  }
  if (kinds.has('tool')) {
    for (const call of turn.toolCalls) work.push({ at: call.startedAtMs, item: itemOfCall(call, number) });
  }
  return work.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

function itemOfStep(step: Step, turn: number): Item {
  const fields: Field[] = [{ key: 'name', text: step.name }];
  if (step.agent.name !== undefined && step.agent.name !== step.name)
    fields.push({ key: 'agent', text: step.agent.name });
  // A model's input is the conversation again.
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
