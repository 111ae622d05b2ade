/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor (versions 1.0 to 1.8; 1.7 is written): the fields that are read.
 * Steps of the user, the system and the agent follow one another. A step of the agent is a model call with its tool
 * calls, and an observation with their results. Facts that ATIF has no field for stand in `extra.assay`.
 */
import { z } from 'zod';
import type { Json } from '../model/json.ts';

const text = z.string().nullish();
const count = z.number().int().min(0).nullish();
const content = z.union([z.string(), z.array(z.object({ type: z.string(), text }))]);
const failure = z.object({ type: z.string(), message: z.string() }).nullish();
// The cast holds: it was parsed from JSON.
const any = z.unknown() as z.ZodType<Json>;
const json = any.optional();

/** Our own part of what other writers may use for theirs: not there unless it is as we write it. */
function ours<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .object({ assay: z.object(shape).partial() })
    .transform(({ assay }) => assay)
    .nullish()
    .catch(undefined);
}

const result = z.object({
  source_call_id: text,
  content: content.nullish(),
  extra: ours({ error: failure }),
});

const step = z.object({
  source: z.enum(['system', 'user', 'agent']),
  timestamp: text,
  model_name: text,
  message: content,
  reasoning_content: text,
  tool_calls: z
    .array(
      z.object({
        tool_call_id: z.string(),
        function_name: z.string(),
        arguments: z.record(z.string(), any),
        extra: ours({ id: text, agent: text, args: json }),
      }),
    )
    .nullish(),
  observation: z.object({ results: z.array(result) }).nullish(),
  metrics: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      cached_tokens: count,
      cost_usd: z.number().nullish(),
      extra: z.object({ reasoning_tokens: count }).nullish().catch(undefined),
    })
    .nullish(),
  is_copied_context: z.boolean().nullish(),
  llm_call_count: count,
  extra: ours({
    agent: text,
    main: z.boolean(),
    finish_reason: text,
    error: failure,
    /** The step begins a turn. */
    turn: z.object({ error: failure, flags: z.array(z.string()) }).partial(),
  }),
});

export const trajectory = z.object({
  schema_version: z.string().regex(/^ATIF-v1\.[0-8]$/, 'expected ATIF-v1.0 to ATIF-v1.8'),
  session_id: text,
  trajectory_id: text,
  agent: z.object({ name: z.string(), version: z.string(), model_name: text }),
  steps: z.array(step).min(1),
  extra: ours({ environment: text, user_id: text, state: json, truth: json }),
});

export type AtifStep = z.infer<typeof step>;
export type AtifToolCall = NonNullable<AtifStep['tool_calls']>[number];
export type AtifContent = z.infer<typeof content>;
