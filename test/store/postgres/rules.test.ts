/** The rules of both stores as PostgreSQL is asked for them, without one: their statements, parameters and transactions. */
import { expect, test } from 'vitest';
import type { ConversationId } from '../../../src/model/ids.ts';
import { SAYING } from '../../../src/store/postgres/feedback.ts';
import { labelRows } from '../../../src/store/postgres/labels.ts';
import type { Link } from '../../../src/store/postgres/link.ts';
import { PostgresSql } from '../../../src/store/postgres/postgres-sql.ts';
import { questionRows } from '../../../src/store/postgres/questions.ts';
import { READING } from '../../../src/store/postgres/reading.ts';
import { reading } from '../../../src/store/rules/reader.ts';
import { writing } from '../../../src/store/rules/writer.ts';
import { sayEverything } from '../say-everything.ts';

interface Asked {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A link whose session answers each statement with one row, and notes what it was asked for. */
function linkThat(answer: (sql: string) => readonly object[]): { readonly link: Link; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const ask = async (sql: string, values: readonly unknown[] = []) => {
    asked.push({ sql: sql.replace(/\s+/g, ' ').trim(), values });
    return answer(sql);
  };
  const session = {
    rows: ({ sql }: { readonly sql: string }, values?: readonly unknown[]) => ask(sql, values),
    run: async ({ sql }: { readonly sql: string }, values?: readonly unknown[]) => (await ask(sql, values)).length,
    once: ask,
    cells: async (sql: string, values?: readonly unknown[]) => (await ask(sql, values)).map(Object.values),
  };
  const link = {
    use: async <T>(work: (one: typeof session) => Promise<T>) => work(session),
    within: async <T>(_: unknown, work: () => Promise<T>, { begin }: { readonly begin: string }) => {
      asked.push({ sql: begin, values: [] });
      try {
        const done = await work();
        asked.push({ sql: 'COMMIT', values: [] });
        return done;
      } catch (error) {
        asked.push({ sql: 'ROLLBACK', values: [] });
        throw error;
      }
    },
    close: async () => undefined,
  };
  // The cast holds because rules ask a link for nothing else.
  return { link: link as unknown as Link, asked };
}

const ROW = {
  ...{ id: 7, question: 7, key: Buffer.from('0a', 'hex'), judge: 'default', request: '{}', vote: '{}', minute: 1 },
  ...{ hourNanos: 0, dayNanos: 0, nanos: 1, ended: true, answered: false, waited: false, version: 1, snapshot: null },
  ...{ there: true, gone: false, known: false, count: 0, waiter: 7, payload: '{}', verdicts: '[]', suite: 's' },
  ...{ turn_id: '', suite_version: '1', revision: 1, conversation_id: 'c', body: '{}', at: 1, evaluation: 'e' },
  ...{ user_id: 'u', userId: 'u', name: 'n', day: 1, keys: Buffer.alloc(8), many: 1, has: true },
};

const NAMED = /\$(\d+)/g;

test('each statement of what people write has the parameters of PostgreSQL, and a value for each', async () => {
  const { link, asked } = linkThat((sql) => [sql.includes('id, body FROM feedback') ? { ...ROW, id: 'f' } : ROW]);
  const { truths, feedback: feedbackRows, ...others } = writing(new PostgresSql(SAYING, link));
  const store = { ...others, truths, feedbackRows, labels: labelRows(link), questions: questionRows(link) };

  await sayEverything(store, 'c' as ConversationId, 1);

  expect(asked.length).toBeGreaterThan(60);
  const wrong = asked.filter(({ sql, values }) => {
    const most = Math.max(0, ...[...sql.matchAll(NAMED)].map(([, number]) => Number(number)));
    return most !== values.length || /\?|json_each|temp\./.test(sql);
  });
  expect(wrong).toEqual([]);
});

test('money is reserved, and labels are put, under the lock that all instances share', async () => {
  const { link, asked } = linkThat(() => [ROW]);
  const limits = { hourNanos: 10, dayNanos: 10 };

  await questionRows(link).reserve({ key: '0a', nanos: 1, at: 0, limits });
  await writing(new PostgresSql(SAYING, link)).readings.put([]);

  expect(asked[0]?.sql).toMatch(/^BEGIN; SELECT pg_advisory_xact_lock\(.* spending'\)\)$/);
  expect(asked.at(-2)?.sql).toMatch(/^BEGIN; SELECT pg_advisory_xact_lock\(.* labels'\)\)$/);
});

test('a conversation is asked for again behind the commit of its truth, also where the truth was known', async () => {
  const { link, asked } = linkThat(() => []);

  expect(await writing(new PostgresSql(SAYING, link)).truths.put('c', { right: true })).toBe(false);

  expect(asked.map(({ sql }) => sql.split(' ').slice(0, 3).join(' '))).toEqual([
    'BEGIN',
    'INSERT INTO truths',
    'COMMIT',
    'INSERT INTO revisits',
  ]);
});

test('a rule that a statement fails goes no further, and its transaction is rolled back', async () => {
  const { link, asked } = linkThat((sql) => {
    if (sql.startsWith('INSERT INTO truths')) throw new Error('no room');
    return [];
  });

  await expect(writing(new PostgresSql(SAYING, link)).truths.put('c', 1)).rejects.toThrow('no room');

  expect(asked.map(({ sql }) => sql).at(-1)).toBe('ROLLBACK');
});

test('a scan fetches pages from a cursor until one is not full, and text is read as it was written', async () => {
  let fetched = 0;
  const row = [1, 2, '', '1 \uE0A50', 1, null, 0, '{}', null, null, 5, null, ...Array(8).fill(null)];
  const { link, asked } = linkThat((sql) => {
    if (!sql.startsWith('FETCH')) return [];
    fetched += 1;
    return Array.from({ length: fetched === 1 ? 1_000 : 3 }, () => ({ ...row }));
  });

  const pages = reading(new PostgresSql(READING, link)).scanEvaluations({ suiteKey: 's \0', limit: 5_000 });
  const sizes: number[] = [];
  for await (const page of pages) {
    sizes.push(page.length);
    expect(page[0]?.suiteVersion).toBe('1 \0');
  }

  expect(sizes).toEqual([1_000, 3]);
  const declared = asked.find(({ sql }) => sql.startsWith('DECLARE'));
  expect(declared?.values).toEqual(['s \uE0A50']);
  expect(declared?.sql).toMatch(/ORDER BY e\.id DESC LIMIT 5000\) e ORDER BY e\.id$/);
  expect(asked.at(-1)?.sql).toBe('COMMIT');
});
