/**
 * Spans that an application made around its tools by hand: they are called like the tool, and nothing says what they are.
 * Only a call that a model asked for, and that has no span of its own, is looked for among them.
 */
import { NONE, type Family } from './span-tree.ts';
import { isInWindow, type ToolRequest } from './transcripts.ts';

export function handMadeSpans(
  family: Family,
  members: readonly number[],
  requests: readonly ToolRequest[],
): ReadonlyMap<ToolRequest, number> {
  const found = new Map<ToolRequest, number>();
  if (requests.length === 0) return found;
  const byName = new Map<string, number[]>();
  for (const { name } of requests) byName.set(name, []);
  for (const index of members) {
    const { kind, spanName } = family.at(index);
    if (kind === 'other' || kind === 'step') byName.get(spanName)?.push(index);
  }
  for (const request of requests) {
    const candidates = byName.get(request.name) ?? [];
    const at = candidates.findIndex((index) => isInWindow(family.at(index), request));
    const [index] = at === NONE ? [] : candidates.splice(at, 1);
    if (index !== undefined) found.set(request, index);
  }
  return found;
}
