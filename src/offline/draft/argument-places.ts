/**
 * Arguments that a schema describes, those inside objects and lists included, and values that satisfy it. A schema is
 * somebody else's data: it is followed four levels deep, and a reference as often.
 */
import type { Conversation } from '../../model/conversation.ts';
import { isList, isMapping, type Json } from '../../model/json.ts';
import { occurs, patternMistake } from '../../score/cel/linear-regex.ts';
import { isArgumentName, type Schema, type ToolSchema } from './tool-schemas.ts';

export type Scalar = string | number | boolean;

interface PathPart {
  readonly name: string;
  /** Whether the next part, or the value, is in each item of a list. */
  readonly isList: boolean;
}

export interface ArgumentPlace {
  readonly path: readonly PathPart[];
  readonly schema: Schema;
  /** Place in the file. */
  readonly at: string;
  /** Whether null is allowed. */
  readonly isNullable: boolean;
  /** Whether it and all around it are required. */
  readonly isRequired: boolean;
}

const DEPTH_MAX = 4;
const PLACES_MAX = 100;

/** Every sentence of a prompt asks again. */
const walked = new WeakMap<ToolSchema, readonly ArgumentPlace[]>();

export function placesIn(tool: ToolSchema): readonly ArgumentPlace[] {
  const places = walked.get(tool) ?? walk(tool);
  walked.set(tool, places);
  return places;
}

/** The tools, with a value of the traffic as the example of each pattern that no example is known for. */
export function withSeen(tools: readonly ToolSchema[], conversations: readonly Conversation[]): readonly ToolSchema[] {
  const calls = conversations.flatMap(({ turns }) => turns.flatMap(({ toolCalls }) => toolCalls));
  const byTool = Map.groupBy(calls, ({ name }) => name);
  return tools.map((tool) => {
    const seen = { ...tool };
    const places = placesIn(tool).map((place) => {
      const { pattern } = place.schema;
      if (typeof pattern !== 'string' || sampleOf(place.schema) !== '') return place;
      const values = (byTool.get(tool.name) ?? []).flatMap(({ args }) => valuesAt(args.json, place.path));
      const good = values.find((one) => patternMistake(pattern) === undefined && occurs(pattern, one));
      return good === undefined ? place : { ...place, schema: { ...place.schema, examples: [good] } };
    });
    walked.set(seen, places);
    return seen;
  });
}

function valuesAt(value: Json, [part, ...path]: ArgumentPlace['path']): readonly string[] {
  if (part === undefined) return typeof value === 'string' ? [value] : [];
  const member = membersOf(value)[part.name] ?? null;
  return (part.isList && isList(member) ? member : [member]).flatMap((one) => valuesAt(one, path));
}

function walk({ parameters, at }: ToolSchema): readonly ArgumentPlace[] {
  const places: ArgumentPlace[] = [];
  const add = (written: unknown, place: Pick<ArgumentPlace, 'path' | 'at' | 'isRequired'>) => {
    if (places.length >= PLACES_MAX) return;
    const { path, isRequired } = place;
    const { schema, isNullable } = resolved(written, parameters);
    const last = path.at(-1);
    if (last !== undefined) places.push({ ...place, schema, isNullable });
    const required = requiredIn(schema);
    for (const [name, member] of path.length < DEPTH_MAX ? propertiesIn(schema) : [])
      add(member, {
        path: [...path, { name, isList: false }],
        at: `${place.at}.properties.${name}`,
        isRequired: isRequired && required.includes(name),
      });
    if (last?.isList === false && isMapping(schema.items))
      add(schema.items, {
        path: path.with(-1, { ...last, isList: true }),
        at: `${place.at}.items`,
        isRequired,
      });
  };
  add(parameters, { path: [], at, isRequired: true });
  return places;
}

/** Names that can be asked about; others are left alone. */
export function requiredIn(schema: Schema): readonly string[] {
  const names = isList(schema.required) ? schema.required : [];
  return [...new Set(names)].filter((name) => typeof name === 'string').filter(isArgumentName);
}

export function propertiesIn(schema: Schema): readonly (readonly [string, unknown])[] {
  const properties = schema.properties;
  return isMapping(properties) ? Object.entries(properties).filter(([name]) => isArgumentName(name)) : [];
}

/** Follows references inside the file, and takes the one kind of value that may also be null. */
function resolved(written: unknown, root: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  let schema: Schema = isMapping(written) ? written : {};
  let isNullable = false;
  for (let steps = 0; steps < DEPTH_MAX; steps += 1) {
    if (isList(schema.type) && schema.type.includes('null')) isNullable = true;
    const reference = schema.$ref;
    const choices = [schema.anyOf, schema.oneOf].find(isList);
    if (typeof reference === 'string') schema = referenced(reference, root);
    else if (choices !== undefined) {
      const others = choices.filter(isMapping).filter(({ type }) => type !== 'null');
      isNullable ||= others.length < choices.length;
      const [only] = others;
      // With several kinds nothing can be asked of the value.
      schema = others.length === 1 && only !== undefined ? only : {};
    } else break;
  }
  return { schema, isNullable };
}

function referenced(reference: string, root: Schema): Schema {
  let found: unknown = root;
  for (const part of reference.split('/').slice(1, 6))
    found = isMapping(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  return isMapping(found) ? found : {};
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Arguments that the schema allows, as far as it says. Lists have one item. */
export function sampleArguments(tool: ToolSchema): { readonly [name: string]: Json } {
  return membersOf(placesIn(tool).reduce((args: Json, place) => withValue(args, place, sampleOf(place.schema)), {}));
}

/** Texts of many forms, for a pattern. */
const TEXTS = ['sample', 'A1', 'ABC', '1', '4711', 'ABC123', 'A-1234', '2026-03-02', '10:30', 'ann@example.com', 'a'];
const SUCH_AS = /such as '([^'\n]{1,80})'/;

/** Objects and lists are empty: what is in them has places of its own. */
export function sampleOf(schema: Schema): Json {
  const { type, pattern, description } = schema;
  const isOf = (kind: string) => type === kind || (isList(type) && type.includes(kind));
  if (isOf('object') || 'properties' in schema) return {};
  if (isOf('array')) return [];
  const given = [schema.const, schema.enum, schema.default, schema.examples].flat().find(isScalar);
  if (given !== undefined) return given;
  if (isOf('boolean')) return true;
  if (isOf('number') || isOf('integer')) return typeof schema.minimum === 'number' ? schema.minimum : 1;
  const said = typeof description === 'string' ? SUCH_AS.exec(description)?.[1] : undefined;
  const texts = said === undefined ? TEXTS : [said, ...TEXTS];
  const isFormed = typeof pattern === 'string' && patternMistake(pattern) === undefined;
  return texts.find((text) => !isFormed || occurs(pattern, text)) ?? '';
}

export function withValue(around: Json, { path: [part, ...path] }: Pick<ArgumentPlace, 'path'>, value: Json): Json {
  if (part === undefined) return value;
  const members = membersOf(around);
  const own = members[part.name] ?? null;
  const changed = withValue(isList(own) ? (own[0] ?? null) : own, { path }, value);
  return { ...members, [part.name]: part.isList ? [changed] : changed };
}

function membersOf(value: Json): { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}
