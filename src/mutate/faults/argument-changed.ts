/**
 * Changes an argument of a call: 45 minutes instead of 30, the next ticket, another person, one participant fewer. The
 * tool does what it was told, so its result and the state say the other value too; the answer says what the user wants
 * to hear.
 */
import type { ExcerptCall } from '../../model/excerpt.ts';
import { isList, type Json } from '../../model/json.ts';
import type { Chance } from '../chance.ts';
import { type Changed, echo } from '../dependent-values.ts';
import { type CallPlace, callsOf, withCall, withState } from '../edit.ts';
import type { Broken, Fault, Scene } from '../fault.ts';
import { knownTexts } from '../known-texts.ts';
import { type Leaf, leavesOf, replacedAt } from '../leaves.ts';
import { otherValue } from '../other-value.ts';
import { inTurn, short, show } from '../wording.ts';

export const argumentChanged: Fault = {
  name: 'argument_changed',
  description: 'an argument of a call has another value',
  placesIn: (scene) =>
    callsOf(scene.excerpt)
      .filter(({ call }) => call.error === undefined)
      .flatMap((place) => [
        ...leavesOf(place.call.args).map((leaf) => (chance: Chance) => changed(scene, place, leaf, chance)),
        ...listsOf(place.call).map((list) => () => shortened(scene, place, list)),
      ]),
};

function changed(scene: Scene, place: CallPlace, leaf: Leaf, chance: Chance): Broken | undefined {
  const { call, turn } = place;
  const other = otherValue(leaf.value, { chance, known: knownTexts(scene.excerpt) });
  if (other === undefined) return undefined;
  const change: Changed = { key: leaf.key, was: leaf.value, is: other };
  const result = call.result === undefined ? undefined : echo(call.result, change);
  const excerpt = withCall(scene.excerpt, place, { ...call, args: replacedAt(call.args, leaf.path, other), result });
  const name = leaf.key === '' ? 'the argument' : short(leaf.key);
  return {
    excerpt: scene.isWrite(call.tool) ? withState(excerpt, turn, (state) => echo(state, change)) : excerpt,
    what: `${short(call.tool)} was called with ${name} ${show(other)} instead of ${show(leaf.value)}${inTurn(turn, scene.excerpt)}`,
    advice: adviceFor(call, leaf.key),
  };
}

interface List {
  readonly name: string;
  readonly elements: readonly Json[];
}

/** Lists of two or more, right among the arguments. */
function listsOf({ args }: ExcerptCall): readonly List[] {
  if (typeof args !== 'object' || args === null || isList(args)) return [];
  return Object.entries(args).flatMap(([name, member]) =>
    member !== null && isList(member) && member.length > 1 ? [{ name, elements: member }] : [],
  );
}

function shortened(scene: Scene, place: CallPlace, { name, elements }: List): Broken {
  const { call, turn } = place;
  const path = [name, elements.length - 1];
  const result = call.result === undefined ? undefined : withoutLastOf(call.result, name, elements);
  const excerpt = withCall(scene.excerpt, place, { ...call, args: replacedAt(call.args, path, undefined), result });
  return {
    excerpt: scene.isWrite(call.tool)
      ? withState(excerpt, turn, (state) => withoutLastOf(state, name, elements))
      : excerpt,
    what: `${short(call.tool)} was called with ${short(name)} without ${show(elements.at(-1))}${inTurn(turn, scene.excerpt)}`,
    advice: adviceFor(call, name),
  };
}

/** Removes the last element from lists of that name with the same elements. */
function withoutLastOf(json: Json, name: string, elements: readonly unknown[]): Json {
  if (typeof json !== 'object' || json === null || isList(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, member]) => {
      const isThat = key === name && member !== null && isList(member);
      if (isThat && isSameSet(member, elements)) {
        const last = JSON.stringify(elements.at(-1));
        return [key, member.filter((element) => JSON.stringify(element) !== last)];
      }
      return [key, withoutLastOf(member, name, elements)];
    }),
  );
}

function isSameSet(one: readonly unknown[], other: readonly unknown[]): boolean {
  const texts = (list: readonly unknown[]) => list.map((element) => JSON.stringify(element)).sort();
  return JSON.stringify(texts(one)) === JSON.stringify(texts(other));
}

function adviceFor({ tool }: ExcerptCall, key: string): string {
  const name = /^[A-Za-z_]\w*$/.test(key) ? key : 'it';
  return `check: last(tools('${short(tool)}')).args.${name} == truth.${name}, or a golden trace with its arguments`;
}
