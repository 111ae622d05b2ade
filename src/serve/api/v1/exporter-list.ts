/** `GET /api/v1/exporters`: what stored conversations show of exporters that Assay does not know. */
import { ConversationSource } from '../../../backtest/conversation-source.ts';
import { type ExporterList, exporterList, exportersQuery } from '../../../api/exporters.ts';
import { entryFor, noteExporters, type SeenExporter, SILENT_TURNS } from '../../../model/exporter-traffic.ts';
import { SHIPPED_LEDGER } from '../../../model/exporters.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** The thread that reads answers others only after this. */
const TIME_MS = 1_000;
const PAGE = 100;
const SHOWN_MAX = 100;

export const listExporters = v1Read({
  path: '/api/v1/exporters',
  summary: 'exporters that Assay does not know, and what the newest conversations show of them',
  query: exportersQuery,
  answer: exporterList,
  read: async ({ reader }: Pick<V1Side, 'reader'>): Promise<ExporterList> => {
    const seen = new Map<string, SeenExporter>();
    const turns = await readTurns(reader, seen);
    const exporters = [...seen.values()]
      .filter(({ scope }) => !SHIPPED_LEDGER.knows(scope))
      .sort((a, b) => b.turns - a.turns || (a.scope < b.scope ? -1 : 1));
    return {
      turns,
      exporters: exporters.slice(0, SHOWN_MAX).map((one) => {
        const entry = entryFor(one);
        return {
          scope: one.scope,
          turns: one.turns,
          turns_speaking_of_tools: one.speakingOfTools,
          turns_with_tools: one.withTools,
          turns_with_tool_errors: one.withToolErrors,
          ...(entry !== undefined && { entry }),
        };
      }),
    };
  },
});

/** Newest first, until enough turns are read for any answer, or the time is over. */
async function readTurns(reader: V1Side['reader'], seen: Map<string, SeenExporter>): Promise<number> {
  const source = new ConversationSource({ reader, idKeys: undefined, truth: undefined });
  const until = performance.now() + TIME_MS;
  let turns = 0;
  let page = await reader.pages.search({ order: 'latest', limit: PAGE });
  while (true) {
    for (const row of page.rows) {
      const found = await source.of(row);
      if (typeof found === 'string') continue;
      for (const turn of found.whole.turns) noteExporters(seen, turn);
      turns += found.whole.turns.length;
      if (turns >= 2 * SILENT_TURNS || performance.now() > until) return turns;
    }
    if (page.next === undefined) return turns;
    page = await reader.pages.search({ order: 'latest', limit: PAGE, cursor: page.next });
  }
}
