import { expect, test } from 'vitest';
import { type Books, compareBooks, compareWithProduced, totalsAgainstEvaluations } from './cluster-books.ts';
import type { Produced } from './cluster-producer.ts';
import { scrapeMismatches } from './scraped-totals.ts';

const OUTCOMES = ['good', 'bad'];
const TOTAL = { metric: 'assay_evaluations_total', labels: '{"suite":"default","outcome":"good"}', value: 2 };

const BOOKS: Books = {
  conversations: new Map(['a', 'b'].map((id) => [id, { turns: 1, revision: 1 }])),
  evaluations: new Map([
    ['a t1 default 1', 'good'],
    ['b t2 default 1', 'good'],
  ]),
  evaluatedTwice: [],
  traces: new Map([
    ['t1', [{ spans: 2, conversation: 'a' }]],
    ['t2', [{ spans: 3, conversation: 'b' }]],
  ]),
  totals: [TOTAL],
  lastOutcomes: new Map([['default 0', 2]]),
};

const PRODUCED: Produced = {
  conversations: 2,
  ids: new Set(['a', 'b']),
  spans: new Map([
    ['t1', 2],
    ['t2', 3],
  ]),
  ending: [],
  records: 5,
  resent: 0,
};

const quiet = () => {};

test('books that balance are said to', () => {
  expect(compareWithProduced(BOOKS, PRODUCED, quiet)).toEqual({
    lost_conversations: 0,
    lost_spans: 0,
    stored_twice: 0,
    unexpected: 0,
  });
  expect(totalsAgainstEvaluations(BOOKS, OUTCOMES, quiet)).toBe(0);
  expect(compareBooks(BOOKS, BOOKS, quiet)).toMatchObject({ evaluation_mismatches: 0, counter_mismatches: 0 });
});

const without = <T>(map: ReadonlyMap<string, T>, key: string) => new Map([...map].filter(([one]) => one !== key));

test.for([
  ['a conversation that is missing', { conversations: without(BOOKS.conversations, 'a') }, { lost_conversations: 1 }],
  ['a trace that is missing', { traces: without(BOOKS.traces, 't2') }, { lost_spans: 3 }],
  [
    'a span that is missing',
    { traces: new Map(BOOKS.traces).set('t2', [{ spans: 2, conversation: 'b' }]) },
    { lost_spans: 1 },
  ],
  [
    'a span that is there twice',
    { traces: new Map(BOOKS.traces).set('t2', [{ spans: 4, conversation: 'b' }]) },
    { stored_twice: 1 },
  ],
  [
    'a trace that is in two conversations',
    {
      traces: new Map(BOOKS.traces).set('t2', [
        { spans: 3, conversation: 'a' },
        { spans: 3, conversation: 'b' },
      ]),
    },
    { stored_twice: 1 },
  ],
  [
    'a trace of nobody',
    { traces: new Map(BOOKS.traces).set('t3', [{ spans: 1, conversation: 'a' }]) },
    { unexpected: 1 },
  ],
  ['an evaluation that is there twice', { evaluatedTwice: ['a t1 default 1'] }, { stored_twice: 1 }],
] as const)('%s is found', ([, change, found]) => {
  expect(compareWithProduced({ ...BOOKS, ...change }, PRODUCED, quiet)).toMatchObject(found);
});

test.each([
  ['assay_evaluation_score_sum', 0.5, 500_000],
  ['assay_evaluation_score_withdrawn_sum', 0.25, 250_000],
  ['assay_conversation_duration_seconds_withdrawn_sum', 0.25, 250],
  ['assay_evaluation_decided_share_sum', 0.25, 250_000],
  ['assay_evaluation_score_count', 3, 3],
  ['assay_conversations_unscored_total', 1, 1],
])('%s scraped as %d is %d in the store', (metric, scraped, value) => {
  const stored = [{ metric, labels: '{}', value }];

  expect(scrapeMismatches(new Map([[metric, scraped]]), stored, quiet)).toBe(0);
  expect(scrapeMismatches(new Map([[metric, scraped + 1]]), stored, quiet)).toBe(1);
});

test('one count too many is found, in the totals, against another run, and in what is scraped', () => {
  const books = { ...BOOKS, totals: [{ ...TOTAL, value: 3 }] };
  const scraped = (value: number) => new Map([['assay_evaluations_total{suite="default",outcome="good"}', value]]);

  expect(totalsAgainstEvaluations(books, OUTCOMES, quiet)).toBe(1);
  expect(compareBooks(books, BOOKS, quiet).counter_mismatches).toBe(1);
  expect(scrapeMismatches(scraped(2), [TOTAL], quiet)).toBe(0);
  expect(scrapeMismatches(scraped(3), [TOTAL], quiet)).toBe(1);
});

test('an evaluation that differs, is missing or is too many is found, with its conversation', () => {
  const books = {
    ...BOOKS,
    evaluations: new Map([
      ['a t1 default 1', 'bad'],
      ['b t2 default 2', 'good'],
    ]),
  };

  const { evaluation_mismatches, conversations } = compareBooks(books, BOOKS, quiet);

  expect(evaluation_mismatches).toBe(3);
  expect([...conversations].sort()).toEqual(['a', 'b']);
});
