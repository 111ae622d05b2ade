/** Labels by people and the verdicts of judges beside them (label-store.ts). Rows are only ever added. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Evaluation } from '../../model/evaluation.ts';
import type { ConversationId } from '../../model/ids.ts';
import type { AskedOf, StoredLabel, StoredLabelKind } from '../../model/labels.ts';
import {
  JUDGED_TOTAL,
  judgedCountOf,
  decidedIn,
  type Labelled,
  type LabelLimits,
  type LabelStore,
  standingLabels,
} from '../label-store.ts';
import { toEvaluation } from './evaluation-row.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Statements } from './statements.ts';

export class LabelRows implements LabelStore {
  readonly #own: OwnTransaction;
  readonly #last: StatementSync;
  readonly #insert: StatementSync;
  readonly #note: StatementSync;
  readonly #hasLabels: StatementSync;
  readonly #evaluations: StatementSync;
  readonly #any: StatementSync;
  #hasAny: boolean | undefined;

  constructor(database: DatabaseSync, own: OwnTransaction) {
    this.#own = own;
    this.#last = database.prepare(
      `SELECT label, note FROM labels
       WHERE conversation_id = ? AND turn_id = ? AND suite = ? AND criterion = ? AND person = ? ORDER BY id DESC LIMIT 1`,
    );
    this.#insert = database.prepare(
      `INSERT INTO labels (conversation_id, turn_id, suite, criterion, person, label, note, put_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#note = database.prepare(
      `INSERT OR IGNORE INTO labelled_verdicts
         (conversation_id, turn_id, suite, criterion, judge_version, revision, judge, verdict, noted_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#hasLabels = database.prepare('SELECT EXISTS (SELECT 1 FROM labels WHERE conversation_id = ?) AS has');
    this.#evaluations = database.prepare(
      `SELECT e.* FROM evaluations e JOIN conversations c ON c.id = e.conversation WHERE c.conversation_id = ? AND e.suite NOT LIKE 'shadow:%' ORDER BY e.id`,
    );
    this.#any = database.prepare('SELECT EXISTS (SELECT 1 FROM labels) AS has');
  }

  put(labels: readonly StoredLabel[]): number {
    return this.#own('labels', () => this.#write(labels, Date.now()));
  }

  #write(labels: readonly StoredLabel[], now: number): number {
    const before = new Set<string>();
    let added = 0;
    for (const label of labels) {
      const { conversationId, turnId, suite, criterion, by, note } = label;
      const thing = [conversationId, turnId ?? '', suite, criterion, by];
      const last = this.#last.get(...thing);
      const isKnown =
        last === undefined ? label.label === 'withdrawn' : last.label === label.label && last.note === (note ?? null);
      if (isKnown) continue;
      if (!this.#isLabelled(conversationId)) before.add(conversationId);
      this.#insert.run(...thing, label.label, note ?? null, now);
      added += 1;
    }
    this.#hasAny = undefined;
    // The cast is the brand: conversations are found by it.
    for (const conversationId of before)
      for (const row of this.#evaluations.iterate(conversationId))
        this.#noteAll(toEvaluation(row, conversationId as ConversationId), now);
    return added;
  }

  /** An evaluation is stored. */
  note(evaluation: Evaluation, now: number): void {
    this.#hasAny ??= this.#any.get()?.has === 1;
    if (this.#hasAny && this.#isLabelled(evaluation.conversationId)) this.#noteAll(evaluation, now);
  }

  /** After a rollback. */
  discard(): void {
    this.#hasAny = undefined;
  }

  #noteAll(evaluation: Evaluation, now: number): void {
    for (const one of decidedIn(evaluation, now)) {
      const thing = [one.conversationId, one.turnId ?? '', one.suite, one.criterion];
      this.#note.run(...thing, one.judgeVersion, one.revision, one.judge, one.verdict, one.notedAt);
    }
  }

  #isLabelled(conversationId: string): boolean {
    return this.#hasLabels.get(conversationId)?.has === 1;
  }
}

export function readLabelled(statements: Statements, limits: LabelLimits, asked?: AskedOf): Labelled {
  const where = asked === undefined ? '' : 'WHERE suite = ? AND criterion = ?';
  const of = asked === undefined ? [] : [asked.suite, asked.criterion];
  const labels = statements
    .of(`SELECT * FROM labels ${where} ORDER BY id DESC LIMIT ?`)
    .all(...of, limits.labels)
    .map(toLabel)
    .reverse();
  const verdicts = statements
    .of(`SELECT * FROM labelled_verdicts ${where} ORDER BY noted_at DESC LIMIT ?`)
    .all(...of, limits.verdicts)
    .map((row) => ({
      ...thingOf(row),
      judge: String(row.judge),
      judgeVersion: String(row.judge_version),
      verdict: row.verdict === 'pass' ? ('pass' as const) : ('fail' as const),
      revision: Number(row.revision),
      notedAt: Number(row.noted_at),
    }));
  const judged = statements
    .of('SELECT labels, value FROM totals WHERE metric = ?')
    .all(JUDGED_TOTAL)
    .map((row) => judgedCountOf(String(row.labels), Number(row.value)))
    .filter((one) => asked === undefined || (one.suite === asked.suite && one.criterion === asked.criterion));
  return { labels: standingLabels(labels), verdicts, judged };
}

function toLabel(row: Record<string, unknown>): StoredLabel {
  return {
    ...thingOf(row),
    // The cast holds because `put` wrote it.
    label: String(row.label) as StoredLabelKind,
    by: String(row.person),
    note: typeof row.note === 'string' ? row.note : undefined,
  };
}

function thingOf(row: Record<string, unknown>) {
  return {
    conversationId: String(row.conversation_id),
    turnId: row.turn_id === '' ? undefined : String(row.turn_id),
    suite: String(row.suite),
    criterion: String(row.criterion),
  };
}
