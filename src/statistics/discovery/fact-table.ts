/**
 * Facts of many conversations, for counting. Conversations that have the same facts are counted together, because many
 * have.
 */

/** Conversations that have the same facts. */
interface Shape {
  /** Places in the list of facts. */
  readonly facts: readonly number[];
  /** Places of the conversations. */
  readonly members: readonly number[];
}

export interface FactTable {
  /** Conversations. */
  readonly size: number;
  readonly facts: readonly string[];
  readonly shapes: readonly Shape[];
}

/** More would be names that somebody makes up: those that come first are counted. */
const DIFFERENT_MAX = 100_000;

/** From the facts of each conversation, as stores keep them: one a line. One that is there twice counts once. */
export function factTable(lines: readonly string[]): FactTable {
  const places = new Map<string, number>();
  const shapes = new Map<string, { facts: readonly number[]; members: number[] }>();
  for (const [conversation, text] of lines.entries()) {
    const known = shapes.get(text);
    if (known === undefined) shapes.set(text, { facts: factsIn(text, places), members: [conversation] });
    else known.members.push(conversation);
  }
  return { size: lines.length, facts: [...places.keys()], shapes: [...shapes.values()] };
}

function factsIn(text: string, places: Map<string, number>): readonly number[] {
  const facts: number[] = [];
  for (const fact of text.split('\n')) {
    let place = places.get(fact);
    if (place === undefined) {
      if (fact === '' || places.size >= DIFFERENT_MAX) continue;
      place = places.size;
      places.set(fact, place);
    }
    if (!facts.includes(place)) facts.push(place);
  }
  return facts;
}

/** Conversations that have each of these facts. */
export function membersOf({ shapes }: FactTable, facts: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>(facts.map((fact) => [fact, []]));
  for (const shape of shapes)
    for (const fact of shape.facts) {
      const members = found.get(fact);
      // A spread of a large list would exceed the stack.
      if (members !== undefined) for (const member of shape.members) members.push(member);
    }
  return found;
}
