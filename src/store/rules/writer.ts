/** All that people and backends write beside the engine, over the database that keeps it: now or later. */
import { bound, type Sql, type When } from '../sql.ts';
import { ARCHIVE } from './archive.ts';
import { DETECTION } from './detection.ts';
import { changeKind, giveKinds } from './failures.ts';
import { putReadings, unknownConversations } from './readings.ts';
import { RESULTS } from './results.ts';
import { putFeedback, putTruth, type SaidDialect, storedFeedback } from './said.ts';

export function writing<W extends When>(sql: Sql<W, SaidDialect>) {
  return {
    readings: bound(sql, { put: putReadings, unknown: unknownConversations }),
    failures: bound(sql, { give: giveKinds, change: changeKind }),
    truths: bound(sql, { put: putTruth }),
    feedback: bound(sql, { put: putFeedback, stored: storedFeedback }),
    detection: bound(sql, DETECTION),
    results: bound(sql, RESULTS),
    archive: bound(sql, ARCHIVE),
  };
}

export type Writing<W extends When> = ReturnType<typeof writing<W>>;
