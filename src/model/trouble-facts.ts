/** Facts of a conversation that say what went wrong, by how they begin (`engine/turn-facts.ts`), in words for people. */
const TROUBLES: readonly (readonly [begin: string, words: (rest: string) => string])[] = [
  ['failed call: ', (tool) => `${tool} failed`],
  ['error message: ', (message) => `the error “${message}”`],
  ['ended: with an error', () => 'it ended with an error'],
  ['ended: without an answer', () => 'it ended without an answer'],
  ['ended: after a failed call', () => 'it ended after a failed call'],
];

/** Undefined for other facts. */
export function troubleText(fact: string): string | undefined {
  const [begin, words] = TROUBLES.find(([one]) => fact.startsWith(one)) ?? [];
  return begin === undefined ? undefined : words?.(fact.slice(begin.length));
}

/** How much a fact says, from 0: a tool says more than how it ended. */
export function tellsLess(fact: string): number {
  const at = TROUBLES.findIndex(([begin]) => fact.startsWith(begin));
  return at < 0 ? TROUBLES.length : at;
}
