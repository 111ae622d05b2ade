/** `GET /api/conversations` and `GET /api/conversations/{conversation}`: conversations and their evaluations, from the store. */
import { outcomesAmong } from '../../model/readings.ts';
import { z } from 'zod';
import { CURSOR } from '../../api/conversation-list.ts';
import { OUTCOMES } from '../../model/evaluation.ts';
import { jsonAnswer } from '../../report/http/answer.ts';
import { reading } from '../../report/http/route.ts';
import { outcomesJson, shadowsJson, toReportJson } from '../../report/documents/report-json.ts';
import {
  type ConversationQuery,
  type ConversationReader,
  type EvaluationSummary,
  searchFor,
} from '../../store/conversation-reader.ts';
import type { ConversationRow } from '../../store/conversation-row.ts';
import { placeOf } from '../../store/conversation-search.ts';
import { timeAsked } from '../../api/shapes.ts';
import { cursorOf, cursorText } from './v1/cursor-text.ts';
import { isoTime } from './v1/iso-time.ts';
import { noSuchConversation } from './v1/no-such-conversation.ts';

export interface ConversationApi {
  list(query: ConversationQuery): Promise<unknown>;
  /** Undefined where there is no such conversation. */
  get(id: string, options: { readonly revisions: 'last' | 'all' }): Promise<unknown>;
}

interface ConversationSide {
  readonly conversations: ConversationApi;
}

const listSchema = z
  .strictObject({
    outcome: z.enum(OUTCOMES).optional(),
    agent: z.string().optional(),
    agent_version: z.string().optional(),
    segment: z.string().optional(),
    suite: z.string().optional(),
    criterion: z.string().optional(),
    since: timeAsked.optional(),
    before: z.string().regex(CURSOR, 'expected `next` of a page').optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(50),
  })
  .transform(({ agent_version: agentVersion, before, ...query }) => ({
    ...query,
    agentVersion,
    cursor: before === undefined ? undefined : cursorOf(before),
  }));

export const listConversations = reading(listSchema, async (side: ConversationSide, query) =>
  jsonAnswer(200, await side.conversations.list(query)),
);

const getSchema = z.strictObject({ revisions: z.enum(['last', 'all']).default('last') });

export const getConversation = reading(getSchema, async (side: ConversationSide, query, parameters) => {
  const id = parameters.get('conversation') ?? '';
  const found = await side.conversations.get(id, query);
  return found === undefined ? noSuchConversation(id) : jsonAnswer(200, found);
});

type Reader = Pick<ConversationReader, 'summaries' | 'find' | 'evaluations' | 'readingsOf'> & {
  readonly pages: Pick<ConversationReader['pages'], 'search'>;
};

export function conversationApi(reader: Reader): ConversationApi {
  return {
    list: async (query) => {
      const { rows, next } = await reader.pages.search(searchFor(query));
      const summaries = await reader.summaries(rows);
      const listed = rows.map((row) => ({
        ...describe(row),
        evaluations: (summaries.get(row.row) ?? []).map(summary),
      }));
      return { conversations: listed, next: next === undefined ? null : cursorText(next) };
    },
    get: async (id, options) => {
      const row = await reader.find(id);
      if (row === undefined) return undefined;
      const report = toReportJson(await reader.evaluations(row, options));
      const inShadow = await reader.evaluations(row, { ...options, of: 'shadow' });
      const cameOfIt = outcomesJson(outcomesAmong(await reader.readingsOf(row)));
      return { ...report, ...shadowsJson(inShadow), ...cameOfIt, conversation: describe(row) };
    },
  };
}

function summary(evaluation: EvaluationSummary) {
  return {
    suite: evaluation.suite,
    ...(evaluation.turnId === undefined ? {} : { turn_id: evaluation.turnId }),
    score: evaluation.score === undefined ? null : evaluation.score / 1_000_000,
    outcome: evaluation.outcome,
    ...(evaluation.because !== undefined && { because: evaluation.because }),
    ...(evaluation.decidedShare !== undefined && { decided_share: evaluation.decidedShare / 1_000_000 }),
    ...(evaluation.about !== undefined && { about: evaluation.about }),
    explanation: evaluation.explanation,
    ...(evaluation.waitsFor === undefined ? {} : { waits_for: evaluation.waitsFor }),
  };
}

function describe(row: ConversationRow) {
  return {
    conversation_id: row.conversationId,
    agent: row.agent,
    agent_version: row.agentVersion,
    environment: row.environment,
    ...(row.segment === undefined ? {} : { segment: row.segment }),
    turns: row.turns,
    revision: row.revision,
    cause: row.cause ?? null,
    waiting_for: row.dueCause ?? null,
    unscored_because: row.unscoredBecause ?? null,
    began_at: isoTime(placeOf(row).at),
    updated_at: isoTime(row.updatedAt),
  };
}
