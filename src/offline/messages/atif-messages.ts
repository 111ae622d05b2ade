/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor (versions 1.0 to 1.8), as a conversation of messages. A step of
 * the agent is a model call with its tool calls, and an observation with their results. Steps that were copied from an
 * earlier trajectory are left out, and so are trajectories of sub-agents: of them the result that the agent was given.
 */
import { z } from 'zod';
import type { Json } from '../../model/json.ts';

const text = z.string().nullish();
const count = z.number().int().min(0).nullish();
const content = z.union([z.string(), z.array(z.object({ type: z.string(), text }))]);
// The cast holds: it was parsed from JSON.
const json = z.unknown() as z.ZodType<Json>;

const step = z.object({
  source: z.enum(['system', 'user', 'agent']),
  timestamp: text,
  model_name: text,
  message: content,
  reasoning_content: text,
  tool_calls: z.array(z.object({ tool_call_id: z.string(), function_name: z.string(), arguments: json })).nullish(),
  observation: z.object({ results: z.array(z.object({ source_call_id: text, content: content.nullish() })) }).nullish(),
  metrics: z
    .object({ prompt_tokens: count, completion_tokens: count, cached_tokens: count, cost_usd: z.number().nullish() })
    .nullish(),
  is_copied_context: z.boolean().nullish(),
});
type Step = z.infer<typeof step>;

const trajectory = z.object({
  schema_version: z.string().regex(/^ATIF-v1\.[0-8]$/, 'expected ATIF-v1.0 to ATIF-v1.8'),
  session_id: text,
  trajectory_id: text,
  agent: z.object({ name: z.string(), version: z.string(), model_name: text }),
  steps: z.array(step).min(1),
  /** Our own part of what other writers may use for theirs. */
  extra: z
    .object({ assay: z.object({ environment: text, user_id: text, state: json, truth: json }).partial() })
    .nullish()
    .catch(undefined),
});

/** Undefined where it does not say that it is ATIF. Throws where it is not as ATIF has it. */
export function messagesOfAtif(value: Json): { readonly [key: string]: Json } | undefined {
  const isAtif = typeof value === 'object' && value !== null && 'schema_version' in value;
  if (!isAtif || !String(value.schema_version).startsWith('ATIF')) return undefined;
  const parsed = trajectory.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`no ATIF trajectory: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { agent, extra, session_id: run, trajectory_id: own } = parsed.data;
  const steps = parsed.data.steps.filter(({ is_copied_context: isCopied }) => isCopied !== true);
  const { environment, user_id: user, state, truth } = extra?.assay ?? {};
  const fields = {
    conversation_id: run ?? own,
    ...{ agent: known(agent.name), version: known(agent.version), environment, state, truth },
    attributes: user === undefined || user === null ? undefined : { 'user.id': user },
    started_at: steps.find(({ timestamp }) => timestamp)?.timestamp,
    messages: steps.flatMap((one, at) => messagesOf(one, agent.model_name ?? undefined, steps[at - 1])),
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, one]) => (one === undefined || one === null ? [] : [[key, one]])),
  );
}

function messagesOf(one: Step, usualModel: string | undefined, before: Step | undefined): readonly Json[] {
  const said = textIn(one.message);
  if (one.source === 'system') return before === undefined ? [{ role: 'system', content: said }] : [];
  // An empty step of the user stands where the question was not recorded.
  if (one.source === 'user') return [{ role: 'user', content: said === '' ? null : said }];
  const { tool_calls: calls, observation, metrics } = one;
  const asked = (calls ?? []).map(({ tool_call_id: id, function_name: name, arguments: args }) => ({
    id,
    function: { name, arguments: args },
  }));
  const given = observation?.results ?? [];
  // Agents that type into a terminal see one screen, which names no call: it is the result of the last one.
  const last = asked.at(-1)?.id;
  const isScreen = given.length > 0 && given.every(({ source_call_id: id }) => (id ?? null) === null);
  const results = [
    ...(isScreen ? asked.slice(0, -1).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '' })) : []),
    ...given.flatMap(({ source_call_id: id, content: shown }) =>
      last === undefined ? [] : [{ role: 'tool', tool_call_id: id ?? last, content: textIn(shown ?? '') }],
    ),
  ];
  const facts = {
    model: one.model_name ?? usualModel ?? null,
    ...{ timestamp: one.timestamp ?? null, reasoning_content: one.reasoning_content ?? null },
    usage: metrics === null || metrics === undefined ? null : { ...metrics, cost_usd: metrics.cost_usd ?? null },
  };
  const message = { role: 'assistant', content: said, ...facts, ...(asked.length > 0 && { tool_calls: asked }) };
  // The cast holds: all of it is JSON.
  return [message, ...results] as readonly Json[];
}

function textIn(given: z.infer<typeof content>): string {
  return typeof given === 'string' ? given : given.flatMap(({ text: one }) => one ?? []).join('\n');
}

/** The word that stands where the format demands a name and the spans have none. */
function known(name: string): string | undefined {
  return name === 'unknown' ? undefined : name;
}
