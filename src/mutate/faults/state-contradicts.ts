/** The agent's state says something else than what was done: its own books are wrong. Only where a state was recorded. */
import type { Excerpt } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';
import type { Chance } from '../chance.ts';
import type { Broken, Fault } from '../fault.ts';
import { withTurn } from '../edit.ts';
import { knownTexts } from '../known-texts.ts';
import { type Leaf, leavesOf, replacedAt } from '../leaves.ts';
import { otherValue } from '../other-value.ts';
import { short, show } from '../wording.ts';

export const stateContradicts: Fault = {
  name: 'state_contradicts',
  description: "the agent's state does not match what was done",
  placesIn: ({ excerpt }) => {
    const last = lastState(excerpt);
    if (last === undefined) return [];
    return leavesOf(last.state).map((leaf) => (chance: Chance) => contradicted(excerpt, last, leaf, chance));
  },
};

interface LastState {
  readonly state: Json;
  /** Undefined where it is that of the whole. */
  readonly turn: number | undefined;
}

function lastState({ state, turns }: Excerpt): LastState | undefined {
  if (state !== undefined) return { state, turn: undefined };
  const turn = turns.findLastIndex((one) => one.state !== undefined);
  const found = turns[turn]?.state;
  return found === undefined ? undefined : { state: found, turn };
}

function contradicted(excerpt: Excerpt, { state, turn }: LastState, leaf: Leaf, chance: Chance): Broken | undefined {
  const other = otherValue(leaf.value, { chance, known: knownTexts(excerpt) });
  if (other === undefined) return undefined;
  const changed = replacedAt(state, leaf.path, other);
  const name = leaf.path.join('.');
  return {
    excerpt: turn === undefined ? { ...excerpt, state: changed } : withTurn(excerpt, turn, { state: changed }),
    what: `the state says ${short(name)} ${show(other)} instead of ${show(leaf.value)}`,
    advice: `check: state.${/^[\w.]{1,60}$/.test(name) ? name : '…'} == last(tools('…')).result.…`,
  };
}
