/** Writes an inspection as JSON for programs: one object for each conversation. */
import type { Conversation } from '../../model/conversation.ts';
import type { Json } from '../../model/json.ts';
import type { Content, Step, StepError } from '../../model/step.ts';
import type { Turn } from '../../model/turn.ts';
import { subAgentsOf } from '../../model/sub-agents.ts';
import type { SubAgentJson } from '../../api/conversation-detail.ts';
import { subAgentJson } from '../documents/sub-agents-json.ts';
import { adviceFor, type Advice } from './advice.ts';

export interface InspectedCall {
  readonly id: string | null;
  readonly name: string;
  readonly args: Json;
  readonly result: Json;
  readonly error: string | null;
}

export interface InspectedTurn {
  readonly user_input: string | null;
  readonly final_answer: string | null;
  readonly tool_calls: readonly InspectedCall[];
  readonly llm_calls: number;
  /** null where no span said what was used: unknown is not 0. */
  readonly tokens: {
    readonly input: number | null;
    readonly output: number | null;
    readonly cached_input: number | null;
    readonly reasoning: number | null;
  };
  readonly error: string | null;
  readonly flags: readonly string[];
  readonly doubts: readonly string[];
}

interface InspectedConversation {
  readonly conversation_id: string;
  readonly conversation_id_source: string;
  readonly user_id: string | null;
  readonly agent: string | null;
  readonly agent_version: string | null;
  /** Absent where there are none. */
  readonly sub_agents?: readonly SubAgentJson[];
  readonly turns: readonly InspectedTurn[];
  /** Dialects of the spans. */
  readonly dialects: readonly string[];
  readonly missing: readonly Advice[];
}

export function toInspectionJson(
  conversations: readonly Conversation[],
  dialectOf: (rule: string) => string | undefined,
): readonly InspectedConversation[] {
  return conversations.map((conversation) => ({
    conversation_id: conversation.id,
    conversation_id_source: conversation.idSource,
    user_id: conversation.turns.find(({ userId }) => userId !== undefined)?.userId ?? null,
    agent: conversation.agent.name ?? null,
    agent_version: conversation.agent.version ?? null,
    ...subAgentsIn(conversation),
    turns: conversation.turns.map(inspected),
    dialects: dialectsIn(
      conversation.turns.flatMap(({ steps }) => steps),
      dialectOf,
    ),
    missing: adviceFor(conversation),
  }));
}

function subAgentsIn(conversation: Conversation): Pick<InspectedConversation, 'sub_agents'> {
  const subAgents = subAgentsOf(conversation);
  return subAgents.length === 0 ? {} : { sub_agents: subAgents.map(subAgentJson) };
}

/** Dialects by the rules that decided the fields, in order of their first use. */
export function dialectsIn(steps: readonly Step[], dialectOf: (rule: string) => string | undefined): readonly string[] {
  const found = new Set<string>();
  for (const { rules } of steps) {
    for (const rule of rules.values()) {
      const dialect = dialectOf(rule);
      if (dialect !== undefined) found.add(dialect);
    }
  }
  return [...found];
}

function inspected(turn: Turn): InspectedTurn {
  const { usage } = turn;
  return {
    user_input: textOf(turn.userInput),
    final_answer: textOf(turn.finalAnswer),
    tool_calls: turn.toolCalls.map(({ id, name, args, result, error }) => ({
      id: id ?? null,
      name,
      args: args.json,
      result: result.json,
      error: inWords(error),
    })),
    llm_calls: turn.llmCalls,
    tokens: {
      input: usage?.inputTokens ?? null,
      output: usage?.outputTokens ?? null,
      cached_input: usage?.cacheReadTokens ?? null,
      reasoning: usage?.reasoningTokens ?? null,
    },
    error: inWords(turn.error),
    flags: turn.flags,
    doubts: turn.doubts,
  };
}

function textOf(content: Content): string | null {
  return content.state === 'missing' ? null : content.text;
}

/** The type says something only where it is more than "an error", and some messages begin with it. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['_OTHER', 'Error', 'Exception', 'tool_error', '']);

export function inWords(error: StepError | undefined): string | null {
  if (error === undefined) return null;
  const { type, message } = error;
  if (message === '') return type;
  return SAYS_NOTHING.has(type) || message.startsWith(type) ? message : `${type}: ${message}`;
}
