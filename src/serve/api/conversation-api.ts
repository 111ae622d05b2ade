/** Answers the questions of the HTTP API from the store. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { ConversationApi } from '../../report/http/http-server.ts';
import { shadowsJson, toReportJson } from '../../report/documents/report-json.ts';
import type { ConversationReader, ConversationRow } from '../../store/conversation-reader.ts';

export function conversationApi(reader: ConversationReader): ConversationApi {
  return {
    list: async (query) => {
      const { rows, next } = await reader.listPage(query);
      const listed = [];
      for (const row of rows) {
        const evaluations = await reader.evaluations(row, { revisions: 'last' });
        listed.push({ ...describe(row), evaluations: evaluations.map(summary) });
      }
      return { conversations: listed, next: next ?? null };
    },
    get: async (id, options) => {
      const row = await reader.find(id);
      if (row === undefined) return undefined;
      const report = toReportJson(await reader.evaluations(row, options));
      const inShadow = await reader.evaluations(row, { ...options, of: 'shadow' });
      return { ...report, ...shadowsJson(inShadow), conversation: describe(row) };
    },
  };
}

function summary(evaluation: Evaluation) {
  return {
    suite: evaluation.suite,
    ...(evaluation.turnId === undefined ? {} : { turn_id: evaluation.turnId }),
    score: evaluation.score === undefined ? null : evaluation.score / 1_000_000,
    outcome: evaluation.outcome,
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
    updated_at: new Date(row.updatedAt).toISOString(),
  };
}
