/** Trajectories that are written, compared with the rules of Harbor's own models. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readConversations } from '../../src/reader/read-conversations.ts';
import { toAtif } from '../../src/reader/to-atif.ts';
import { filesOf, recordedRuns } from '../normalize/recorded/compare.ts';

/** The rules of Harbor's own models, of version 1.7: no other fields, and fields of agents on steps of agents alone. */
const extra = z.record(z.string(), z.unknown()).optional();
const agentStep = z.strictObject({
  step_id: z.int().min(1),
  timestamp: z.iso.datetime().optional(),
  source: z.literal('agent'),
  message: z.string(),
  model_name: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z
    .array(
      z.strictObject({
        tool_call_id: z.string(),
        function_name: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        extra,
      }),
    )
    .optional(),
  observation: z
    .strictObject({
      results: z.array(z.strictObject({ source_call_id: z.string(), content: z.string().optional(), extra })),
    })
    .optional(),
  metrics: z
    .strictObject({
      prompt_tokens: z.int().optional(),
      completion_tokens: z.int().optional(),
      cached_tokens: z.int().optional(),
      cost_usd: z.number().optional(),
      extra,
    })
    .optional(),
  llm_call_count: z.int(),
  extra,
});
const otherStep = agentStep
  .pick({ step_id: true, timestamp: true, message: true, extra: true })
  .extend({ source: z.enum(['user', 'system']) });
const harbor = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string(),
  agent: z.strictObject({ name: z.string(), version: z.string() }),
  steps: z.array(z.union([agentStep, otherStep])).min(1),
  final_metrics: z.strictObject({
    total_prompt_tokens: z.int().optional(),
    total_completion_tokens: z.int().optional(),
    total_cached_tokens: z.int().optional(),
    total_cost_usd: z.number().optional(),
    total_steps: z.int(),
  }),
  extra,
});

test('every recorded export becomes a trajectory that Harbor takes', { timeout: 60_000 }, () => {
  for (const run of recordedRuns()) {
    for (const conversation of readConversations(filesOf(run).map((file) => readFileSync(file)))) {
      const { data, error } = harbor.safeParse(JSON.parse(JSON.stringify(toAtif(conversation))));
      expect(error, run).toBeUndefined();
      for (const [place, step] of (data?.steps ?? []).entries()) {
        expect(step.step_id).toBe(place + 1);
        if (step.source !== 'agent') continue;
        const ids = (step.tool_calls ?? []).map(({ tool_call_id: id }) => id);
        expect(new Set(ids).size, run).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining((step.observation?.results ?? []).map((one) => one.source_call_id)));
        if (step.llm_call_count === 0) expect([step.metrics, step.reasoning_content]).toEqual([undefined, undefined]);
      }
    }
  }
});
