/**
 * The ground truth of a task:
 *
 *     actions: [{ name: refund_order, args: { order: 17 } }, …]   the calls that it takes; `kwargs` and `arguments` are other names of `args`
 *     outputs: ['30', 'Tuesday']                                 what the user has to be told
 *     order: true                                                the actions that change something come in this order; or
 *     order: [look_up_order, refund_order]                       these tools come one before the other
 *     complete: true                                             that is all: to change nothing more, and to say nothing more
 */
import { CheckError } from '../subject/answer.ts';
import { parseExactly } from '../../model/exact-json.ts';
import { isMapping, type Json } from '../../model/json.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { ExpectedCall } from './compare-calls.ts';

export type ExpectedOrder = 'free' | 'as listed' | readonly string[];

const ARGUMENTS = ['args', 'kwargs', 'arguments'] as const;

/** Actions of a truth; undefined if it has none. Throws a CheckError if they cannot be read. */
export function expectedActionsIn(truth: Json | undefined): readonly ExpectedCall[] | undefined {
  if (truth !== undefined && truth !== null && !isMapping(truth))
    throw new CheckError(
      `The truth is ${Array.isArray(truth) ? 'a list' : `a ${typeof truth}`}: expected {actions, outputs}.`,
    );
  const actions = member(truth, 'actions');
  if (actions === undefined && member(truth, 'action') !== undefined)
    throw new CheckError('truth.action is not read: expected actions.');
  if (actions === undefined || actions === null) return undefined;
  if (!Array.isArray(actions)) throw new CheckError('truth.actions is no list: expected [{name, args}].');
  return actions.map((action: Json, at) => {
    const name = member(action, 'name');
    if (typeof name !== 'string' || name === '') {
      throw new CheckError(`truth.actions[${at}] names no tool: expected {name, args}.`);
    }
    const key = ARGUMENTS.find((one) => member(action, one) !== undefined);
    const unread = key === undefined ? nameOfArguments(action as Mapping) : undefined;
    if (unread !== undefined)
      throw new CheckError(`truth.actions[${at}].${toExcerpt(unread)} is not read: expected args.`);
    return {
      name,
      args: key === undefined ? undefined : parsed(member(action, key) ?? null, `truth.actions[${at}].${key}`),
    };
  });
}

interface TruthMistake {
  readonly problem: string;
  readonly expected: string;
}

type Mapping = { readonly [name: string]: Json };

/** A member that was meant to be the arguments: without them every call of the tool would be right. */
function nameOfArguments(action: Mapping): string | undefined {
  return Object.entries(action).find(
    ([name, value]) => /^(?:arg|argument|kwarg|param|parameter|input)s?$/i.test(name) || isMapping(value),
  )?.[0];
}

/** Likewise. */
export function expectedOutputsIn(truth: Json | undefined): readonly (string | number)[] | undefined {
  const outputs = member(truth, 'outputs');
  if (outputs === undefined && member(truth, 'actions') !== undefined && member(truth, 'output') !== undefined)
    throw new CheckError('truth.output is not read: expected outputs.');
  if (outputs === undefined || outputs === null) return undefined;
  const list: readonly Json[] = Array.isArray(outputs) ? outputs : [outputs as Json];
  return list.map((output, at) => {
    if (typeof output === 'string' || typeof output === 'number') return output;
    throw new CheckError(
      `truth.outputs[${at}] is neither a text nor a number: expected what an answer has to have in it.`,
    );
  });
}

/** Why a truth cannot be meant as it is written, for those who read it from a file or a request; undefined where it can. */
export function whyNoTruth(truth: Json): TruthMistake | undefined {
  const outputs = member(truth, 'outputs');
  const at = Array.isArray(outputs) ? outputs.indexOf(null) : -1;
  return at < 0
    ? undefined
    : { problem: `outputs[${at}] of the truth is null`, expected: 'a text or a number that the user has to be told' };
}

/**
 * How the truth of a task is not as `task-success` reads it; undefined where it is, or where it is
 * about something else. Only `actions` shows that a truth is of a task, or `action` where it holds calls or stands
 * beside `outputs` or `order`.
 */
export function taskTruthMistake(truth: Json): TruthMistake | undefined {
  if (!isOfATask(truth)) return undefined;
  try {
    expectedActionsIn(truth);
    expectedOutputsIn(truth);
    expectedOrderIn(truth);
    isCompleteIn(truth);
    return undefined;
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    const at = error.message.lastIndexOf(EXPECTED);
    return { problem: error.message.slice(0, at), expected: error.message.slice(at + EXPECTED.length, -1) };
  }
}

/** Text that each message of an unreadable truth contains. */
const EXPECTED = ': expected ';

function isOfATask(truth: Json): boolean {
  if (member(truth, 'actions') !== undefined) return true;
  const action = member(truth, 'action');
  if (action === undefined) return false;
  const isBesideOthers = member(truth, 'outputs') !== undefined || member(truth, 'order') !== undefined;
  return (
    isBesideOthers || (Array.isArray(action) ? action : [action]).some((one) => typeof member(one, 'name') === 'string')
  );
}

export function expectedOrderIn(truth: Json | undefined): ExpectedOrder {
  const order = member(truth, 'order');
  if (order === undefined || order === null || order === false) return 'free';
  if (order === true) return 'as listed';
  const tools: readonly Json[] = Array.isArray(order) ? order : [];
  const names = tools.filter((tool) => typeof tool === 'string');
  if (names.length > 1 && names.length === tools.length) return names;
  throw new CheckError('truth.order is neither true nor a list of tools: expected true, or at least two tools.');
}

/** Whether the truth says that its actions and outputs are all that the task takes. */
export function isCompleteIn(truth: Json | undefined): boolean {
  const complete = member(truth, 'complete') ?? false;
  if (typeof complete === 'boolean') return complete;
  throw new CheckError('truth.complete is neither true nor false: expected true, or no such key.');
}

/** OpenAI writes the arguments of a call as the text of their JSON. */
function parsed(args: Json, place: string): Json {
  if (typeof args !== 'string' || args === '') return args;
  try {
    // The cast holds for what was JSON.
    return parseExactly(args) as Json;
  } catch {
    throw new CheckError(`${place} is a text that is no JSON: expected a mapping.`);
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return (value as { readonly [key: string]: Json })[name];
}
