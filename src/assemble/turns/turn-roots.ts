/**
 * Which steps of a trace stand for turns. Usually one does: the top-most agent or workflow, or the top-most span where
 * neither arrived. A long-lived session (a voice call, a web socket) puts several turns into one trace, as agents side by
 * side, each with a new message of the user; or as model calls side by side, where nothing else is instrumented.
 */
import type { Message, Step } from '../../model/step.ts';
import { NONE, type Family } from './span-tree.ts';

export interface TurnSteps {
  readonly root: number;
  /** In the family's order. */
  readonly members: readonly number[];
}

export function turnsOf(family: Family): readonly TurnSteps[] {
  const tops = topAgents(family);
  const roots = tops.length > 1 ? tops.filter((_, at) => at === 0 || beginsTurn(family, tops, at)) : tops;
  const everything = family.steps.map((_, index) => index);
  const [root] = roots;
  if (root === undefined) return ofModelCalls(family) ?? [{ root: topMost(family), members: everything }];
  if (roots.length === 1) return [{ root, members: everything }];
  return divided(family, roots, tops);
}

/**
 * Without an agent: a model call that is shown what was asked and answered before, and a new question, begins a turn.
 * Calls that were not shown it may be the stages of one answer (rewrite the question, search, answer).
 */
function ofModelCalls(family: Family): readonly TurnSteps[] | undefined {
  const above = family.nearestAncestors((step) => step.kind === 'tool' || step.kind === 'llm');
  const calls = family.steps.flatMap((step, index) => (step.kind === 'llm' && above[index] === NONE ? index : []));
  if (calls.length < 2) return undefined;
  const roots = calls.filter((_, at) => at === 0 || asksAnew(family.at(calls[at - 1] ?? 0), family.at(calls[at] ?? 0)));
  return roots.length < 2 ? undefined : divided(family, roots, calls);
}

function asksAnew(previous: Step, step: Step): boolean {
  if (step.startedAtMs < previous.endedAtMs) return false;
  const last = step.messagesIn.at(-1);
  const before = previous.messagesIn.findLast(({ role }) => role === 'user');
  if (last?.role !== 'user' || before === undefined || step.messagesIn.length <= previous.messagesIn.length)
    return false;
  const text = textOf(before);
  return step.messagesIn.slice(0, -1).some((message) => message.role === 'user' && textOf(message) === text);
}

function textOf({ parts }: Message): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Agents and workflows with none above them, in order of start. */
function topAgents(family: Family): readonly number[] {
  const above = family.nearestAncestors(isAgent);
  const tops: number[] = [];
  for (let index = 0; index < family.steps.length; index++) {
    if (isAgent(family.at(index)) && above[index] === NONE && !isUnderCall(family, index)) tops.push(index);
  }
  return tops;
}

function isAgent(step: Step): boolean {
  return step.kind === 'agent' || step.kind === 'workflow';
}

/** An agent called as a tool whose caller's span did not arrive. */
function isUnderCall(family: Family, index: number): boolean {
  for (let at = family.parentOf(index); at !== NONE; at = family.parentOf(at)) {
    const { kind } = family.at(at);
    if (kind === 'tool' || kind === 'llm') return true;
  }
  return false;
}

/** Without an agent: the first span that has no parent here. */
function topMost(family: Family): number {
  for (let index = 0; index < family.steps.length; index++) if (family.parentOf(index) === NONE) return index;
  return 0;
}

/**
 * An agent beside earlier ones begins a turn if they had ended and it answers a new message of the user in the same
 * conversation: the same agent, or one that was shown the earlier message. Otherwise it is the next stage of one turn (a
 * hand-off, a pipeline).
 */
function beginsTurn(family: Family, tops: readonly number[], at: number): boolean {
  const index = tops[at] ?? 0;
  const previousIndex = tops[at - 1] ?? 0;
  const [step, previous] = [family.at(index), family.at(previousIndex)];
  if (step.startedAtMs < previous.endedAtMs) return false;
  const said = userMessages(family, index);
  const saidBefore = userMessages(family, previousIndex);
  const [last, lastBefore] = [said.at(-1), saidBefore.at(-1)];
  if (last === undefined || lastBefore === undefined) return false;
  if (last === lastBefore && said.length <= saidBefore.length) return false;
  const isSameAgent = step.agent.name !== undefined && step.agent.name === previous.agent.name;
  return isSameAgent || said.slice(0, -1).includes(lastBefore);
}

function userMessages(family: Family, agent: number): readonly string[] {
  const texts: string[] = [];
  const step = family.at(agent);
  const source = step.messagesIn.length > 0 ? step : firstModelCall(family, agent);
  for (const message of source?.messagesIn ?? []) {
    if (message.role !== 'user') continue;
    for (const part of message.parts) if (part.type === 'text') texts.push(part.text);
  }
  return texts.length === 0 && step.input.state === 'whole' ? [step.input.text] : texts;
}

function firstModelCall(family: Family, agent: number): Step | undefined {
  return family.steps.find((step, index) => step.kind === 'llm' && isWithin(family, index, agent));
}

function isWithin(family: Family, index: number, ancestor: number): boolean {
  for (let at = index; at !== NONE; at = family.parentOf(at)) if (at === ancestor) return true;
  return false;
}

/** Each step goes with the agent it is below; what is below none goes with the turn that had begun last. */
function divided(family: Family, roots: readonly number[], tops: readonly number[]): readonly TurnSteps[] {
  const topSteps = new Set(tops.map((top) => family.at(top)));
  const topOf = family.nearestAncestors((step) => topSteps.has(step));
  const members = roots.map((): number[] => []);
  for (let index = 0; index < family.steps.length; index++) {
    const top = topSteps.has(family.at(index)) ? index : (topOf[index] ?? NONE);
    const startedAtMs = family.at(top === NONE ? index : top).startedAtMs;
    let turn = 0;
    for (let at = 1; at < roots.length; at++) {
      const root = roots[at];
      if (root !== undefined && (root === top || family.at(root).startedAtMs <= startedAtMs)) turn = at;
    }
    members[turn]?.push(index);
  }
  return roots.map((root, at) => ({ root, members: members[at] ?? [] }));
}
