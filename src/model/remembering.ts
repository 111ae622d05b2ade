/**
 * Remembers what was answered about names that come from spans, such as those of tools: an agent has few. There is no end
 * to names that are made up, nor to their length, so beyond so many, and so much, they are worked out each time.
 */
const LENGTH_MAX = 200;

export function remembering<T>(answer: (name: string) => T, most = 10_000): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let found = known.get(name);
    if (found === undefined) {
      found = answer(name);
      if (known.size < most && name.length <= LENGTH_MAX) known.set(name, found);
    }
    return found;
  };
}
