/**
 * Reads an ATIF trajectory. A step of the user begins a turn. Steps that were copied from an earlier trajectory are left
 * out, and so are trajectories of sub-agents: of them the result is read that the agent was given.
 */
import { z } from 'zod';
import type { Json } from '../model/json.ts';
import { type AtifContent, type AtifStep, type AtifToolCall, trajectory } from './atif.ts';
import {
  CONVERSATION_FORMAT,
  type PlainConversation,
  type PlainModelCall,
  type PlainToolCall,
  type PlainTurn,
} from './plain-conversation.ts';

/** Throws where it is no trajectory, and says what is wrong with it. `id` is for one that names no run. */
export function fromAtif(value: unknown, id: string): PlainConversation {
  const parsed = trajectory.safeParse(value);
  if (!parsed.success) throw new Error(`no ATIF trajectory: ${z.prettifyError(parsed.error)}`);
  const { agent, extra, session_id: run, trajectory_id: own } = parsed.data;
  const steps = parsed.data.steps.filter(({ is_copied_context: isCopied }) => isCopied !== true);
  const turns = turnsIn(steps).map((members) => turnOf(members, agent.model_name ?? null));
  const first = steps.findIndex(({ source }) => source !== 'system');
  const instructions = steps.slice(0, first === -1 ? steps.length : first).map(({ message }) => textIn(message));
  return {
    format: CONVERSATION_FORMAT,
    conversation_id: run ?? own ?? id,
    agent: known(agent.name),
    agent_version: known(agent.version),
    environment: extra?.environment ?? null,
    user_id: extra?.user_id ?? null,
    instructions: instructions.length === 0 ? null : instructions.join('\n\n'),
    state: extra?.state ?? null,
    truth: extra?.truth ?? null,
    turns,
    // Sums of the turns are made from the calls.
    ...{ tokens: null, cost_usd: null },
    started_at: turns[0]?.started_at ?? null,
    ended_at: turns.at(-1)?.ended_at ?? null,
  };
}

function turnsIn(steps: readonly AtifStep[]): readonly (readonly AtifStep[])[] {
  const turns: AtifStep[][] = [];
  for (const step of steps) {
    if (step.source === 'system') continue;
    const current = turns.at(-1);
    const isNext = step.source === 'user' && current?.some(({ source }) => source === 'agent');
    if (current === undefined || isNext === true || step.extra?.turn !== undefined) turns.push([step]);
    else current.push(step);
  }
  return turns;
}

function turnOf(steps: readonly AtifStep[], usualModel: string | null): PlainTurn {
  const users = steps.filter(({ source }) => source === 'user');
  const agents = steps.filter(({ source }) => source === 'agent');
  const about = steps[0]?.extra?.turn;
  const calls: PlainModelCall[] = [];
  const tools: PlainToolCall[] = [];
  for (const step of agents) {
    const isModelCall = step.llm_call_count !== 0;
    tools.push(...toolCallsOf(step, isModelCall ? calls.length : null));
    if (isModelCall) calls.push(modelCallOf(step, usualModel));
  }
  const last = agents.findLast(({ extra }) => extra?.main !== false);
  const answer = last === undefined || (last.tool_calls ?? []).length > 0 ? '' : textIn(last.message);
  return {
    trace_id: null,
    user_input: users.length === 0 ? null : users.map(({ message }) => textIn(message)).join('\n\n'),
    final_answer: answer === '' ? null : answer,
    ...{ model_calls: calls, tool_calls: tools, tokens: null, cost_usd: null },
    error: about?.error ?? null,
    flags: about?.flags ?? [],
    started_at: steps[0]?.timestamp ?? null,
    ended_at: steps.at(-1)?.timestamp ?? null,
  };
}

function modelCallOf(step: AtifStep, usualModel: string | null): PlainModelCall {
  const { metrics, extra } = step;
  const said = textIn(step.message);
  const tokens = {
    input: metrics?.prompt_tokens ?? 0,
    output: metrics?.completion_tokens ?? 0,
    cached_input: metrics?.cached_tokens ?? 0,
    reasoning: metrics?.extra?.reasoning_tokens ?? 0,
  };
  return {
    span_id: null,
    agent: extra?.agent ?? null,
    main: extra?.main !== false,
    model: step.model_name ?? usualModel,
    text: said === '' ? null : said,
    reasoning: step.reasoning_content ?? null,
    finish_reason: extra?.finish_reason ?? null,
    tokens: (metrics?.prompt_tokens ?? metrics?.completion_tokens ?? null) === null ? null : tokens,
    cost_usd: metrics?.cost_usd ?? null,
    error: extra?.error ?? null,
    ...{ started_at: step.timestamp ?? null, ended_at: null },
  };
}

/** A result without an id belongs to the last call of its step: agents that type into a terminal see one screen. */
function toolCallsOf(step: AtifStep, askedBy: number | null): readonly PlainToolCall[] {
  const calls = step.tool_calls ?? [];
  const results = step.observation?.results ?? [];
  return calls.map((call: AtifToolCall, place): PlainToolCall => {
    const isLast = place === calls.length - 1;
    const own = results.filter(({ source_call_id: id }) => (id ?? undefined) === call.tool_call_id || (!id && isLast));
    const given = own.flatMap(({ content }) => (content === null || content === undefined ? [] : textIn(content)));
    const error = own.find(({ extra }) => extra?.error)?.extra?.error ?? null;
    return {
      id: call.extra?.id ?? call.tool_call_id,
      span_id: null,
      agent: call.extra?.agent ?? null,
      name: call.function_name,
      args: call.extra?.args ?? call.arguments,
      result: given.length === 0 || given.join('\n') === error?.message ? null : parsed(given.join('\n')),
      error,
      answered: results.length > 0 && (own.length > 0 || !results.some(({ source_call_id: id }) => id)),
      asked_by: askedBy,
      ...{ started_at: askedBy === null ? (step.timestamp ?? null) : null, ended_at: null },
    };
  });
}

function textIn(content: AtifContent): string {
  return typeof content === 'string' ? content : content.flatMap(({ text }) => text ?? []).join('\n');
}

/** The word that stands where the format demands a name and the spans have none. */
function known(name: string): string | null {
  return name === 'unknown' ? null : name;
}

function parsed(text: string): Json {
  try {
    // The cast is what JSON.parse gives.
    return JSON.parse(text) as Json;
  } catch {
    // Tools answer with texts as well.
    return text;
  }
}
