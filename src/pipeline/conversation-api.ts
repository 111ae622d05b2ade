/** Answers the questions of the HTTP API from the store. */
import type { ConversationApi } from '../report/http-server.ts';
import { toReportJson } from '../report/evaluation-json.ts';
import type { ConversationRow, StoreReader } from '../store/store-reader.ts';

export function conversationApi(reader: StoreReader): ConversationApi {
  return {
    list: (query) => {
      const { rows, next } = reader.listPage(query);
      return {
        conversations: rows.map((row) => ({
          ...describe(row),
          evaluations: reader.evaluations(row, { revisions: 'last' }).map((evaluation) => ({
            suite: evaluation.suite,
            ...(evaluation.turnId === undefined ? {} : { turn_id: evaluation.turnId }),
            score: evaluation.score === undefined ? null : evaluation.score / 1_000_000,
            outcome: evaluation.outcome,
            explanation: evaluation.explanation,
          })),
        })),
        next: next ?? null,
      };
    },
    get: (id, options) => {
      const row = reader.find(id);
      if (row === undefined) return undefined;
      return { ...toReportJson(reader.evaluations(row, options)), conversation: describe(row) };
    },
  };
}

function describe(row: ConversationRow) {
  return {
    conversation_id: row.conversationId,
    agent: row.agent,
    agent_version: row.agentVersion,
    environment: row.environment,
    turns: row.turns,
    revision: row.revision,
    cause: row.cause ?? null,
    waiting_for: row.dueCause ?? null,
    unscored_because: row.unscoredBecause ?? null,
    updated_at: new Date(row.updatedAt).toISOString(),
  };
}
