/**
 * Two calls of which the later one needs the earlier one are made the other way round: it uses what the earlier one
 * found out, or changes something that the earlier one looked at. Independent calls may come in any order, and are left
 * unchanged.
 */
import type { Excerpt, ExcerptCall } from '../../model/excerpt.ts';
import { isDistinctive } from '../dependent-values.ts';
import { type CallPlace, callsOf, withCall } from '../edit.ts';
import type { Fault, Scene } from '../fault.ts';
import { leavesOf } from '../leaves.ts';
import { isSameCall } from '../same-call.ts';
import { inTurn, short } from '../wording.ts';

export const callsSwapped: Fault = {
  name: 'calls_swapped',
  description: 'two calls that depend on each other are made in the wrong order',
  placesIn: (scene) => {
    const { excerpt } = scene;
    return pairsOf(callsOf(excerpt))
      .filter(([earlier, later]) => depends(later.call, earlier.call, scene))
      .map(([earlier, later]) => () => ({
        excerpt: withCall(withCall(excerpt, earlier, later.call), later, earlier.call),
        what: `${short(later.call.tool)} was called before ${short(earlier.call.tool)}${inTurn(earlier.turn, excerpt)}`,
        advice: `order: { before: [${short(earlier.call.tool)}, ${short(later.call.tool)}] }, or a golden trace`,
      }));
  },
};

const PAIRS_MAX = 500;

function pairsOf(calls: readonly CallPlace[]): readonly (readonly [CallPlace, CallPlace])[] {
  const pairs: (readonly [CallPlace, CallPlace])[] = [];
  for (const [index, earlier] of calls.entries()) {
    for (const later of calls.slice(index + 1)) {
      if (later.turn !== earlier.turn || pairs.length >= PAIRS_MAX) break;
      if (later.group !== earlier.group) pairs.push([earlier, later]);
    }
  }
  return pairs;
}

function depends(later: ExcerptCall, earlier: ExcerptCall, { excerpt, isWrite }: Scene): boolean {
  if (earlier.error !== undefined || later.error !== undefined || isSameCall(earlier, later)) return false;
  const used = new Set(leavesOf(later.args).flatMap(({ value }) => (isDistinctive(value) ? [value] : [])));
  const sharesOf = (call: ExcerptCall['args'] | undefined) => leavesOf(call).some(({ value }) => used.has(value));
  const isLookedUp = leavesOf(earlier.result).some(({ value }) => used.has(value) && !isSaid(String(value), excerpt));
  return (
    isLookedUp ||
    (!isWrite(earlier.tool) && isWrite(later.tool) && (sharesOf(earlier.args) || sharesOf(earlier.result)))
  );
}

/** The agent need not look up what the user said. */
function isSaid(value: string, { turns }: Excerpt): boolean {
  return turns.some(({ user }) => user?.includes(value) === true);
}
