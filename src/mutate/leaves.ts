/** The texts, numbers and booleans in a piece of JSON, each with where it stands; and the same JSON with another value there. */
import { isList, type Json } from '../model/json.ts';

export type LeafValue = string | number | boolean;

export interface Leaf {
  readonly path: readonly (string | number)[];
  /** The name of the nearest member around it; '' where there is none. */
  readonly key: string;
  readonly value: LeafValue;
}

const DEPTH_MAX = 20;
const LEAVES_MAX = 500;

export function leavesOf(json: Json | undefined): readonly Leaf[] {
  const found: Leaf[] = [];
  collect(json, [], '', found);
  return found;
}

function collect(json: Json | undefined, path: Leaf['path'], key: string, found: Leaf[]): void {
  if (json === undefined || json === null || path.length > DEPTH_MAX || found.length >= LEAVES_MAX) return;
  if (typeof json !== 'object') {
    found.push({ path, key, value: json });
    return;
  }
  if (isList(json)) {
    for (const [index, element] of json.entries()) collect(element, [...path, index], key, found);
    return;
  }
  for (const [name, member] of Object.entries(json)) collect(member, [...path, name], name, found);
}

/** Undefined takes the member or the element away. */
export function replacedAt(json: Json, [step, ...rest]: Leaf['path'], value: Json | undefined): Json {
  if (step === undefined) return value ?? null;
  if (typeof json !== 'object' || json === null) return json;
  const inner = (member: Json) => (rest.length === 0 ? value : replacedAt(member, rest, value));
  if (isList(json)) return json.flatMap((element, index) => (index === step ? present(inner(element)) : [element]));
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, member]): [string, Json][] =>
      name === step ? present(inner(member)).map((one) => [name, one]) : [[name, member]],
    ),
  );
}

/** A copy with every leaf replaced for which a replacement is given. */
export function mapLeaves(
  json: Json,
  change: (leaf: Pick<Leaf, 'key' | 'value'>) => LeafValue,
  key = '',
  depth = 0,
): Json {
  if (json === null || depth > DEPTH_MAX) return json;
  if (typeof json !== 'object') return change({ key, value: json });
  if (isList(json)) return json.map((element) => mapLeaves(element, change, key, depth + 1));
  return Object.fromEntries(
    Object.entries(json).map(([name, member]) => [name, mapLeaves(member, change, name, depth + 1)]),
  );
}

function present<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
