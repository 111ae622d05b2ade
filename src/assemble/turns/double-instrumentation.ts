/**
 * One operation seen by two instrumentations gives two nested spans: a framework around a provider SDK, a tool call
 * around an MCP client around an MCP server. They are merged into one step, or calls and tokens would count twice.
 * Siblings are not merged, since parallel identical calls are legal, except in one case: see `sibling-calls.ts`.
 */
import type { Step } from '../../model/step.ts';
import { AmendedStep } from './amended-step.ts';
import { canonicalJson } from './canonical-json.ts';
import { Family, NONE } from './span-tree.ts';
import { addSiblingCalls } from './sibling-calls.ts';

export function merged(family: Family): Family {
  const nesting = new Nesting(family);
  const into = new Map<number, number>();
  for (let index = 0; index < family.steps.length; index++) {
    const outer = outerOf(nesting, index);
    if (outer !== NONE) into.set(index, outer);
  }
  addSiblingCalls(family, into);
  return into.size === 0 ? family : absorb(family, into);
}

/**
 * Finds the span directly around each span, skipping the glue between them. Worked out in one pass, when first asked.
 */
class Nesting {
  readonly family: Family;
  /** Past spans of transport, such as the HTTP request between an MCP client and its server. */
  readonly outer: readonly number[];
  #outerAgent: readonly number[] | undefined;
  #countBelow: Map<string, number> | undefined;

  constructor(family: Family) {
    this.family = family;
    this.outer = family.nearestAncestors((step) => step.kind !== 'other');
  }

  outerAgentOf(index: number): number {
    this.#outerAgent ??= this.family.nearestAncestors((step) => step.kind === 'agent');
    return this.#outerAgent[index] ?? NONE;
  }

  modelCallsBelow(index: number): number {
    return this.#counts().get(`llm ${index}`) ?? 0;
  }
  agentsBelow(index: number): number {
    return this.#counts().get(`agent ${index}`) ?? 0;
  }
  /** Model calls whose nearest agent this is. */
  ownModelCalls(index: number): number {
    return this.#counts().get(`own ${index}`) ?? 0;
  }

  #counts(): Map<string, number> {
    if (this.#countBelow !== undefined) return this.#countBelow;
    const counts = new Map<string, number>();
    const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const [index, step] of this.family.steps.entries()) {
      if (step.kind === 'llm') {
        count(`llm ${this.outer[index]}`);
        count(`own ${this.outerAgentOf(index)}`);
      } else if (step.kind === 'agent') {
        count(`agent ${this.outerAgentOf(index)}`);
      }
    }
    this.#countBelow = counts;
    return counts;
  }
}

function outerOf(nesting: Nesting, index: number): number {
  const step = nesting.family.at(index);
  const outer = nesting.outer[index] ?? NONE;
  switch (step.kind) {
    case 'tool':
      return outer !== NONE && isSameToolCall(nesting.family.at(outer), step) ? outer : NONE;
    case 'llm':
      return outer !== NONE && isSameModelCall(nesting, outer, step) ? outer : NONE;
    case 'agent': {
      const agent = nesting.outerAgentOf(index);
      return agent !== NONE && isWrapper(nesting, agent, index) ? agent : NONE;
    }
    default:
      return NONE;
  }
}

function isSameToolCall(outer: Step, inner: Step): boolean {
  if (outer.tool === undefined || inner.tool === undefined || outer.tool.name !== inner.tool.name) return false;
  const [outerId, innerId] = [outer.tool.callId, inner.tool.callId];
  if (outerId !== undefined && innerId !== undefined) return outerId === innerId;
  const [outerArgs, innerArgs] = [outer.tool.args, inner.tool.args];
  if (outerArgs.state === 'missing' || innerArgs.state === 'missing') return true;
  return canonicalJson(outerArgs.json) === canonicalJson(innerArgs.json);
}

function isSameModelCall(nesting: Nesting, outerIndex: number, inner: Step): boolean {
  const outer = nesting.family.at(outerIndex);
  if (outer.kind !== 'llm') return false;
  const [a, b] = [outer.model, inner.model];
  if (a?.responseId !== undefined && b?.responseId !== undefined) return a.responseId === b.responseId;
  const isSilent = a?.request === undefined && a?.response === undefined && outer.usage === undefined;
  const sameModel =
    isSilent ||
    (a?.request !== undefined && a.request === b?.request) ||
    (a?.response !== undefined && a.response === b?.response);
  // The inner span of a stream may end after the outer one, which does not wait for its reader.
  if (!sameModel || inner.startedAtMs < outer.startedAtMs || inner.startedAtMs > outer.endedAtMs) return false;
  return nesting.modelCallsBelow(outerIndex) === 1;
}

/** True for a second span of the same agent around the first, without a model call or a tool of its own. */
function isWrapper(nesting: Nesting, outerIndex: number, innerIndex: number): boolean {
  const [outer, inner] = [nesting.family.at(outerIndex), nesting.family.at(innerIndex)];
  if (outer.agent.name === undefined || outer.agent.name !== inner.agent.name) return false;
  if (nesting.agentsBelow(outerIndex) !== 1 || nesting.ownModelCalls(outerIndex) !== 0) return false;
  // The last to be asked, and of one inner span at most: it walks up from that.
  return !isBelowTool(nesting.family, innerIndex, outerIndex);
}

function isBelowTool(family: Family, inner: number, outer: number): boolean {
  for (let at = family.parentOf(inner); at !== outer && at !== NONE; at = family.parentOf(at)) {
    if (family.at(at).kind === 'tool') return true;
  }
  return false;
}

/** Removes the inner spans; what they were parents of moves to the span that now stands for them. */
function absorb(family: Family, into: ReadonlyMap<number, number>): Family {
  const standsFor = standIns(into);
  const absorbed = new Map<number, Step[]>();
  // Innermost first is not needed: each inner span fills what is still absent in the one that stands for it.
  for (const index of into.keys()) {
    const outer = standsFor(index);
    const inner = absorbed.get(outer) ?? [];
    inner.push(family.at(index));
    absorbed.set(outer, inner);
  }
  const kept: Step[] = [];
  const newIndex = new Map<number, number>();
  for (const [index, step] of family.steps.entries()) {
    if (into.has(index)) continue;
    const parent = family.parentOf(index);
    const inner = absorbed.get(index) ?? [];
    const isMoved = into.has(parent);
    const moved = isMoved ? { parentSpanId: family.at(standsFor(parent)).spanId } : {};
    newIndex.set(index, kept.length);
    kept.push(isMoved || inner.length > 0 ? new AmendedStep(step, { inner, ...moved }) : step);
  }
  const parents = new Array<number>(kept.length).fill(NONE);
  for (const [index, position] of newIndex) {
    const parent = family.parentOf(index);
    if (parent !== NONE) parents[position] = newIndex.get(standsFor(parent)) ?? NONE;
  }
  return new Family(kept, parents, family.lacksParents);
}

/** The step that stands for another in the end; each link of a chain is walked once. */
function standIns(into: ReadonlyMap<number, number>): (index: number) => number {
  const found = new Map<number, number>();
  return (index) => {
    const path: number[] = [];
    let at = index;
    for (let outer = into.get(at); outer !== undefined; outer = into.get(at)) {
      path.push(at);
      at = found.get(at) ?? outer;
    }
    for (const passed of path) found.set(passed, at);
    return at;
  };
}
