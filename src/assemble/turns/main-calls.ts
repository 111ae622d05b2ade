/**
 * The model calls that speak for the agent. Sub-agents, guardrails, memory and planners call models too, as do titles and
 * summaries made inside a tool; what those say is not the answer.
 */
import type { Step, StepKind } from '../../model/step.ts';
import { NONE, type Family } from './span-tree.ts';

const UTILITIES: ReadonlySet<StepKind> = new Set<StepKind>([
  'tool',
  'guardrail',
  'memory',
  'plan',
  'retrieval',
  'rerank',
  'embedding',
]);

/** In order of start. Where agents are nested, the outermost that call a model are the ones that speak. */
export function mainCalls(family: Family, members: readonly number[]): readonly Step[] {
  const byDepth = new Map<number, Step[]>();
  let least = Number.POSITIVE_INFINITY;
  for (const index of members) {
    const step = family.at(index);
    if (step.kind !== 'llm') continue;
    const depth = agentDepth(family, index);
    if (depth === undefined) continue;
    least = Math.min(least, depth);
    const there = byDepth.get(depth);
    if (there === undefined) byDepth.set(depth, [step]);
    else there.push(step);
  }
  return byDepth.get(least) ?? [];
}

/** How many agents are around the call; undefined where it serves a utility. */
function agentDepth(family: Family, index: number): number | undefined {
  let depth = 0;
  for (let at = family.parentOf(index); at !== NONE; at = family.parentOf(at)) {
    const { kind } = family.at(at);
    if (UTILITIES.has(kind)) return undefined;
    if (kind === 'agent') depth++;
  }
  return depth;
}
