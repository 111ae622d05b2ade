/** A node of a parsed expression, as far as we look into it. Every node the library's parser makes is one. */
export interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
  readonly input: string;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'start' in value;
}

/** Every node, macros in the form they were written in and in the form they are run in. */
export function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const element of value) yield* nodesIn(element);
  if (!isNode(value)) return;
  yield value;
  yield* nodesIn(value.args);
}

export function sourceOf({ input, start, end }: Node): string {
  return input.slice(start, end);
}
