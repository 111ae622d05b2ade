/** Asks the running service for conversations: what it says of them, and their spans. */
import { z } from 'zod';
import { readDueCause, readUnscoredCause } from '../model/causes.ts';
import { conversationDetail } from '../api/conversation-detail.ts';
import { shownFeedback } from '../api/feedback.ts';
import { fromEvaluationJson } from '../model/evaluation-json.ts';
import type { TraceSource } from '../normalize/normalize.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { ExplainedConversation } from './explained-conversation.ts';
import { ask, type AskedService, reading } from './running-service.ts';
import { safe } from './terminal.ts';

const NOT_FOUND = 404;
const NEWEST_SHOWN = 5;

const evaluations = z.array(z.unknown()).transform((list) => list.map(fromEvaluationJson));
const saidSchema = z.object({
  evaluations,
  shadow_evaluations: evaluations.optional(),
  came_of_it: z
    .array(
      z.object({ label: z.string(), good: z.boolean(), value: z.string().optional(), case: z.string().optional() }),
    )
    .default([]),
  conversation: z.object({
    conversation_id: z.string(),
    agent: z.string(),
    agent_version: z.string(),
    environment: z.string(),
    turns: z.number(),
    revision: z.number(),
    cause: z.string().nullable(),
    waiting_for: z.string().nullable(),
    unscored_because: z.string().nullable(),
  }),
});

const bytes = z.string().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const spansSchema = z.object({
  traces: z.array(z.object({ spans: bytes, log_records: bytes.nullable() })),
  traces_damaged: z.number().default(0),
});

/** A service of an earlier version has neither. */
const detailSchema = z.object({
  feedback_list: z.array(shownFeedback).default([]),
  cost: conversationDetail.shape.cost.optional(),
});

const listSchema = z.object({ conversations: z.array(z.object({ conversation_id: z.string() })) });

export async function conversationOfService(id: string, service: AskedService): Promise<ExplainedConversation> {
  const said = saidSchema.parse(await conversationNamed(id, service));
  const { conversation } = said;
  return {
    conversation: {
      // The cast is the brand: it is the service's own id.
      conversationId: conversation.conversation_id as ExplainedConversation['conversation']['conversationId'],
      agent: conversation.agent,
      agentVersion: conversation.agent_version,
      environment: conversation.environment,
      turns: conversation.turns,
      revision: conversation.revision,
      cause: conversation.cause === null ? undefined : readDueCause(conversation.cause),
      dueCause: conversation.waiting_for === null ? undefined : readDueCause(conversation.waiting_for),
      unscoredBecause:
        conversation.unscored_because === null ? undefined : readUnscoredCause(conversation.unscored_because),
    },
    evaluations: said.evaluations,
    inShadow: said.shadow_evaluations ?? [],
    outcomes: said.came_of_it.map(({ label, good, value, case: ofCase }) => ({
      label,
      isGood: good,
      value,
      case: ofCase,
    })),
    ...(await detailOf(conversation.conversation_id, service)),
    ...(await spansOf(conversation.conversation_id, service)),
  };
}

async function detailOf(
  id: string,
  { url, token }: AskedService,
): Promise<Pick<ExplainedConversation, 'feedback' | 'cost'>> {
  const asked = new URL(`/api/v1/conversations/${encodeURIComponent(id)}`, url);
  const { feedback_list, cost } = detailSchema.parse(await ask(asked, { ...reading(token), accept: NOT_FOUND }));
  return {
    feedback: feedback_list,
    cost: cost && { usd: cost.usd, source: cost.source, modelsWithoutPrice: cost.models_without_price },
  };
}

/**
 * Looks for a trace as well: agents without conversation ids have one trace a conversation, and people paste its id.
 */
async function conversationNamed(id: string, service: AskedService): Promise<unknown> {
  const { url, token } = service;
  const asked = (name: string) =>
    ask(new URL(`/api/conversations/${encodeURIComponent(name)}?revisions=all`, url), {
      ...reading(token),
      accept: NOT_FOUND,
    });
  const said = await asked(id);
  if (saidSchema.safeParse(said).success) return said;
  const ofTrace = await asked(`trace:${id}`);
  if (saidSchema.safeParse(ofTrace).success) return ofTrace;
  const newest = (await latestOfService(service, NEWEST_SHOWN)).map((one) => `  ${safe(one)}`);
  const known = newest.length === 0 ? 'The service has none yet.' : `The newest are:\n${newest.join('\n')}`;
  throw new CommandFailure(
    `${url} has no conversation ${safe(id)}: it never came, its turns are still open, or it is older than what is kept.\n${known}`,
    EXIT.input,
  );
}

/** The latest conversations, newest first. */
export async function latestOfService({ url, token }: AskedService, limit: number): Promise<readonly string[]> {
  const list = listSchema.parse(await ask(new URL(`/api/conversations?limit=${limit}`, url), reading(token)));
  return list.conversations.map(({ conversation_id }) => conversation_id);
}

export async function spansOfService(id: string, service: AskedService): Promise<readonly TraceSource[]> {
  return (await spansOf(id, service)).contents;
}

async function spansOf(
  id: string,
  { url, token }: AskedService,
): Promise<Pick<ExplainedConversation, 'contents' | 'damagedTraces'>> {
  const asked = new URL(`/api/v1/spans/${encodeURIComponent(id)}`, url);
  const answer = spansSchema.parse(await ask(asked, reading(token)));
  const contents = answer.traces.map(({ spans, log_records: logs }) => ({ traces: spans, logs: logs ?? undefined }));
  return { contents, damagedTraces: answer.traces_damaged };
}
