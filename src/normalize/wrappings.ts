/**
 * Arguments and results of tools, out of what a framework wrapped them in to record the call:
 *
 *     {args: […], kwargs: {…}, …}   the parameters of the function that was traced, beside options of the framework;
 *                                   or one of the two, with nothing beside it
 *     {input: …}   {inputs: …, input_str, tags, metadata, kwargs}      what a run was given, and
 *     {output: …}   {outputs: …, kwargs}      gave back
 *     a LangChain message of role tool, around the result
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import { decodeJsonish, isPresent, member } from './jsonish.ts';
import { toolMessageIn } from './langchain.ts';
import { pythonLiteral } from '../model/python-literal.ts';
import { isMapping } from '../model/json.ts';

export function argumentsIn(value: AttributeValue | undefined): AttributeValue | undefined {
  if (!isPresent(value)) return undefined;
  const object = objectIn(value);
  if (object === undefined) return fromPython(value);
  if (isTracedCall(object) || isPartOfOne(object)) return calledWith(object, []);
  const given = unwrapped(object, RUN_INPUTS);
  return given === undefined ? value : fromPython(asValue(given));
}

/**
 * The arguments of a traced call; undefined where the value is no such call. A tool may have a parameter `args` or `kwargs`
 * of its own, so that both have to be there. `parameters`: their names in order, for what was passed by position.
 */
export function tracedArgumentsIn(
  value: AttributeValue | undefined,
  parameters: () => readonly string[],
): AttributeValue | undefined {
  if (!isPresent(value)) return undefined;
  const object = objectIn(value);
  return object !== undefined && isTracedCall(object) ? calledWith(object, parameters()) : undefined;
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

/** Unwraps the input or output of a run from a framework's callback; else returns the value itself. */
export function withoutRunDetails(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return unwrapped(value, PLURAL_INPUTS) ?? unwrapped(value, PLURAL_OUTPUTS) ?? value;
}

const RUN_INPUTS = ['inputs', 'input', 'input_str'] as const;
const RUN_OUTPUTS = ['outputs', 'output'] as const;
/** An object with an `input` may be what a chain was given; one with `inputs` was made by a callback. */
const PLURAL_INPUTS = ['inputs'] as const;
const PLURAL_OUTPUTS = ['outputs'] as const;
/** Members that LangChain's callbacks hand over beside inputs and outputs. */
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
  return Array.isArray(member(object, 'args')) && isMapping(member(object, 'kwargs'));
}

function isPartOfOne(object: object): boolean {
  if (!Object.keys(object).every((key) => key === 'args' || key === 'kwargs')) return false;
  return Array.isArray(member(object, 'args')) || isMapping(member(object, 'kwargs'));
}

/** Named parameters are the arguments, and so are others whose names are known. Else the only one, which often is an object of all. */
function calledWith(object: object, parameters: readonly string[]): AttributeValue | undefined {
  const kwargs = member(object, 'kwargs');
  const args = member(object, 'args');
  const named = isMapping(kwargs) ? Object.entries(kwargs) : [];
  const passed: readonly unknown[] = Array.isArray(args) ? args : [];
  if (passed.length === 0) return asValue(kwargs ?? {});
  if (passed.length > parameters.length || isOfAll(passed[0], parameters)) {
    if (named.length > 0) return asValue(kwargs);
    return asValue(passed.length === 1 ? passed[0] : passed);
  }
  // Pairs, since a name from a span may be `__proto__`.
  return asValue(Object.fromEntries([...passed.map((item, at) => [parameters[at], item]), ...named]));
}

/** smolagents takes one object in place of all parameters, if it has their names. */
function isOfAll(value: unknown, parameters: readonly string[]): boolean {
  return isMapping(value) && Object.keys(value).every((key) => parameters.includes(key));
}

function objectIn(value: AttributeValue): object | undefined {
  if (typeof value === 'string' && !value.startsWith('{')) return undefined;
  const decoded = decodeJsonish(value).value;
  return isMapping(decoded) ? decoded : undefined;
}

/** The cast holds: parsed JSON consists of AttributeValues. */
function asValue(value: unknown): AttributeValue | undefined {
  return value as AttributeValue | undefined;
}
