/**
 * Deletes conversations with all that is kept of them, in the transaction of the caller: those whose rows are in
 * `temp.dropped`. Running totals stay. Bytes in files of content are noted, to be overwritten after the commit.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { PrunedTraces, Reach } from './pruned-traces.ts';
import type { Traces } from './traces.ts';

/** The parts of a store that deleting needs. */
export interface DroppingStore {
  run(sql: string, ...values: SQLInputValue[]): number;
  readonly pruned: Pick<PrunedTraces, 'note'>;
  readonly traces: Pick<Traces, 'freeContentOf'>;
  readonly forgotten: { noteTraces(where: string): void };
  readonly said: { noteGone(ids: readonly string[], now: number): void };
  chosenIds(): readonly string[];
}

/** Tables of what somebody said of a conversation, by its id: it may be there before the conversation, and goes with it. */
export const SAID_FROM_OUTSIDE = ['truths', 'outcome_labels', 'feedback'];
/** The same, kept after retention has deleted the conversation, because judges are compared with it. */
const LABELS = ['labels', 'labelled_verdicts'];

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

/** A question that nobody else waits for; its answer would quote what is deleted. */
const ASKED_FOR_DROPPED = `
  SELECT question FROM asked_for WHERE conversation IN temp.dropped
    AND NOT EXISTS (SELECT 1 FROM judge_waits w WHERE w.question = asked_for.question)`;

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
  const ids = '(SELECT conversation_id FROM conversations WHERE id IN temp.dropped)';
  for (const table of LABELS) store.run(`DELETE FROM ${table} WHERE conversation_id IN ${ids}`);
  store.run(`DELETE FROM result_queue WHERE payload ->> '$.evaluation.conversation_id' IN ${ids}`);
  store.run('DELETE FROM postponed_turns WHERE trace IN (SELECT id FROM traces WHERE conversation IN temp.dropped)');
  store.run('DELETE FROM revisits WHERE conversation IN temp.dropped');
  dropRows(store);
}

function dropRows(store: DroppingStore): void {
  store.traces.freeContentOf('conversation IN temp.dropped');
  store.run('DELETE FROM traces WHERE conversation IN temp.dropped');
  store.run(DROP_FAILED_VERDICTS);
  store.run('DELETE FROM evaluations WHERE conversation IN temp.dropped');
  store.run(
    `DELETE FROM judge_waits WHERE waiter IN (
       SELECT id FROM waiting_evaluations WHERE conversation IN temp.dropped UNION ALL SELECT -id FROM temp.dropped)`,
  );
  store.run('DELETE FROM waiting_evaluations WHERE conversation IN temp.dropped');
  store.run(`DELETE FROM judge_votes WHERE question IN (${ASKED_FOR_DROPPED})`);
  store.run(`DELETE FROM questions WHERE id IN (${ASKED_FOR_DROPPED})`);
  store.run('DELETE FROM asked_for WHERE conversation IN temp.dropped');
  for (const table of SAID_FROM_OUTSIDE)
    store.run(
      `DELETE FROM ${table} WHERE conversation_id IN (SELECT conversation_id FROM conversations WHERE id IN temp.dropped)`,
    );
  store.run('DELETE FROM spoken WHERE rowid IN temp.dropped');
  store.run('DELETE FROM open_words WHERE conversation IN temp.dropped');
  store.run('DELETE FROM conversation_keys WHERE conversation IN temp.dropped');
  store.run('DELETE FROM conversations WHERE id IN temp.dropped');
}
