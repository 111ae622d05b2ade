/** The list of conversations: its rows, its columns, the question that its address asks, and the views that are kept. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ConversationItem, ListedEvaluation } from '../../src/api/conversation-list.ts';
import { columnsOf } from '../../src/page/conversations/columns.tsx';
import { conversationFilters, listQueryOf } from '../../src/page/conversations/conversation-filters.tsx';
import { ConversationRow } from '../../src/page/conversations/conversation-row.tsx';
import { forgetView, keepView, keptViews, renameView } from '../../src/page/conversations/kept-views.ts';
import { wordFinder } from '../../src/model/word-forms.ts';
import type { Place } from '../../src/page/shell/place.ts';
import { countOf, markupOf, wordsOf } from './shown.tsx';

let kept: Map<string, string>;
beforeEach(() => {
  kept = new Map();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

const placeAt = (search: string): Place => ({
  view: 'conversations',
  conversation: undefined,
  query: new URLSearchParams(search),
});
const ONE = { agents: ['greeter'] };
const AT = '2026-11-27T10:00:00.000Z';

function item(changes: Partial<ConversationItem> = {}): ConversationItem {
  const agent = { agent: 'greeter', agent_version: 'v1', environment: 'live' };
  return {
    ...{ conversation_id: 'c-1', ...agent, began_at: AT, updated_at: AT, turns: 1, revision: 1 },
    ...{ state: 'scored', evaluations: [], asked: 'When?', answered: 'At nine.', ...changes },
  };
}

function listed(changes: Partial<ListedEvaluation> = {}): ListedEvaluation {
  return { suite: 'calls', score: 1, outcome: 'successful_completion', explanation: 'Fine.', failing: [], ...changes };
}

const row = (changes: Partial<ConversationItem>, suites: readonly string[] = [], search = '') => (
  <ConversationRow
    row={item(changes)}
    href="/conversations/c-1"
    isOpen={false}
    columns={columnsOf(placeAt(search), ONE)}
    suites={suites}
    onFocus={() => undefined}
  />
);

test('a row reads as a sentence: how it ended, what was asked, what was answered', () => {
  expect(wordsOf(row({ evaluations: [listed()], came_out: 'bad' }))).toMatch(/✕bad1\.00v1/);
  expect(wordsOf(row({ evaluations: [listed()] }))).toMatch(/^success.*When\?At nine\.1\.00v11 turn$/);
  expect(markupOf(row({ evaluations: [listed()] }))).toContain('class="row-link fine"');
});

test('words of a conversation that were not captured are said to be that, and hostile ones are text', () => {
  const { asked: _, ...without } = item();

  expect(wordsOf(<ConversationRow {...rowProps(without)} />)).toContain('the question was not captured');
  expect(countOf(row({ asked: '<img src=x>', answered: '<script>' }), /<(img|script)/)).toBe(0);
});

function rowProps(of: ConversationItem) {
  return { row: of, href: '/', isOpen: true, columns: [], suites: [], onFocus: () => undefined };
}

test('criteria that failed stand in the order of their weight, critical ones first, and few of them', () => {
  const failing = [
    { criterion: 'small', reason: 'r', lost: 0.1 },
    { criterion: 'large', reason: 'r', lost: 0.5 },
    { criterion: 'vital', reason: 'r', lost: 0, critical: true },
  ];
  const words = wordsOf(row({ evaluations: [listed({ outcome: 'hard_failure', score: 0, failing })] }));

  expect(words).toMatch(/vital: r.*large: rand 1 more/);
  expect(words).not.toContain('small');
});

test('a failure without a criterion has its explanation, in the words of the page', () => {
  const failed = listed({ outcome: 'hard_failure', explanation: 'No answer: hard_failure.' });

  expect(wordsOf(row({ evaluations: [failed] }))).toContain('No answer: hard failure.');
});

test.each([
  ['open', {}, 'still open'],
  ['waiting', { waiting_for: 'judge_of_tone' }, 'waits for a judge: judge of tone'],
  ['unscored', { unscored_because: 'no_suite' }, 'no score: no suite'],
] as const)('a conversation that is %s says so', (state, changes, words) => {
  expect(wordsOf(row({ state, ...changes }))).toContain(words);
});

test('of several suites the one that is asked for is shown, else the worst', () => {
  const evaluations = [listed(), listed({ suite: 'form', outcome: 'hard_failure', score: 0 })];

  expect(wordsOf(row({ evaluations }))).toMatch(/^hard failure/);
  expect(wordsOf(row({ evaluations }, ['calls']))).toMatch(/^success/);
  expect(wordsOf(row({ evaluations }, ['none']))).toMatch(/^hard failure/);
});

test('columns are those of the address, in their own order; names that are none are left out', () => {
  expect(columnsOf(placeAt(''), ONE)).toEqual(['came_out', 'score', 'version', 'turns', 'cost']);
  expect(columnsOf(placeAt('columns=cost,score,nonsense'), ONE)).toEqual(['score', 'cost']);
  expect(columnsOf(placeAt('columns=none'), ONE)).toEqual([]);
});

test('the agent is a column where the list may have several', () => {
  const two = { agents: ['greeter', 'writer'] };
  expect(columnsOf(placeAt(''), two)).toEqual(['came_out', 'score', 'agent', 'version', 'turns', 'cost']);
  expect(columnsOf(placeAt('agent=writer'), two)).not.toContain('agent');
  expect(columnsOf(placeAt('agent=writer&agent=greeter'), two)).toContain('agent');
  expect(columnsOf(placeAt('columns=score'), two)).toEqual(['score']);
});

test('words that are searched for are marked, and stand in sight', () => {
  const search = { words: 'refund', isFound: wordFinder('refund') };
  const answered = `${'Well. '.repeat(20)}It was refunded.`;
  const shown = <ConversationRow {...rowProps(item({ asked: 'A refund?', answered }))} search={search} />;

  expect(countOf(shown, /<mark>refund(ed)?<\/mark>/)).toBe(2);
  expect(wordsOf(shown)).toContain('… Well. Well. It was refunded.');
});

test('a figure that is not known leaves its column empty', () => {
  const all = 'columns=score,decided,suite,segment,duration,tokens,cost';

  expect(wordsOf(row({ asked: 'a', answered: 'b' }, [], all))).not.toMatch(/undefined|NaN|null/);
  expect(countOf(row({}, [], all), /<span class="row-\w+" title="[\w ]+"><\/span>/)).toBe(7);
});

test.each([
  ['outcome=failed', { outcome: ['graceful_failure', 'partial_failure', 'hard_failure'], score_below: [] }],
  ['outcome=failed_criterion', { outcome: [], score_below: ['1'] }],
  [
    'outcome=hard_failure&outcome=failed',
    { outcome: ['graceful_failure', 'partial_failure', 'hard_failure'], score_below: [] },
  ],
  ['outcome=handed_over', { outcome: ['handed_over'], score_below: [] }],
])('a choice of several outcomes asks the API for each: %s', (search, asked) => {
  const query = listQueryOf(placeAt(search));

  expect({ outcome: query.getAll('outcome').toSorted(), score_below: query.getAll('score_below') }).toEqual({
    ...asked,
    outcome: asked.outcome.toSorted(),
  });
});

test('a choice of real outcomes may be what the suites miss, which are two filters of the API', () => {
  expect(listQueryOf(placeAt('came_out=missed&agent=a')).toString()).toBe('came_out=bad&agent=a&called_fine=true');
  expect(listQueryOf(placeAt('came_out=unknown&called_fine=true')).toString()).toBe('came_out=unknown');
});

test('parameters of the page are no part of what the API is asked', () => {
  expect(listQueryOf(placeAt('agent=a&columns=cost&verdict=x&step=y&words=late')).toString()).toBe(
    'agent=a&words=late',
  );
});

test('a filter with nothing to choose between is left out, unless the address has one', () => {
  const facets = {
    conversations: 1,
    conversations_over: false,
    agents: ['a'],
    agent_versions: [],
    environments: [],
    segments: [],
    suites: ['s'],
  };
  const namesAt = (search: string) => conversationFilters(placeAt(search), facets).map(({ name }) => name);

  expect(namesAt('')).toEqual(['order', 'outcome', 'since', 'state', 'feedback', 'came_out', 'read']);
  expect(namesAt('suite=gone&agent=a')).toEqual([
    'order',
    'outcome',
    'agent',
    'suite',
    'since',
    'state',
    'feedback',
    'came_out',
    'read',
  ]);
});

test('a view is kept under its name, replaced, renamed and forgotten', () => {
  keepView({ name: 'failed', address: '/conversations?outcome=failed' });
  keepView({ name: 'all', address: '/conversations' });
  keepView({ name: 'failed', address: '/conversations?outcome=hard_failure' });

  expect(keptViews().map(({ name, address }) => `${name} ${address}`)).toEqual([
    'all /conversations',
    'failed /conversations?outcome=hard_failure',
  ]);
  expect(renameView('failed', 'all').map(({ name }) => name)).toEqual(['all']);
  expect(forgetView('all')).toEqual([]);
  expect(kept.size).toBe(0);
});

test.each([
  ['no JSON', '{'],
  ['no list', '{"name":"x"}'],
  ['an address of another place', '[{"name":"x","address":"https://evil.example/conversations"}]'],
  ['an address that only begins alike', '[{"name":"x","address":"/conversationsx"}]'],
  ['a script', '[{"name":"x","address":"javascript:alert(1)"}]'],
  ['no name', '[{"name":"","address":"/conversations"}]'],
  ['a name that is too long', JSON.stringify([{ name: 'x'.repeat(61), address: '/conversations' }])],
  ['nothing of ours', '[null, 1, {}]'],
])('something else in the place of kept views is no view: %s', (_, text) => {
  kept.set('assay.views', text);

  expect(keptViews()).toEqual([]);
});

test('of too many views the oldest goes', () => {
  for (let index = 0; index < 52; index += 1) keepView({ name: `${index}`, address: '/conversations' });

  expect(keptViews()).toHaveLength(50);
  expect(keptViews()[0]?.name).toBe('2');
});
