/** All reads of a store, over the database that answers them: now or later. */
import { RecentPlaces } from '../recent-places.ts';
import type { ScanQuery } from '../evaluation-scan.ts';
import { bound, type Sql, type When } from '../sql.ts';
import { type EvaluationsDialect, evaluationsOf, readEvaluations, summaries } from './evaluations.ts';
import { labelled, labelsOf } from './labels.ts';
import { outcomeNames, outcomesNamed, readingsOf } from './readings.ts';
import { countedKinds, failedReadings, keptKinds } from './failures.ts';
import { certainSince, firstToRead, type FrameDialect, frameCounts, lessons, readByPeople } from './frame.ts';
import { judging } from './questions.ts';
import { allEvaluations, countedPlaces, feedbackOf, find, firstTimes } from './reads.ts';
import { fleetHistory, history, summedHistory, totals, truthOf } from './reads.ts';
import { answerOf, besideOf, conversationOf, lastScanned } from './scans.ts';
import { type ScanDialect, scanEvaluations, verdictsOf } from './scans.ts';
import { countAgents, countUpTo, type IndexedSearch, parts, search } from './search.ts';
import { factsOf } from './told-facts.ts';

type ReadDialect = EvaluationsDialect & IndexedSearch & ScanDialect & FrameDialect;

const READS = {
  ...{ find, evaluations: evaluationsOf, summaries, truthOf, feedbackOf, outcomeNames, readingsOf, labelled },
  ...{ besideOf, verdictsOf, conversationOf, answerOf, history, summedHistory, totals },
};
const FRAME = { certainSince, factsOf, frameCounts, firstToRead, lessons, readByPeople };
const PAGES = {
  fleetHistory,
  search,
  parts,
  evaluations: readEvaluations,
  lastScanned,
  labelsOf,
  countAgents,
  countUpTo,
  judging,
  firstTimes,
};

export function reading<W extends When>(sql: Sql<W, ReadDialect>) {
  const { dialect } = sql;
  const places = new RecentPlaces();
  return {
    ...bound(sql, READS),
    pages: {
      ...bound(sql, PAGES),
      countedPlaces: (of: { readonly width: number; readonly since: number }) =>
        places.of(of, (asked) => sql.run(countedPlaces(dialect, asked))),
    },
    frame: bound(sql, FRAME),
    failures: bound(sql, { countedKinds, failedReadings, keptKinds }),
    scanEvaluations: (query: ScanQuery) => sql.pages(scanEvaluations(dialect, query)),
    outcomesNamed: (label: string) => sql.pages(outcomesNamed(dialect, label)),
    pagesOfEvaluations: () => sql.pages(allEvaluations(dialect)),
  };
}

export type Reading<W extends When> = ReturnType<typeof reading<W>>;
