/** Writes a conversation as a trajectory of ATIF. Model calls of sub-agents stand among the others. */
import { answersElsewhere, exchangesOf } from './exchanges.ts';
import type { PlainConversation, PlainModelCall, PlainToolCall, PlainTurn } from './plain-conversation.ts';
import { resultOf } from './to-messages.ts';

type Fields = { readonly [name: string]: unknown };

const UNKNOWN = 'unknown';

/** ATIF-v1.7, as JSON. The agent's name and version, which it demands, are `unknown` where spans do not say them. */
export function toAtif(conversation: PlainConversation): Fields {
  const { agent, agent_version: version, environment, user_id, state, truth, tokens, instructions } = conversation;
  const ids = new Map<string, number>();
  const steps = [
    ...(instructions === null ? [] : [{ source: 'system', message: instructions }]),
    ...conversation.turns.flatMap((turn) => turnSteps(turn, ids)),
  ];
  const assay = present({ environment, user_id, state, truth });
  return present({
    schema_version: 'ATIF-v1.7',
    session_id: conversation.conversation_id,
    agent: { name: agent ?? UNKNOWN, version: version ?? UNKNOWN },
    steps: steps.map((step, place) => present({ step_id: place + 1, ...step })),
    final_metrics: present({
      total_prompt_tokens: tokens?.input,
      total_completion_tokens: tokens?.output,
      total_cached_tokens: tokens?.cached_input,
      total_cost_usd: conversation.cost_usd,
      total_steps: steps.length,
    }),
    extra: Object.keys(assay).length === 0 ? undefined : { assay },
  });
}

/** An empty step of the user begins a turn whose question was not recorded. */
function turnSteps(turn: PlainTurn, ids: Map<string, number>): readonly Fields[] {
  const exchanges = exchangesOf(turn);
  return [
    { source: 'user', timestamp: turn.started_at, message: turn.user_input ?? '' },
    ...exchanges.map(({ call, tools }) => agentStep(call, tools, ids)),
    ...(answersElsewhere(turn) ? [{ source: 'agent', message: turn.final_answer, llm_call_count: 0 }] : []),
  ];
}

function agentStep(
  call: PlainModelCall | undefined,
  tools: readonly PlainToolCall[],
  ids: Map<string, number>,
): Fields {
  const calls = tools.map((tool) => ({ tool, id: idFor(tool.id ?? tool.name, ids) }));
  const results = calls.flatMap(({ tool, id }) =>
    tool.answered ? [present({ source_call_id: id, content: resultOf(tool) })] : [],
  );
  const metrics = present({
    prompt_tokens: call?.tokens?.input,
    completion_tokens: call?.tokens?.output,
    cached_tokens: call?.tokens?.cached_input,
    cost_usd: call?.cost_usd,
  });
  return {
    source: 'agent',
    timestamp: call?.started_at ?? tools[0]?.started_at,
    model_name: call?.model,
    message: call?.text ?? '',
    reasoning_content: call?.reasoning,
    tool_calls:
      calls.length === 0
        ? undefined
        : calls.map(({ tool: { name, args }, id }) => ({
            tool_call_id: id,
            function_name: name,
            arguments: typeof args === 'object' && !Array.isArray(args) ? (args ?? {}) : { input: args },
          })),
    observation: results.length === 0 ? undefined : { results },
    metrics: Object.keys(metrics).length === 0 ? undefined : metrics,
    llm_call_count: call === undefined ? 0 : 1,
  };
}

/** ATIF's ids name one call; models and frameworks use one for several. */
function idFor(id: string, ids: Map<string, number>): string {
  const times = (ids.get(id) ?? 0) + 1;
  ids.set(id, times);
  return times === 1 ? id : `${id}#${times}`;
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
