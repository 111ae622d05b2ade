/** Changes to a conversation in a few lines. Spans and messages are made of the lines afterwards, and so agree with each other whatever is changed. */
import type { Excerpt, ExcerptCall, ExcerptTurn } from '../model/excerpt.ts';
import type { Json } from '../model/json.ts';

export interface CallPlace {
  readonly turn: number;
  readonly group: number;
  /** Within its group. */
  readonly at: number;
  readonly call: ExcerptCall;
}

export function callsOf(excerpt: Excerpt): readonly CallPlace[] {
  return excerpt.turns.flatMap(({ calls }, turn) =>
    calls.flatMap((group, groupAt) => group.map((call, at) => ({ turn, group: groupAt, at, call }))),
  );
}

export function withTurn(excerpt: Excerpt, turn: number, changed: Partial<ExcerptTurn>): Excerpt {
  return { ...excerpt, turns: excerpt.turns.map((one, index) => (index === turn ? { ...one, ...changed } : one)) };
}

export function withCall(excerpt: Excerpt, place: CallPlace, call: ExcerptCall): Excerpt {
  return withGroups(excerpt, place, (group) => [group.with(place.at, call)]);
}

export function withoutCall(excerpt: Excerpt, place: CallPlace): Excerpt {
  return withGroups(excerpt, place, (group) => (group.length === 1 ? [] : [group.toSpliced(place.at, 1)]));
}

/** Made once the group of this one is through. */
export function withCallAfter(excerpt: Excerpt, place: CallPlace, call: ExcerptCall): Excerpt {
  return withGroups(excerpt, place, (group) => [group, [call]]);
}

/** The state that was recorded in this turn or later; earlier turns could not know. */
export function withState(excerpt: Excerpt, fromTurn: number, change: (state: Json) => Json): Excerpt {
  const changed = (state: Json | undefined) => (state === undefined ? undefined : change(state));
  return {
    ...excerpt,
    state: changed(excerpt.state),
    turns: excerpt.turns.map((turn, index) => (index < fromTurn ? turn : { ...turn, state: changed(turn.state) })),
  };
}

function withGroups(
  excerpt: Excerpt,
  { turn, group }: CallPlace,
  change: (group: readonly ExcerptCall[]) => readonly (readonly ExcerptCall[])[],
): Excerpt {
  const groups = excerpt.turns[turn]?.calls ?? [];
  return withTurn(excerpt, turn, { calls: groups.flatMap((one, index) => (index === group ? change(one) : [one])) });
}
