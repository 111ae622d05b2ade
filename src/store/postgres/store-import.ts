/**
 * Takes in what another store held, some conversations in each transaction, with a note of how far it has come; so it
 * may be stopped and started again. Its totals are counted under the name of an instance of their own.
 *
 * A conversation that is here already, because it went on here in the meantime, is left as it is and said.
 */
import type { StoreCounts } from '../sqlite/store-export.ts';
import { namesOf } from '../column.ts';
import type { StoredLabel } from '../../model/labels.ts';
import type { CopiedRow, CopiedTable } from '../copied-tables.ts';
import type { StoredTotal } from '../conversation-reader.ts';
import type { HistoryRow } from '../history.ts';
import { CONVERSATION_COLUMNS } from '../conversation-columns.ts';
import type { WholeConversation, WholeTrace } from '../whole-conversation.ts';
import { lockKey } from './advisory-locks.ts';
import { BinaryRows } from './binary-copy.ts';
import { dayOf, makePartitionsOf } from './days.ts';
import { addEvaluation, EVALUATIONS } from './evaluation-copy.ts';
import { headParameters, headValues } from './head-columns.ts';
import { Link, type PostgresAddress } from './link.ts';
import { fromUuid, textKey } from './row-keys.ts';
import { migrate } from './schema.ts';
import type { Session } from './session.ts';
import { labelRows } from './labels.ts';
import { toStorable } from './storable-text.ts';
import { addArrival, addTrace, ARRIVALS, TRACES } from './trace-copy.ts';
import { writeWords } from './working-words.ts';
import { seriesKey, writeHistory } from './writing.ts';

const ID_BLOCK = 1024;

const LABELS_TOGETHER = 500;
const HISTORY_PER_STATEMENT = 5000;

export class StoreImport {
  readonly #link: Link;
  readonly #instance: number;

  private constructor(link: Link, instance: number) {
    this.#link = link;
    this.#instance = instance;
  }

  /** `name` is the instance's under which the totals will be. */
  static async open(address: PostgresAddress, name: string): Promise<StoreImport> {
    const link = new Link({ address, name: `${name} copy`, leaseMs: 600_000 });
    try {
      await migrate(link, address.schema);
      await link.use((session) =>
        session.once('INSERT INTO instances (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]),
      );
      const [row] = await link.use((session) =>
        session.once<{ id: number }>('SELECT id FROM instances WHERE name = $1', [name]),
      );
      if (row === undefined) throw new Error(`store: instance ${name} is not there`);
      return new StoreImport(link, row.id);
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  /** How far it had come, as a row of the other store; undefined where it has not begun. */
  async cameTo(): Promise<number | undefined> {
    const [row] = await this.#link.use((session) =>
      session.once<{ came_to: number }>('SELECT came_to FROM copies WHERE instance = $1', [this.#instance]),
    );
    return row?.came_to;
  }

  async hasConversations(): Promise<boolean> {
    const [row] = await this.#link.use((session) =>
      session.once<{ any: boolean }>('SELECT EXISTS (SELECT 1 FROM conversations) AS any'),
    );
    return row?.any === true;
  }

  /** Makes room for rows of those days. */
  async makeDays(first: number, last: number): Promise<void> {
    const days = Array.from({ length: dayOf(last) - dayOf(first) + 1 }, (_, index) => dayOf(first) + index);
    await makePartitionsOf(this.#link, days);
  }

  /** Copies missing rows and notes the progress, in one transaction. */
  async take(conversations: readonly WholeConversation[]): Promise<StoreCounts> {
    const last = conversations.at(-1);
    if (last === undefined) return { conversations: 0, traces: 0, evaluations: 0 };
    return this.#link.transaction(
      async (session) => {
        const heads = await makeHeads(session, conversations);
        const added = conversations.flatMap((whole) => {
          const head = heads.get(textKey(whole.id));
          return head === undefined ? [] : [{ head, whole }];
        });
        const taken = await writeRows(session, added);
        await session.once(
          `INSERT INTO copies (instance, came_to) VALUES ($1, $2)
           ON CONFLICT (instance) DO UPDATE SET came_to = greatest(copies.came_to, excluded.came_to)`,
          [this.#instance, last.row],
        );
        return taken;
      },
      // Two copies at once would take in some twice, and housekeeping is not to see half of it.
      { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('housekeeping')})` },
    );
  }

  async takeTotals(totals: readonly StoredTotal[]): Promise<void> {
    await this.#link.use((session) =>
      session.once(
        `INSERT INTO totals (instance, series, metric, labels, value)
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::float8[])
         ON CONFLICT (instance, series) DO UPDATE SET value = excluded.value`,
        [
          this.#instance,
          totals.map(({ metric, labels }) => seriesKey(metric, labels)),
          totals.map(({ metric }) => metric),
          totals.map(({ labels }) => toStorable(labels)),
          totals.map(({ value }) => value),
        ],
      ),
    );
  }

  async takeRows({ name, columns, keys }: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const cells = columns.map(({ type }, at) =>
      rows.map((row) => {
        const cell = row[at] ?? null;
        if (type === 'boolean') return cell === 1;
        return type === 'text' && typeof cell === 'string' ? toStorable(cell) : cell;
      }),
    );
    const placeOf = (text: string) => columns.findIndex((column) => column.name === text);
    const hashes = keys.map(([, text]) => rows.map((row) => textKey(String(row[placeOf(text)]))));
    const types = [...columns.map(({ type }) => (type === 'plain' ? 'text' : type)), ...keys.map(() => 'uuid')];
    await this.#link.use((session) =>
      session.once(
        `INSERT INTO ${name} (${[namesOf(columns), ...keys.map(([key]) => key)].join(', ')})
         SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')}) ON CONFLICT DO NOTHING`,
        [...cells, ...hashes],
      ),
    );
  }

  /** Existing rows are left unchanged. */
  async takeLabels(labels: readonly StoredLabel[]): Promise<void> {
    for (let from = 0; from < labels.length; from += LABELS_TOGETHER)
      await labelRows(this.#link).put(labels.slice(from, from + LABELS_TOGETHER));
  }

  async takeFirstTimes(times: readonly StoredTotal[]): Promise<void> {
    await this.#link.use((session) =>
      session.once(
        `INSERT INTO first_times (series, metric, labels, at) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::float8[])
         ON CONFLICT (series) DO UPDATE SET at = least(first_times.at, excluded.at)`,
        [
          times.map(({ metric, labels }) => seriesKey(metric, labels)),
          times.map(({ metric }) => metric),
          times.map(({ labels }) => toStorable(labels)),
          times.map(({ value }) => value),
        ],
      ),
    );
  }

  /** Words that are there already stay. */
  async takeWords(spoken: readonly { readonly id: string; readonly words: string }[]): Promise<void> {
    await this.#link.transaction((session) => writeWords(session, spoken));
  }

  /** Whole, however often: what this instance's name has there is replaced. */
  async takeHistory(rows: readonly HistoryRow[]): Promise<void> {
    await this.#link.transaction(async (session) => {
      await session.once('DELETE FROM history WHERE instance = $1', [this.#instance]);
      for (let at = 0; at < rows.length; at += HISTORY_PER_STATEMENT)
        await writeHistory(session, this.#instance, rows.slice(at, at + HISTORY_PER_STATEMENT));
    });
  }

  /** Rows of these conversations in the target, to compare with the source. */
  async countOf(conversations: readonly WholeConversation[]): Promise<StoreCounts> {
    const [row] = await this.#link.use((session) =>
      session.once<StoreCounts>(
        `WITH c AS MATERIALIZED (SELECT id FROM conversations WHERE key = ANY($1::uuid[]))
         SELECT (SELECT count(*) FROM c) AS conversations,
           (SELECT count(*) FROM traces WHERE conversation IN (SELECT id FROM c)) AS traces,
           (SELECT count(*) FROM evaluations WHERE conversation IN (SELECT id FROM c)) AS evaluations`,
        [conversations.map(({ id }) => textKey(id))],
      ),
    );
    return row ?? { conversations: 0, traces: 0, evaluations: 0 };
  }
}

/** The numbers of those that were not here, by key. In the order in which they come, so that the newest are listed first here too. */
async function makeHeads(
  session: Session,
  conversations: readonly WholeConversation[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.rows<{ key: string; id: number }>(ADD_HEADS, [
    conversations.map(({ id }) => textKey(id)),
    conversations.map(({ id }) => toStorable(id)),
    conversations.map((whole) => firstDayOf(whole)),
    conversations.map(({ traces }) => traces[0]?.traceId ?? null),
    ...headValues(conversations),
  ]);
  return new Map(rows.map(({ key, id }) => [fromUuid(key), id]));
}

async function writeRows(
  session: Session,
  added: readonly { readonly head: number; readonly whole: WholeConversation }[],
): Promise<StoreCounts> {
  const arrivals = new BinaryRows();
  const traces = new BinaryRows();
  const evaluations = new BinaryRows();
  const keys = new BinaryRows();
  const evidence = new BinaryRows();
  const count = added.reduce((sum, { whole }) => sum + whole.traces.length, 0);
  const ids = await arrivalIds(session, count);
  for (const { head, whole } of added) {
    const firstClosed = firstClosedAtOf(whole.traces);
    for (const [index, trace] of whole.traces.entries()) {
      const id = ids.pop() ?? 0;
      const day = dayOf(trace.storedAt);
      const { content, closedAt } = trace;
      // From no lane.
      addArrival(arrivals, { ...trace, day, id, head, lane: 0, positions: '{}', keys: undefined });
      const filed = { day, arrival: id, position: 0, firstClosedAt: firstClosed[index] ?? closedAt };
      addTrace(traces, { ...trace, ...filed }, { head, bytes: content.traces.length, ownContent: undefined });
    }
    for (const { traceId, ...kept } of whole.evaluations) {
      addEvaluation(evaluations, kept, { day: dayOf(kept.createdAt), head, traceId });
    }
    if (whole.has.length + whole.wants.length === 0) continue;
    keys.row(3).int8(head).bytes(Buffer.concat(whole.has)).bytes(Buffer.concat(whole.wants));
    for (const [wanted, hashes] of [
      [false, whole.has],
      [true, whole.wants],
    ] as const) {
      // The beginning of the hash is what lanes file of a key.
      for (const hash of hashes) evidence.row(3).bytes(hash.subarray(0, 8)).bool(wanted).int8(head);
    }
  }
  await session.copy(ARRIVALS, arrivals);
  await session.copy(TRACES, traces);
  await session.copy(EVALUATIONS, evaluations);
  await session.copy('conversation_keys (conversation, has, wants)', keys);
  await session.copy('evidence (key, wanted, conversation)', evidence);
  return { conversations: added.length, traces: traces.rows, evaluations: evaluations.rows };
}

async function arrivalIds(session: Session, count: number): Promise<number[]> {
  const blocks = await session.once<{ id: number }>(
    `SELECT nextval('arrival_ids') AS id FROM generate_series(1, $1::int)`,
    [Math.ceil(count / ID_BLOCK)],
  );
  return blocks.flatMap(({ id }) => Array.from({ length: ID_BLOCK }, (_, offset) => id + offset)).toReversed();
}

/** A trace that was revised closed for the first time no later than those that came after it. */
function firstClosedAtOf(traces: readonly WholeTrace[]): readonly number[] {
  const times = traces.map(({ closedAt }) => closedAt);
  for (let index = times.length - 2; index >= 0; index -= 1) {
    times[index] = Math.min(times[index] ?? 0, times[index + 1] ?? 0);
  }
  return times;
}

function firstDayOf({ traces, evaluations, updatedAt }: WholeConversation): number {
  const times = [...traces.map(({ storedAt }) => storedAt), ...evaluations.map(({ createdAt }) => createdAt)];
  return dayOf(times.reduce((least, time) => Math.min(least, time), updatedAt));
}

const ADDED_NAMES = `key, conversation_id, first_day, first_trace, ${namesOf(CONVERSATION_COLUMNS)}`;
const ADD_HEADS = {
  name: 'import-heads',
  sql: `INSERT INTO conversations (${ADDED_NAMES}) SELECT ${ADDED_NAMES}
    FROM unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[], ${headParameters(5)}) WITH ORDINALITY AS n (${ADDED_NAMES}, place)
    ORDER BY place ON CONFLICT (key) DO NOTHING RETURNING key, id`,
};
