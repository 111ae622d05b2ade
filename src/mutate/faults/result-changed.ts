/**
 * A tool finds out something else than the answer says. Later calls that use it, and a state that repeats it, go along; the answer does not. Values that the
 * answer tells are tried, and where it tells none, whatever the result holds.
 */
import type { Chance } from '../chance.ts';
import { type Changed, echo, echoAnywhere } from '../dependent-values.ts';
import { type CallPlace, callsOf, withCall, withState } from '../edit.ts';
import type { Broken, Fault, Scene } from '../fault.ts';
import { knownTexts } from '../known-texts.ts';
import { type Leaf, leavesOf, replacedAt } from '../leaves.ts';
import { otherValue } from '../other-value.ts';
import { inTurn, short, show } from '../wording.ts';

export const resultChanged: Fault = {
  name: 'result_changed',
  description: 'a result says something else than the answer',
  placesIn: (scene) => {
    const all = callsOf(scene.excerpt).flatMap((place) =>
      leavesOf(place.call.result).map((leaf) => ({ place, leaf, isTold: isTold(leaf, place, scene) })),
    );
    const told = all.filter(({ isTold }) => isTold);
    return (told.length > 0 ? told : all).map(
      ({ place, leaf }) =>
        (chance: Chance) =>
          changed(scene, place, leaf, chance),
    );
  },
};

function isTold({ value }: Leaf, { turn }: CallPlace, { excerpt }: Scene): boolean {
  if (typeof value === 'boolean') return false;
  return excerpt.turns.slice(turn).some(({ answer }) => answer?.includes(String(value)) === true);
}

function changed(scene: Scene, place: CallPlace, leaf: Leaf, chance: Chance): Broken | undefined {
  const { call, turn } = place;
  const other = otherValue(leaf.value, { chance, known: knownTexts(scene.excerpt) });
  if (other === undefined || call.result === undefined) return undefined;
  const change: Changed = { key: leaf.key, was: leaf.value, is: other };
  let excerpt = withCall(scene.excerpt, place, { ...call, result: replacedAt(call.result, leaf.path, other) });
  for (const later of callsOf(excerpt)) {
    if (later.turn < turn || (later.turn === turn && later.group <= place.group)) continue;
    const { args, result } = later.call;
    const followed = { ...later.call, args: echoAnywhere(args, change) };
    excerpt = withCall(
      excerpt,
      later,
      result === undefined ? followed : { ...followed, result: echoAnywhere(result, change) },
    );
  }
  const name = leaf.key === '' ? '' : ` as ${short(leaf.key)}`;
  return {
    excerpt: withState(excerpt, turn, (state) => echo(state, change)),
    what: `${short(call.tool)} gave ${show(other)}${name} instead of ${show(leaf.value)}${inTurn(turn, scene.excerpt)}, and the answer is the old one`,
    advice: 'uses: grounded, or a judge: { uses: grounded_in_context }',
  };
}
