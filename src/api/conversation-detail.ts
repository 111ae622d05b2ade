/** `GET /api/v1/conversations/{conversation...}`: one conversation with its transcript and all its evaluations. */
import { z } from 'zod';
import { COST_SOURCES } from '../model/cost.ts';
import { FINDINGS, UNDECIDED, VERDICTS } from '../model/evaluation.ts';
import { LABELS } from '../model/labels.ts';
import { READING_ANSWERS } from '../model/readings.ts';
import { STEP_KINDS } from '../model/step.ts';
import { DOUBTS } from '../model/turn.ts';
import { shownFeedback } from './feedback.ts';
import { conversationItem } from './conversation-list.ts';
import { about, because, count, ending, list, outcome, share, time, tokens } from './shapes.ts';

const json = z.unknown().meta({ description: 'any JSON' });

const provenance = z.strictObject({ field: z.string(), rule: z.string() });

const step = z.strictObject({
  step_id: z.string(),
  span_id: z.string().optional().meta({ description: 'absent for a tool call that has no span of its own' }),
  trace_id: z.string(),
  parent: z.string().optional().meta({ description: 'a step_id' }),
  kind: z.enum(STEP_KINDS),
  name: z.string(),
  agent: z.string().optional().meta({ description: 'who did it: the agent that it names, or the nearest around it' }),
  began_at: time,
  ended_at: time,
  status: z.enum(['ok', 'error']),
  says_failed: z.literal(true).optional().meta({ description: 'its status is ok, and its result says that it failed' }),
  error: z.string().optional(),
  arguments: json.optional(),
  result: json.optional(),
  input: z.string().optional(),
  output: z.string().optional(),
  thinking: z
    .string()
    .optional()
    .meta({ description: 'what a model thought before its output, where its span has it' }),
  model: z.string().optional(),
  tokens: tokens.optional(),
  cost_usd: z.number().min(0).optional(),
  dialect: z.string().optional().meta({ description: 'the instrumentation that wrote the span' }),
  cut: z
    .boolean()
    .optional()
    .meta({ description: 'a text is longer than is shown: GET /api/v1/text/{conversation} gives all of it' }),
  provenance: list(provenance)
    .optional()
    .meta({ description: 'the rule that decided each field; only with ?provenance=true' }),
});
export type TranscriptStepJson = z.infer<typeof step>;

export const turn = z.strictObject({
  turn_id: z.string(),
  trace_ids: list(z.string()),
  began_at: time,
  ended_at: time,
  ended: z.string().optional().meta({ description: 'why the turn was closed' }),
  asked: z.string(),
  answered: z.string(),
  attached: list(z.string())
    .optional()
    .meta({ description: 'pictures and files that the user sent with it: what they are, and their addresses' }),
  cut: z.boolean().optional(),
  error: z.string().optional(),
  doubts: list(z.strictObject({ doubt: z.enum(DOUBTS), what: z.string(), remedy: z.string() }))
    .optional()
    .meta({ description: 'signs that it was not read as it happened; absent where there is none' }),
  dialects: list(z.string()),
  steps: list(step),
});
export type TurnJson = z.infer<typeof turn>;

const gradedStep = z.strictObject({
  step: z.number().int(),
  tool: z.string(),
  score: z.number(),
  reason: z.string(),
  span_id: z.string().optional(),
  other_votes: list(z.strictObject({ score: z.number(), reason: z.string() })).optional(),
});

const verdict = z.strictObject({
  criterion: z.string(),
  verdict: z.enum(VERDICTS),
  reason: z.string(),
  evidence: list(z.string()).meta({ description: 'span ids, the first one shows it' }),
  weight: share
    .optional()
    .meta({ description: "of the suite's; absent, as question and critical, unless this version of the suite runs" }),
  critical: z.boolean().optional(),
  question: z.string().optional(),
  judged_by: z.strictObject({ judge: z.string(), version: z.string(), model: z.string().optional() }).optional(),
  undecided: z.enum(UNDECIDED).optional(),
  steps: list(gradedStep).optional(),
  sub_agents: list(z.string())
    .optional()
    .meta({ description: 'sub-agents whose spans are in the evidence; absent where there are none' }),
});
export type VerdictOfCriterion = z.infer<typeof verdict>;

export const fullEvaluation = z.strictObject({
  suite: z.string(),
  suite_version: z.string(),
  turn_id: z.string().optional(),
  revision: count,
  scope: z.enum(['conversation', 'turn']),
  score: share.nullable(),
  outcome,
  because: because.optional(),
  ending: ending.optional(),
  decided_share: share.optional(),
  about: about.optional(),
  explanation: z.string(),
  evaluated_at: time.optional(),
  shadow: z.boolean(),
  latest: z.boolean(),
  verdicts: list(verdict),
  findings: list(z.strictObject({ finding: z.enum(FINDINGS), reason: z.string(), evidence: list(z.string()) })),
  waits_for: list(z.string()).optional(),
});
export type FullEvaluation = z.infer<typeof fullEvaluation>;

const label = z.strictObject({
  label_id: z.string(),
  suite: z.string(),
  criterion: z.string(),
  label: z.enum(LABELS),
  by: z.string(),
  at: time,
  turn_id: z.string().optional(),
  note: z.string().optional(),
  seen: z
    .boolean()
    .optional()
    .meta({ description: 'true: the verdict was in sight when it was given, so it counts in no agreement' }),
});
export type LabelJson = z.infer<typeof label>;

const reading = z.strictObject({
  by: z.string(),
  source: z.enum(['person', 'agent']),
  answer: z.enum(READING_ANSWERS),
  at: time,
  first_wrong: z.string().optional().meta({ description: 'span id of the first step that went wrong' }),
  kind: z.string().optional().meta({ description: 'kind of failure, with the answer `bad` of a person' }),
  note: z.string().optional(),
});
export type ReadingOfConversation = z.infer<typeof reading>;

const subAgent = z
  .strictObject({
    name: z.string(),
    steps: count.meta({ description: 'model calls and tool calls' }),
    model_calls: count,
    tool_calls: count,
    errors: count.meta({ description: 'steps that failed; 1 where none did and the sub-agent itself failed' }),
    tokens: tokens.optional(),
    cost_usd: z.number().min(0).optional().meta({ description: 'absent where not all of it is known' }),
  })
  .meta({ description: "an agent of another name than the conversation's" });
export type SubAgentJson = z.infer<typeof subAgent>;

export const conversationDetailQuery = z.strictObject({ provenance: z.enum(['true', 'false']).default('false') });

export const conversationDetail = conversationItem.extend({
  turn_list: list(turn),
  sub_agents: list(subAgent).meta({
    description: 'in the order in which they began; those after the 16th are `other`',
  }),
  steps_left_out: count.meta({ description: 'steps beyond those that one answer holds' }),
  evaluations_full: list(fullEvaluation).meta({ description: 'every revision, live ones, then those in shadow' }),
  evaluations_left_out: count.meta({ description: 'the oldest revisions, beyond those that one answer holds' }),
  golden_suites: list(z.string()).meta({
    description: 'suites of its evaluations that have golden traces: GET /api/v1/golden-comparison/{conversation}',
  }),
  truth: json.optional(),
  cost: z
    .strictObject({
      usd: z.number().min(0).optional(),
      source: z.enum(COST_SOURCES),
      models_without_price: list(z.string()).meta({ description: "'' is a call that names no model" }),
    })
    .meta({ description: 'of the tokens of the agent, and where it comes from; `partly` is too little' }),
  feedback_list: list(shownFeedback).meta({ description: 'of its users, oldest first' }),
  outcomes: list(
    z.strictObject({ name: z.string(), good: z.boolean(), value: z.string().optional(), case: z.string().optional() }),
  ).meta({ description: 'what came of it in the world' }),
  readings: list(reading).meta({ description: 'how people and programs read it: whether it went well for its user' }),
  labels: list(label),
  content: z.enum(['whole', 'missing', 'damaged']),
  content_note: z.string().optional(),
});
export type ConversationDetail = z.infer<typeof conversationDetail>;

/** `GET /api/v1/text/{conversation...}`: one text of a transcript, whole or in parts. */
export const TEXT_FIELDS = [
  'asked',
  'answered',
  'arguments',
  'result',
  'input',
  'output',
  'thinking',
  'error',
] as const;
const TEXT_LENGTH_MAX = 8_000_000;
export const wholeTextQuery = z.strictObject({
  of: z.string().max(400).meta({ description: 'a step_id, or a turn_id for asked and answered' }),
  field: z.enum(TEXT_FIELDS),
  from: z.coerce.number().int().min(0).default(0).meta({ description: 'the first character (of UTF-16)' }),
  length: z.coerce.number().int().min(2).max(TEXT_LENGTH_MAX).default(TEXT_LENGTH_MAX),
});
export const wholeText = z.strictObject({
  from: count.meta({ description: 'one later than asked for where that is within a character' }),
  text: z.string(),
  characters: count.meta({ description: 'of the whole text' }),
  whole: z.boolean().meta({ description: 'false where this is a part of the text: go on with `from`' }),
});
export type WholeText = z.infer<typeof wholeText>;
