/** State and truth as they stood at the end: later records override earlier ones, key by key. */
import { isMapping, type Json } from '../../model/json.ts';
import type { Step, StepMarks } from '../../model/step.ts';
import { compare } from './span-tree.ts';

/** In the order in which spans ended: an attribute is as old as the end of its span, not as its beginning. */
export function marksOf(steps: readonly Step[]): StepMarks {
  const marked = steps.filter(({ marks }) => marks.ended || marks.state !== undefined || marks.truth !== undefined);
  const inOrder = marked.toSorted(
    (a, b) => a.endedAtMs - b.endedAtMs || b.startedAtMs - a.startedAtMs || compare(a.spanId, b.spanId),
  );
  let state: Json | undefined;
  let truth: Json | undefined;
  for (const { marks } of inOrder) {
    state = overridden(state, marks.state);
    truth = overridden(truth, marks.truth);
  }
  return { ended: marked.some(({ marks }) => marks.ended), state, truth };
}

export function overridden(earlier: Json | undefined, later: Json | undefined): Json | undefined {
  if (later === undefined) return earlier;
  if (!isMapping(earlier) || !isMapping(later)) return later;
  // Without prototype, so that a key `__proto__` is just a key.
  const both: { [key: string]: Json } = Object.create(null);
  for (const source of [earlier, later]) for (const [key, value] of Object.entries(source)) both[key] = value;
  return both;
}
