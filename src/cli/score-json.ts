/** Writes the output of `assay score --json`: what the evaluations say, and what else was read. */
import { toReportJson } from '../report/documents/report-json.ts';
import type { ScoredFiles } from './score-files.ts';

/** Without times, so that the same spans give the same bytes. */
export function toScoreJson(result: Omit<ScoredFiles, 'seconds'>) {
  const { summary, evaluations } = toReportJson(result.evaluations);
  const { records, rejected, turns, estimated, otherTraces, logsAlone, unmatched, withoutEnd, doubted } = result;
  const input = {
    ...{ records, rejected, turns },
    traces_without_agent: otherTraces,
    traces_of_logs_alone: logsAlone,
    conversations_unmatched: unmatched,
    turns_doubted: Object.fromEntries(doubted),
    turns_without_end: withoutEnd.map(({ conversation, sign, turns: count }) => ({
      ...{ conversation_id: conversation, sign, turns: count },
    })),
  };
  const { estimate, toRead = [] } = estimated ?? {};
  return { estimate, to_read: toRead, summary, input, evaluations };
}
