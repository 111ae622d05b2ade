/**
 * Tokens and cost, each counted once: a span's figure counts only if nothing below it has one. Frameworks repeat the sum
 * on the agent span, and some a cumulative one. Some put the tools below the model call that asked for them, and a
 * sub-agent below such a tool.
 */
import type { Usage } from '../../model/step.ts';
import { NONE, type Family } from './family.ts';

export function usageOf(family: Family, members: readonly number[]): Usage | undefined {
  let total: Usage | undefined;
  for (const index of leaves(family, members, (at) => family.at(at).usage !== undefined)) {
    total = plus(total, family.at(index).usage);
  }
  return total;
}

export function costOf(family: Family, members: readonly number[]): number | undefined {
  let total: number | undefined;
  for (const index of leaves(family, members, (at) => family.at(at).costUsd !== undefined)) {
    total = (total ?? 0) + (family.at(index).costUsd ?? 0);
  }
  return total;
}

export function plus(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

function leaves(family: Family, members: readonly number[], has: (index: number) => boolean): readonly number[] {
  const withFigure = members.filter(has);
  if (withFigure.length < 2) return withFigure;
  const above = new Set<number>();
  // Where a walk has been, so that none goes there again: below a tool, and not, which then includes the other.
  const walkedDirectly = new Set<number>();
  const walkedFromTool = new Set<number>();
  for (const index of withFigure) {
    let isBelowTool = false;
    for (let at = family.parentOf(index); at !== NONE && !walkedDirectly.has(at); at = family.parentOf(at)) {
      if (isBelowTool && walkedFromTool.has(at)) break;
      const { kind } = family.at(at);
      // A model call around the tools it asked for did not make the model calls inside them: its figure is its own.
      if (!isBelowTool || kind !== 'llm') above.add(at);
      (isBelowTool ? walkedFromTool : walkedDirectly).add(at);
      isBelowTool ||= kind === 'tool';
    }
  }
  return withFigure.filter((index) => !above.has(index));
}
