/**
 * Arguments and results of tools, out of what a framework wrapped them in to record the call:
 *
 *     {args: […], kwargs: {…}}      the parameters of the function that was traced
 *     {input: …}   {inputs: …}      what a run was given, and
 *     {output: …}   {outputs: …}      gave back
 *     a LangChain message of role tool, around the result
 */
import type { AttributeValue } from '../model/otlp/views.ts';
import { decodeJsonish, isPresent, member } from './jsonish.ts';
import { toolMessageIn } from './langchain.ts';

export function argumentsIn(value: AttributeValue | undefined): AttributeValue | undefined {
  if (!isPresent(value)) return undefined;
  const object = objectIn(value);
  if (object === undefined) return value;
  const keys = Object.keys(object);
  const isTraced = keys.includes('args') && keys.every((key) => key === 'args' || key === 'kwargs');
  if (isTraced) return calledWith(member(object, 'args'), member(object, 'kwargs'));
  return keys.some((key) => RUN_INPUTS.has(key)) && keys.every((key) => RUN_INPUTS.has(key) || RUN_DETAILS.has(key))
    ? asValue(member(object, 'inputs') ?? member(object, 'input'))
    : value;
}

export function resultIn(value: AttributeValue | undefined): AttributeValue | undefined {
  if (!isPresent(value)) return undefined;
  const object = objectIn(value);
  if (object === undefined) return value;
  const message = toolMessageIn(object);
  if (message !== undefined) return asValue(message.content);
  const keys = Object.keys(object);
  return keys.some((key) => RUN_OUTPUTS.has(key)) && keys.every((key) => RUN_OUTPUTS.has(key) || RUN_DETAILS.has(key))
    ? asValue(member(object, 'outputs') ?? member(object, 'output'))
    : value;
}

const RUN_INPUTS: ReadonlySet<string> = new Set(['input', 'inputs']);
const RUN_OUTPUTS: ReadonlySet<string> = new Set(['output', 'outputs']);
/** What LangChain's callbacks hand over beside inputs and outputs. */
const RUN_DETAILS: ReadonlySet<string> = new Set(['tags', 'metadata', 'kwargs']);

/** Named parameters are the arguments; of others, the only one, which often is an object of all. */
function calledWith(args: unknown, kwargs: unknown): AttributeValue | undefined {
  if (typeof kwargs === 'object' && kwargs !== null && Object.keys(kwargs).length > 0) return asValue(kwargs);
  if (!Array.isArray(args) || args.length === 0) return asValue(kwargs ?? {});
  return asValue(args.length === 1 ? args[0] : args);
}

function objectIn(value: AttributeValue): object | undefined {
  if (typeof value === 'string' && !value.startsWith('{')) return undefined;
  const decoded = decodeJsonish(value).value;
  return typeof decoded === 'object' && decoded !== null && !Array.isArray(decoded) ? decoded : undefined;
}

/** The cast holds: parsed JSON consists of AttributeValues. */
function asValue(value: unknown): AttributeValue | undefined {
  return value as AttributeValue | undefined;
}
