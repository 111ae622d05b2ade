/**
 * Tokens and cost, each counted once: a span's figure counts only if nothing below it has one. Frameworks repeat the sum
 * on the agent span, and some a cumulative one. Some put the tools below the model call that asked for them, and a
 * sub-agent below such a tool.
 */
import type { ReportedCost, SpentTokens } from '../../model/cost.ts';
import type { Step, Usage } from '../../model/step.ts';
import { NONE, type Family } from './span-tree.ts';

export function usageOf(family: Family, members: readonly number[]): Usage | undefined {
  const { whole, repeats } = counted(family, members, (step) => step.usage !== undefined);
  const sum = (indexes: readonly number[]) => indexes.map((index) => family.at(index).usage).reduce(plus, undefined);
  const total = sum(whole);
  const repeated = repeats.length === 0 ? undefined : sum(repeats);
  if (total === undefined || repeated === undefined) return total;
  return {
    ...total,
    cacheReadTokens: total.cacheReadTokens || repeated.cacheReadTokens,
    cacheWriteTokens: total.cacheWriteTokens || repeated.cacheWriteTokens,
    reasoningTokens: total.reasoningTokens || repeated.reasoningTokens,
  };
}

/** Each call whose tokens count, with the model that made them. */
export function spentOf(family: Family, members: readonly number[]): readonly SpentTokens[] {
  const calls = counted(family, members, (step) => step.usage !== undefined).whole;
  if (calls.length === 0) return [];
  const costs = counted(family, members, (step) => step.costUsd !== undefined).whole;
  const withCost = new Set(costs.map((index) => family.at(index)));
  const aboveCost = new Set<number>();
  for (const index of costs)
    for (let at = family.parentOf(index); at !== NONE && !aboveCost.has(at); at = family.parentOf(at))
      aboveCost.add(at);
  const belowCost = costs.length === 0 ? [] : family.nearestAncestors((step) => withCost.has(step));
  return calls.flatMap((index) => {
    const step = family.at(index);
    if (step.usage === undefined) return [];
    const isInSpans = withCost.has(step) || aboveCost.has(index) || (belowCost[index] ?? NONE) !== NONE;
    const model = step.model?.response ?? step.model?.request;
    return { spanId: step.spanId, model, usage: step.usage, isInSpans };
  });
}

/** Each cost that counts. */
export function costsOf(family: Family, members: readonly number[]): readonly ReportedCost[] {
  return counted(family, members, (step) => step.costUsd !== undefined).whole.map((index) => {
    const { spanId, costUsd = 0 } = family.at(index);
    return { spanId, usd: costUsd };
  });
}

export function costOf(family: Family, members: readonly number[]): number | undefined {
  let total: number | undefined;
  for (const { usd } of costsOf(family, members)) total = (total ?? 0) + usd;
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

interface Counted {
  readonly whole: readonly number[];
  /** Usage that another span counts already. */
  readonly repeats: readonly number[];
}

function counted(family: Family, members: readonly number[], has: (step: Step) => boolean): Counted {
  const whole = leaves(family, members, (index) => has(family.at(index)));
  const told = whole.filter((index) => family.at(index).kind === 'agent').slice(0, TOLD_MAX);
  return told.length === 0 || told.length === whole.length ? { whole, repeats: [] } : eachOnce(family, whole, told);
}

/** Each is compared with all other agents. */
const TOLD_MAX = 64;

/**
 * Two instrumentations of one framework make a span each for the same agent's work, side by side. One has the figure
 * that the framework received. The other has the model calls, whose figures may be estimates from word counts.
 */
function eachOnce(family: Family, found: readonly number[], told: readonly number[]): Counted {
  const agentOf = family.nearestAncestors((step) => step.kind === 'agent');
  const belowAgent = new Map<number, number[]>();
  for (const index of found) {
    const agent = agentOf[index] ?? NONE;
    if (agent !== NONE) append(belowAgent, agent, index);
  }
  const repeats = new Set<number>();
  for (const index of told) {
    for (const [agent, calls] of belowAgent) {
      if (!isSameWork(family.at(index), family.at(agent))) continue;
      for (const call of calls) repeats.add(call);
      belowAgent.delete(agent);
      break;
    }
  }
  return { whole: found.filter((index) => !repeats.has(index)), repeats: [...repeats] };
}

function isSameWork(a: Step, b: Step): boolean {
  if (a.agent.name === undefined || a.agent.name !== b.agent.name) return false;
  return a.startedAtMs <= b.endedAtMs && b.startedAtMs <= a.endedAtMs;
}

function leaves(family: Family, members: readonly number[], has: (index: number) => boolean): readonly number[] {
  const withFigure = members.filter(has);
  if (withFigure.length < 2) return withFigure;
  const above = new Set<number>();
  // Nodes that a walk has visited, so that none is visited twice: below a tool, and elsewhere, which includes these.
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

function append(lists: Map<number, number[]>, key: number, item: number): void {
  const there = lists.get(key);
  if (there === undefined) lists.set(key, [item]);
  else there.push(item);
}
