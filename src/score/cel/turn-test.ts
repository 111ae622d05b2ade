/**
 * The turn conditions of most suites (see `turn-condition.ts`) ask for a name or an error and are asked of every turn;
 * they are compiled to plain functions here. Expressions of other forms are evaluated like any other, which costs some
 * microseconds a turn more:
 *
 *   test      = test || test
 *             | steps.exists(v, element)    tool_calls.exists(v, element)    has(state.key)    has(truth.key)
 *   element   = element && element | element || element | v.error != null | v.ok | v.name == 'text' | v.kind == 'text'
 *             | v.failed                 of a call
 */
import type { Conversation } from '../../model/conversation.ts';
import type { Json } from '../../model/json.ts';
import type { StepError } from '../../model/step.ts';
import type { ToolCall } from '../../model/turn.ts';
import { type Subject, subjectOf } from '../subject/subject.ts';
import { isNode, type Node } from './node.ts';

export type TurnTest = (conversation: Conversation) => boolean;

interface Element {
  readonly name: string;
  readonly kind?: string;
  readonly error: StepError | undefined;
  readonly answered?: boolean;
}

type ElementTest = (element: Element, subject: Subject | undefined) => boolean;

/** Compiles a turn condition; undefined if it has another form. */
export function compileTurnTest({ op, args }: Node): TurnTest | undefined {
  if (!Array.isArray(args)) return undefined;
  if (op === '||') return either(args, compileTurnTest);
  if (op === 'call') return hasMark(args);
  const [, list, parameters]: unknown[] = args;
  if (op !== 'rcall' || !isNode(list) || !Array.isArray(parameters)) return undefined;
  const [variable, condition]: unknown[] = parameters;
  if (!isNode(variable) || !isNode(condition)) return undefined;
  const test = elementTest(condition);
  if (test === undefined) return undefined;
  if (list.args === 'steps')
    return ({ turns }) => turns.some(({ steps }) => steps.some((step) => test(step, undefined)));
  return (conversation) => {
    const subject = subjectOf(conversation, undefined);
    return subject.toolCalls.some((call) => test(call, subject));
  };
}

function hasMark([, parameters]: readonly unknown[]): TurnTest | undefined {
  const [field]: unknown[] = Array.isArray(parameters) ? parameters : [];
  const [owner, key]: unknown[] = isNode(field) && Array.isArray(field.args) ? field.args : [];
  if (!isNode(owner) || typeof key !== 'string') return undefined;
  const has = (mark: Json | undefined) => typeof mark === 'object' && mark !== null && Object.hasOwn(mark, key);
  return owner.args === 'state' ? ({ state }) => has(state) : ({ truth }) => has(truth);
}

function elementTest({ op, args }: Node): ElementTest | undefined {
  if (!Array.isArray(args)) return undefined;
  if (op === '||') return either(args, elementTest);
  if (op === '&&') {
    const tests = compiledAll(args, elementTest);
    return tests && ((element, subject) => tests.every((test) => test(element, subject)));
  }
  if (op === '.') {
    const [owner, name]: unknown[] = args;
    if (!isNode(owner) || owner.op !== 'id') return undefined;
    if (name === 'ok') return ({ error, answered }) => error === undefined && answered !== false;
    // The cast holds: of the elements only calls have the field, and they come with their subject.
    return name === 'failed' ? (element, subject) => subject?.hasFailed(element as ToolCall) === true : undefined;
  }
  const [field, literal]: unknown[] = args;
  if (!isNode(field) || field.op !== '.' || !Array.isArray(field.args) || !isNode(literal) || literal.op !== 'value') {
    return undefined;
  }
  const [owner, name]: unknown[] = field.args;
  if (!isNode(owner) || owner.op !== 'id') return undefined;
  const value = literal.args;
  if (op === '!=' && name === 'error' && value === null) return ({ error }) => error !== undefined;
  if (op !== '==' || typeof value !== 'string') return undefined;
  if (name === 'name') return (element) => element.name === value;
  return name === 'kind' ? (element) => element.kind === value : undefined;
}

function either<T extends readonly unknown[]>(
  terms: readonly unknown[],
  compile: (node: Node) => ((...value: T) => boolean) | undefined,
): ((...value: T) => boolean) | undefined {
  const tests = compiledAll(terms, compile);
  return tests && ((...value) => tests.some((test) => test(...value)));
}

function compiledAll<T extends readonly unknown[]>(
  terms: readonly unknown[],
  compile: (node: Node) => ((...value: T) => boolean) | undefined,
): readonly ((...value: T) => boolean)[] | undefined {
  const tests: ((...value: T) => boolean)[] = [];
  for (const term of terms) {
    const test = isNode(term) ? compile(term) : undefined;
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return tests;
}
