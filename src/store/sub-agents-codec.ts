/**
 * Encodes the part that each sub-agent had in what was evaluated: name, steps, errors, and the cost in billionths of a
 * dollar, which is null where it is not known. The text is empty where there are no sub-agents, as in most rows, and
 * absent in rows of an Assay that did not keep it. Searches look for the beginning of an entry (`encodedNameOf`).
 *
 *     [["billing",3,1,1250000],["search",2,0,null]]
 */
export interface KeptSubAgent {
  readonly name: string;
  readonly steps: number;
  readonly errors: number;
  readonly costNanos: number | undefined;
}

const NO_SUB_AGENTS = '';

export function encodeSubAgents(subAgents: readonly KeptSubAgent[]): string {
  if (subAgents.length === 0) return NO_SUB_AGENTS;
  return JSON.stringify(
    subAgents.map(({ name, steps, errors, costNanos }) => [name, steps, errors, costNanos ?? null]),
  );
}

export function decodeSubAgents(text: string): readonly KeptSubAgent[] {
  if (text === NO_SUB_AGENTS) return [];
  // The cast holds because the store's writer wrote the text.
  const entries = JSON.parse(text) as readonly (readonly [string, number, number, number | null])[];
  return entries.map(([name, steps, errors, costNanos]) => ({
    name,
    steps,
    errors,
    costNanos: costNanos ?? undefined,
  }));
}

/** A part of the text of each evaluation in which the sub-agent took part, and of no other. */
export function encodedNameOf(name: string): string {
  return `[${JSON.stringify(name)},`;
}
