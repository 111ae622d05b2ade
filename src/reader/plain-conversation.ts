/**
 * A conversation as plain JSON, for programs of others. It is a promise of its own, whatever becomes of the types in
 * `model`: a later version adds fields, and one that changes or removes a field has another `format`. A value of null
 * means that the spans do not show it. docs/reference/conversation.schema.json is made from the schema here.
 */
import { z } from 'zod';
import type { Json } from '../model/json.ts';

export const CONVERSATION_FORMAT = 'assay.conversation/1';

// The cast holds: what is read here was parsed from JSON, or is JSON in the model.
const json = z.unknown().describe('Any JSON.') as z.ZodType<Json>;
const text = z.string().nullable();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const count = z.number().int().min(0);
const cost = z.number().nullable().describe('US dollars, as the spans say.');
const time = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC' }).nullable();
const failure = z.object({ type: z.string(), message: z.string() }).nullable();
const tokens = z
  .object({ input: count, output: count, cached_input: count, reasoning: count })
  .nullable()
  .describe('Cached and reasoning tokens are parts of the input and the output.');

const modelCall = z.object({
  span_id: text,
  agent: text.describe('The agent that made the call.'),
  main: z.boolean().describe('Whether it speaks for the agent, rather than for a sub-agent, a guardrail or a tool.'),
  model: text,
  text: text.describe('Text that the model wrote, without its reasoning.'),
  reasoning: text,
  finish_reason: text,
  tokens,
  cost_usd: cost,
  error: failure,
  started_at: time,
  ended_at: time,
});

const toolCall = z.object({
  id: text.describe('As the model gave it. Models use one id for several calls.'),
  span_id: text.describe('null where no span shows the call, only what a model was told of it.'),
  agent: text,
  name: z.string(),
  args: json,
  result: json.describe('Any JSON; null where no result is known.'),
  error: failure,
  answered: z.boolean().describe('Whether a result, an error or a finished span shows that the call came to an end.'),
  asked_by: count.nullable().describe('Place in `model_calls` of the call that asked for it.'),
  started_at: time,
  ended_at: time,
});

const turn = z.object({
  trace_id: text,
  user_input: text,
  final_answer: text,
  model_calls: list(modelCall),
  tool_calls: list(toolCall),
  tokens,
  cost_usd: cost,
  error: failure.describe('The turn failed; not that a tool did.'),
  flags: list(z.string()).describe(
    'What is wrong with the spans, such as `truncated-json`, and doubts about the reading, such as `fragment`.',
  ),
  started_at: time,
  ended_at: time,
});

export const plainConversation = z
  .object({
    format: z.literal(CONVERSATION_FORMAT),
    conversation_id: z.string().describe('`trace:` and the id of a trace where no span names the conversation.'),
    agent: text,
    agent_version: text,
    environment: text,
    user_id: text,
    instructions: text.describe('The last instructions that a model got.'),
    state: json.describe('Any JSON: the final state that the application recorded; null where it did not.'),
    truth: json.describe('Any JSON: ground truth on the spans; null where there is none.'),
    turns: list(turn),
    tokens,
    cost_usd: cost,
    started_at: time,
    ended_at: time,
  })
  .meta({
    title: 'Conversation',
    description: 'A conversation that was read from spans. null: the spans do not show it.',
  });

export type PlainConversation = z.infer<typeof plainConversation>;
export type PlainTurn = z.infer<typeof turn>;
export type PlainModelCall = z.infer<typeof modelCall>;
export type PlainToolCall = z.infer<typeof toolCall>;
