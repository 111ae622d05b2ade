/**
 * The part that each sub-agent had in a conversation. A sub-agent is an agent of another name than the conversation's:
 * one that was called as a tool, that took over, or that answered an earlier turn.
 *
 * Steps are model calls and tool calls, as in the figures of a conversation. Tokens and costs are each counted once, and
 * a cost is known only where all of it is (`cost.ts`).
 */
import { actingSpanOf, actorsOf, namesOthers, subAgentName } from './actors.ts';
import { OTHER } from './agent-labels.ts';
import type { Conversation } from './conversation.ts';
import { costOfTurns, NO_PRICES, type PriceTable, type SpentTokens, wholeCost } from './cost.ts';
import type { SpanId } from './ids.ts';
import type { Turn } from './turn.ts';

export interface SubAgent {
  readonly name: string;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Failed model calls and tool calls; 1 where none failed and the sub-agent itself did. */
  readonly errors: number;
  /** Undefined where no span reports any. */
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
  readonly costUsd: number | undefined;
}

/** The rest of a conversation's sub-agents are counted together, as `other`. */
const SUB_AGENTS_MAX = 16;

/** In the order in which they began. */
export function subAgentsOf(
  conversation: Pick<Conversation, 'agent' | 'turns' | 'prices'>,
  prices: PriceTable = conversation.prices ?? NO_PRICES,
): readonly SubAgent[] {
  if (!hasSubAgents(conversation)) return [];
  const parts = new Map<string, Part>();
  for (const turn of conversation.turns) addTurn(parts, turn, conversation.agent.name);
  return [...parts].map(([name, part]) => subAgentOf(name, part, prices));
}

/** Names by the spans of their steps; spans of the conversation's own agent are not in it. */
export function subAgentsBySpan(conversation: Pick<Conversation, 'agent' | 'turns'>): ReadonlyMap<SpanId, string> {
  const names = new Map<SpanId, string>();
  if (!hasSubAgents(conversation)) return names;
  const { agent, turns } = conversation;
  for (const turn of turns)
    for (const [span, name] of actorsOf(turn)) {
      const shown = subAgentName(name, agent.name);
      if (shown !== undefined) names.set(span, shown);
    }
  return names;
}

/** Asked once for each suite and for detection: looking reads a name of each step. */
const ASKED = new WeakMap<object, boolean>();

function hasSubAgents(conversation: Pick<Conversation, 'agent' | 'turns'>): boolean {
  let has = ASKED.get(conversation);
  if (has === undefined) {
    has = namesOthers(conversation);
    ASKED.set(conversation, has);
  }
  return has;
}

interface Part {
  modelCalls: number;
  toolCalls: number;
  failedCalls: number;
  hasFailed: boolean;
  costUsd: number | undefined;
  readonly spent: SpentTokens[];
}

function addTurn(parts: Map<string, Part>, turn: Turn, own: string | undefined): void {
  const actors = actorsOf(turn);
  const partOf = (span: SpanId | undefined) => {
    const name = span === undefined ? undefined : subAgentName(actors.get(span), own);
    return name === undefined ? undefined : namedPart(parts, name);
  };
  for (const { spanId, kind, error } of turn.steps.filter(({ kind }) => kind === 'llm' || kind === 'agent')) {
    const part = partOf(spanId);
    if (part === undefined) continue;
    if (kind === 'agent') part.hasFailed ||= error !== undefined;
    else {
      part.modelCalls += 1;
      part.failedCalls += error === undefined ? 0 : 1;
    }
  }
  for (const call of turn.toolCalls) {
    const part = partOf(actingSpanOf(call, actors));
    if (part === undefined) continue;
    part.toolCalls += 1;
    part.failedCalls += call.error === undefined ? 0 : 1;
  }
  for (const one of turn.spent) partOf(one.spanId)?.spent.push(one);
  for (const { spanId, usd } of turn.costs) {
    const part = partOf(spanId);
    if (part !== undefined) part.costUsd = (part.costUsd ?? 0) + usd;
  }
}

function namedPart(parts: Map<string, Part>, name: string): Part {
  const known = parts.get(name);
  if (known !== undefined) return known;
  if (parts.size >= SUB_AGENTS_MAX && name !== OTHER) return namedPart(parts, OTHER);
  const part = {
    ...{ modelCalls: 0, toolCalls: 0, failedCalls: 0, hasFailed: false },
    ...{ costUsd: undefined, spent: [] },
  };
  parts.set(name, part);
  return part;
}

function subAgentOf(name: string, part: Part, prices: PriceTable): SubAgent {
  const { modelCalls, toolCalls, failedCalls, hasFailed, spent } = part;
  const sum = (of: (usage: SpentTokens['usage']) => number) => spent.reduce((all, { usage }) => all + of(usage), 0);
  return {
    name,
    modelCalls,
    toolCalls,
    errors: failedCalls === 0 && hasFailed ? 1 : failedCalls,
    tokens:
      spent.length === 0
        ? undefined
        : { input: sum(({ inputTokens }) => inputTokens), output: sum(({ outputTokens }) => outputTokens) },
    costUsd: wholeCost(costOfTurns([part], prices)),
  };
}
