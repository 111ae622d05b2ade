/**
 * Arguments and results of tools, out of what a framework wrapped them in to record the call:
 *
 *     {args: […], kwargs: {…}}      or one of the two, the parameters of the function that was traced
 *     {input: …}   {inputs: …, input_str, tags, metadata, kwargs}      what a run was given, and
 *     {output: …}   {outputs: …, kwargs}      gave back
 *     a LangChain message of role tool, around the result
 */
import type { AttributeValue } from '../model/otlp/views.ts';
import { decodeJsonish, isPresent, member } from './jsonish.ts';
import { toolMessageIn } from './langchain.ts';
import { pythonLiteral } from './python-literal.ts';

export function argumentsIn(value: AttributeValue | undefined): AttributeValue | undefined {
  if (!isPresent(value)) return undefined;
  const object = objectIn(value);
  if (object === undefined) return fromPython(value);
  const keys = Object.keys(object);
  const isTraced = isTracedCall(object) && keys.every((key) => key === 'args' || key === 'kwargs');
  if (isTraced) return calledWith(member(object, 'args'), member(object, 'kwargs'));
  const given = unwrapped(object, RUN_INPUTS);
  return given === undefined ? value : fromPython(asValue(given));
}

export function resultIn(value: AttributeValue | undefined): AttributeValue | undefined {
  if (!isPresent(value)) return undefined;
  const object = objectIn(value);
  if (object === undefined) return value;
  const message = toolMessageIn(object);
  if (message !== undefined) return asValue(message.content);
  const given = unwrapped(object, RUN_OUTPUTS);
  return given === undefined ? value : asValue(given);
}

/** What a run was given or gave back, out of what a framework's callbacks hand over; else the value itself. */
export function withoutRunDetails(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return unwrapped(value, PLURAL_INPUTS) ?? unwrapped(value, PLURAL_OUTPUTS) ?? value;
}

const RUN_INPUTS = ['inputs', 'input', 'input_str'] as const;
const RUN_OUTPUTS = ['outputs', 'output'] as const;
/** An object with an `input` may be what a chain was given; one with `inputs` was made by a callback. */
const PLURAL_INPUTS = ['inputs'] as const;
const PLURAL_OUTPUTS = ['outputs'] as const;
/** What LangChain's callbacks hand over beside inputs and outputs. */
const RUN_DETAILS: ReadonlySet<string> = new Set(['tags', 'metadata', 'kwargs', 'input_str']);

function unwrapped(object: object, names: readonly string[]): unknown {
  if (!Object.keys(object).every((key) => names.includes(key) || RUN_DETAILS.has(key))) return undefined;
  for (const name of names) {
    const found = member(object, name);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** LangChain for Python writes arguments as Python prints them. */
export function fromPython(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  const decoded = decodeJsonish(value);
  return typeof decoded.value === 'string' ? (pythonLiteral(value) ?? value) : value;
}

function isTracedCall(object: object): boolean {
  const kwargs = member(object, 'kwargs');
  return Array.isArray(member(object, 'args')) || (typeof kwargs === 'object' && kwargs !== null);
}

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
