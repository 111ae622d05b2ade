/**
 * A provider SDK's own span is a sibling of the instrumentation's, not its child, where the instrumentation begins its span
 * only when the SDK gives it the stream. Two model calls side by side are taken for one if they come from different
 * instrumentations, overlap, asked the same model, agree on what came out, and one has no words: SDKs record none.
 */
import type { Step } from '../../model/step.ts';
import type { Family } from './span-tree.ts';

/** Adds to `into`, which says what each merged step is merged into. */
export function addSiblingCalls(family: Family, into: Map<number, number>): void {
  if (!hasTwoInstrumentations(family.steps)) return;
  const taken = new Set(into.values());
  for (const siblings of modelCallsByParent(family, into).values()) {
    for (const wordless of siblings) {
      const inner = family.at(wordless);
      if (taken.has(wordless) || !isWordless(inner)) continue;
      const outer = siblings.find(
        (other) => !taken.has(other) && !into.has(other) && isSameCall(family.at(other), inner),
      );
      if (outer === undefined) continue;
      into.set(wordless, outer);
      taken.add(outer);
    }
  }
}

function hasTwoInstrumentations(steps: readonly Step[]): boolean {
  let scope: string | undefined;
  for (const { kind, scopeName } of steps) {
    if (kind !== 'llm') continue;
    if (scope !== undefined && scope !== scopeName) return true;
    scope = scopeName;
  }
  return false;
}

function modelCallsByParent(family: Family, into: ReadonlyMap<number, number>): ReadonlyMap<number, readonly number[]> {
  const byParent = new Map<number, number[]>();
  for (const [index, { kind }] of family.steps.entries()) {
    if (kind !== 'llm' || into.has(index)) continue;
    const parent = family.parentOf(index);
    const siblings = byParent.get(parent);
    if (siblings === undefined) byParent.set(parent, [index]);
    else if (siblings.length < COMPARED_MAX) siblings.push(index);
  }
  return byParent;
}

/** Each may be compared with all others. */
const COMPARED_MAX = 256;

function isWordless(step: Step): boolean {
  return step.messagesIn.length === 0 && step.messagesOut.length === 0;
}

function isSameCall(outer: Step, inner: Step): boolean {
  if (outer.scopeName === inner.scopeName) return false;
  if (inner.startedAtMs > outer.endedAtMs || outer.startedAtMs > inner.endedAtMs) return false;
  const [a, b] = [outer.model, inner.model];
  if (a?.responseId !== undefined && b?.responseId !== undefined) return a.responseId === b.responseId;
  if ((a?.response ?? a?.request) !== (b?.response ?? b?.request)) return false;
  const [said, counted] = [outer.usage?.outputTokens, inner.usage?.outputTokens];
  if (said === counted) return true;
  // A span that lost attributes may have lost its tokens.
  const mayBeUnsaid = said === undefined || counted === undefined || outer.flags.includes('attributes-dropped');
  return mayBeUnsaid && !isWordless(outer);
}
