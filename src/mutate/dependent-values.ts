/**
 * Finds the other places that repeat a value. Tools repeat their arguments, and the agent's state repeats the effects
 * of tools. If one value is changed or one call undone, these must change too. Otherwise no agent could have left such
 * a conversation, and a check that compares the two fails although no agent was wrong.
 *
 * Name and value decide: a member of the same name that had the same value; for a whole list or object, its content. A
 * state in other words is left as it is.
 */
import type { ExcerptCall } from '../model/excerpt.ts';
import { isList, type Json } from '../model/json.ts';
import { type Leaf, type LeafValue, leavesOf, mapLeaves } from './leaves.ts';

export interface Changed {
  readonly key: string;
  readonly was: LeafValue;
  readonly is: LeafValue;
}

export function echo(json: Json, { key, was, is }: Changed): Json {
  return mapLeaves(json, (leaf) => (leaf.key === key && leaf.value === was ? is : leaf.value));
}

/** A name or an id, wherever it stands. */
export function echoAnywhere(json: Json, { was, is }: Changed): Json {
  return isDistinctive(was) ? mapLeaves(json, ({ value }) => (value === was ? is : value)) : json;
}

/** Long enough to be no coincidence. */
export function isDistinctive(value: LeafValue): boolean {
  return typeof value === 'string' ? value.length >= 3 : typeof value === 'number' && Math.abs(value) >= 10;
}

/**
 * The state where a call that changes something was not made: what it repeats of the call is gone, and what stood beside it as true is false
 * (`booking_confirmed: true` beside `booked_event`).
 */
export function undone(state: Json, call: ExcerptCall): Json {
  return without(state, saidBy(call), (member) => (member === true ? false : member));
}

/** The state where a call that only looks was not made: what it repeats of the call, and of none of the others, is gone. */
export function unknown(state: Json, call: ExcerptCall, others: readonly ExcerptCall[]): Json {
  const said = saidBy(call);
  const saidByOthers = others.map(saidBy);
  const isSaid: Says = (member, leaves) => said(member, leaves) && !saidByOthers.some((says) => says(member, leaves));
  return without(state, isSaid, (member) => member);
}

type Says = (member: Json, leaves: readonly Leaf[]) => boolean;

function saidBy({ args, result }: ExcerptCall): Says {
  const said = new Map<string, Set<LeafValue>>();
  for (const { key, value } of [...leavesOf(args), ...leavesOf(result)]) {
    said.set(key, (said.get(key) ?? new Set()).add(value));
  }
  const wholes = new Set([...wholesIn(args), ...wholesIn(result)]);
  return (member, leaves) =>
    leaves.every(({ key, value }) => said.get(key)?.has(value) === true) || wholes.has(JSON.stringify(member));
}

const DEPTH_MAX = 20;

/** Lists and objects, near and far, whatever they are called. */
function wholesIn(json: Json | undefined, depth = 0): readonly string[] {
  if (typeof json !== 'object' || json === null || depth > DEPTH_MAX) return [];
  return [JSON.stringify(json), ...Object.values(json).flatMap((inner: Json) => wholesIn(inner, depth + 1))];
}

/** Removes members that repeat what is gone; `beside` changes the members that stood beside them. */
function without(json: Json, isSaid: Says, beside: (member: Json) => Json): Json {
  if (typeof json !== 'object' || json === null || isList(json)) return json;
  const repeats = (name: string, member: Json) => {
    const leaves = leavesOf({ [name]: member });
    // A number or a yes by itself may mean anything.
    const isTelling = leaves.length > 1 || leaves.some(({ value }) => isDistinctive(value));
    return isTelling && isSaid(member, leaves);
  };
  const members = Object.entries(json);
  const left = members.filter(([name, member]) => !repeats(name, member));
  const isTouched = left.length < members.length;
  return Object.fromEntries(
    left.map(([name, member]) => {
      const inner = without(member, isSaid, beside);
      return [name, isTouched ? beside(inner) : inner];
    }),
  );
}
