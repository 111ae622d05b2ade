/** Writes a conversation as an ATIF trajectory. Model calls of sub-agents stand among the others, named in `extra`. */
import type { Json } from '../model/json.ts';
import { answersElsewhere, exchangesOf, textOf } from './exchanges.ts';
import type { PlainConversation, PlainModelCall, PlainToolCall, PlainTurn } from './plain-conversation.ts';

type Fields = { readonly [name: string]: unknown };

const UNKNOWN = 'unknown';

/** ATIF-v1.7, as JSON. The agent's name and version, which it demands, are `unknown` where spans do not say them. */
export function toAtif(conversation: PlainConversation): Fields {
  const { agent, agent_version: version, environment, user_id, state, truth, tokens, turns } = conversation;
  const ids = new Map<string, number>();
  const instructions = { source: 'system', message: conversation.instructions };
  const steps = [
    ...(conversation.instructions === null ? [] : [instructions]),
    ...turns.flatMap((turn) => turnSteps(turn, ids)),
  ];
  return present({
    schema_version: 'ATIF-v1.7',
    session_id: conversation.conversation_id,
    agent: { name: agent ?? UNKNOWN, version: version ?? UNKNOWN },
    steps: steps.map((step, place) => ({ step_id: place + 1, ...step })),
    final_metrics: present({
      total_prompt_tokens: tokens?.input,
      total_completion_tokens: tokens?.output,
      total_cached_tokens: tokens?.cached_input,
      total_cost_usd: conversation.cost_usd,
      total_steps: steps.length,
    }),
    extra: ours({ environment, user_id, state, truth }),
  });
}

function turnSteps(turn: PlainTurn, ids: Map<string, number>): readonly Fields[] {
  const exchanges = exchangesOf(turn);
  const user = { source: 'user', timestamp: turn.started_at, message: turn.user_input };
  const answer = { source: 'agent', timestamp: turn.ended_at, message: turn.final_answer ?? '', llm_call_count: 0 };
  const steps = [
    ...(turn.user_input === null ? [] : [user]),
    ...exchanges.map(({ call, tools }) => agentStep(call, tools, ids)),
    ...(exchanges.length === 0 || answersElsewhere(turn) ? [answer] : []),
  ];
  const about = present({ error: turn.error, flags: turn.flags.length === 0 ? undefined : turn.flags });
  const isPlain = turn.user_input !== null && Object.keys(about).length === 0;
  return steps.map((step: Fields, place) =>
    present(place > 0 || isPlain ? step : { ...step, extra: { assay: { ...oursIn(step), turn: about } } }),
  );
}

function agentStep(
  call: PlainModelCall | undefined,
  tools: readonly PlainToolCall[],
  ids: Map<string, number>,
): Fields {
  const calls = tools.map((tool) => ({ tool, id: idFor(tool.id ?? tool.name, ids) }));
  const results = calls.flatMap(({ tool, id }) => (tool.answered ? [resultOf(tool, id)] : []));
  const { tokens } = call ?? {};
  const metrics = present({
    prompt_tokens: tokens?.input,
    completion_tokens: tokens?.output,
    cached_tokens: tokens?.cached_input,
    cost_usd: call?.cost_usd,
    extra: tokens && { reasoning_tokens: tokens.reasoning },
  });
  return {
    source: 'agent',
    timestamp: call?.started_at ?? tools[0]?.started_at,
    model_name: call?.model,
    message: call?.text ?? '',
    reasoning_content: call?.reasoning,
    tool_calls: calls.length === 0 ? undefined : calls.map(({ tool, id }) => toolCallOf(tool, id)),
    observation: results.length === 0 ? undefined : { results },
    metrics: Object.keys(metrics).length === 0 ? undefined : metrics,
    llm_call_count: call === undefined ? 0 : 1,
    extra:
      call &&
      ours({
        agent: call.agent,
        main: call.main ? undefined : false,
        finish_reason: call.finish_reason,
        error: call.error,
      }),
  };
}

function toolCallOf({ id: given, agent, name, args }: PlainToolCall, id: string): Fields {
  const isMapping = typeof args === 'object' && args !== null && !Array.isArray(args);
  return present({
    tool_call_id: id,
    function_name: name,
    // ATIF has mappings only. Others stand in `extra`, and are read from there.
    arguments: isMapping ? args : {},
    extra: ours({ id: given === id ? undefined : given, agent, args: isMapping ? undefined : args }),
  });
}

function resultOf({ result, error }: PlainToolCall, id: string): Fields {
  return present({
    source_call_id: id,
    content: result === null ? error?.message : textOf(result),
    extra: ours({ error }),
  });
}

/** ATIF's ids name one call; models and frameworks use one for several. */
function idFor(id: string, ids: Map<string, number>): string {
  const times = (ids.get(id) ?? 0) + 1;
  ids.set(id, times);
  return times === 1 ? id : `${id}#${times}`;
}

function ours(fields: { readonly [name: string]: Json | undefined }): Fields | undefined {
  const assay = present(fields);
  return Object.keys(assay).length === 0 ? undefined : { assay };
}

function oursIn({ extra }: Fields): Fields {
  return typeof extra === 'object' && extra !== null && 'assay' in extra ? (extra.assay as Fields) : {};
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
