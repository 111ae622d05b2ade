/**
 * Deletes conversations with all that is kept of them, in the transaction of the caller: those whose rows are in
 * `temp.dropped`. Running totals stay. Bytes in files of content are noted, to be overwritten after the commit.
 */
import type { SQLInputValue } from 'node:sqlite';
import { type DroppingDialect, dropConversations, forgetSaid } from '../rules/dropping.ts';
import type { Rule } from '../sql.ts';
import { DIALECT } from './dialect.ts';
import type { PrunedTraces, Reach } from './pruned-traces.ts';
import type { Traces } from './traces.ts';

/** The parts of a store that deleting needs. */
export interface DroppingStore {
  run(sql: string, ...values: SQLInputValue[]): number;
  inside<T>(rule: Rule<T>): T;
  readonly pruned: Pick<PrunedTraces, 'note'>;
  readonly traces: Pick<Traces, 'freeContentOf'>;
  readonly forgotten: { noteTraces(where: string): void };
  readonly said: { noteGone(ids: readonly string[], now: number): void };
  chosenIds(): readonly string[];
}

export const DROPPING: DroppingDialect = {
  ...DIALECT,
  isChosen: (column) => `${column} IN temp.dropped`,
  byKey: [],
  byNumber: ['open_words'],
  json: (column) => column,
};

/** By every criterion that there is, because the key begins with it: the names are found by searches, one after the other. */
const DROP_FAILED_VERDICTS = `
  WITH RECURSIVE criteria (name) AS (
    SELECT min(criterion) FROM failed_verdicts
    UNION ALL
    SELECT (SELECT min(f.criterion) FROM failed_verdicts f WHERE f.criterion > criteria.name) FROM criteria
    WHERE criteria.name IS NOT NULL
  )
  DELETE FROM failed_verdicts WHERE criterion IN (SELECT name FROM criteria WHERE name IS NOT NULL)
    AND evaluation IN (SELECT id FROM evaluations WHERE conversation IN temp.dropped)`;

export function chooseNone(store: DroppingStore): void {
  store.run('CREATE TEMP TABLE IF NOT EXISTS dropped (id INTEGER PRIMARY KEY)');
  store.run('DELETE FROM temp.dropped');
}

/** By retention. */
export function dropChosen(store: DroppingStore, reach: Reach): void {
  store.pruned.note('conversation IN temp.dropped', reach);
  store.said.noteGone(store.chosenIds(), Date.now());
  dropRows(store);
}

/** Because somebody asked for it: nothing that quotes them stays, and spans of their traces are dropped on arrival. */
export function forgetChosen(store: DroppingStore): void {
  store.forgotten.noteTraces('conversation IN temp.dropped');
  store.inside(forgetSaid(DROPPING, { conversations: store.chosenIds(), users: [] }));
  store.run('DELETE FROM postponed_turns WHERE trace IN (SELECT id FROM traces WHERE conversation IN temp.dropped)');
  dropRows(store);
}

function dropRows(store: DroppingStore): void {
  store.traces.freeContentOf('conversation IN temp.dropped');
  store.run('DELETE FROM traces WHERE conversation IN temp.dropped');
  store.run(DROP_FAILED_VERDICTS);
  store.run('DELETE FROM evaluations WHERE conversation IN temp.dropped');
  store.run('DELETE FROM spoken WHERE rowid IN temp.dropped');
  store.inside(dropConversations(DROPPING, []));
}
