/** The contract of every store for the reads of `/api/v1`: what a search finds, page after page, and what is read of its finds. */
import { expect, onTestFinished, test } from 'vitest';
import { closeConversation } from '../../src/engine/conversation-closing.ts';
import { labelValue } from '../../src/model/agent-labels.ts';
import type { Outcome, Verdict } from '../../src/model/evaluation.ts';
import type { ConversationGlance } from '../../src/store/conversation-columns.ts';
import type { ConversationReader } from '../../src/store/conversation-reader.ts';
import type { ConversationSearch, SearchCursor } from '../../src/store/conversation-search.ts';
import type { LabelStore } from '../../src/store/label-store.ts';
import { COUNTED, evaluationOf, joinTurn, type StoreUnderTest, storeTurn } from './contract.ts';

export interface PageReadsUnderTest extends StoreUnderTest {
  readonly labels: LabelStore;
}

interface Filled {
  readonly id: string;
  /** Undefined for one that is not evaluated yet. */
  readonly outcome?: Outcome;
  readonly segment?: string;
  readonly glance?: ConversationGlance;
  readonly waits?: true;
  readonly decidedShare?: number;
}

/** Figures have its beginning. */
const LONG = 'Straße \u{1F6D2} '.repeat(20);

const FILLED: readonly Filled[] = [
  { id: 'c1', outcome: 'successful_completion', segment: 'gold', glance: { asked: 'Where is my ORDER?' } },
  { id: 'c2', outcome: 'hard_failure', segment: 'gold', decidedShare: 300_000 },
  { id: 'c3', outcome: 'partial_failure', glance: { answered: 'Straße 5, order sent \0' } },
  { id: 'c4', outcome: 'unscored', segment: LONG },
  { id: 'c5' },
  { id: 'c6', outcome: 'hard_failure', waits: true },
];

export function holdPageReadsToContract(name: string, open: () => Promise<PageReadsUnderTest>): void {
  async function filled(conversations: readonly Filled[] = FILLED): Promise<PageReadsUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    for (const [index, one] of conversations.entries()) await fill(under, one, index + 1);
    return under;
  }

  async function idsBy(reader: ConversationReader, search: Partial<ConversationSearch>): Promise<readonly string[]> {
    const { rows } = await reader.pages.search({ order: 'latest', limit: 50, ...search });
    return rows.map(({ conversationId }) => conversationId);
  }

  async function pagesOf(reader: ConversationReader, order: ConversationSearch['order'], limit: number) {
    const found: string[][] = [];
    let cursor: SearchCursor | undefined;
    let lookedAt = 0;
    do {
      const page = await reader.pages.search({ order, limit, cursor });
      found.push(page.rows.map(({ conversationId }) => conversationId));
      lookedAt += page.lookedAt;
      cursor = page.next;
    } while (cursor !== undefined);
    return { found, lookedAt };
  }

  test(`${name}: a search finds what meets all that is said, and one evaluation has to meet all that is said of it`, async () => {
    const under = await filled();
    await under.labels.put([
      {
        conversationId: 'c3',
        turnId: undefined,
        suite: 'pack',
        criterion: 'right',
        label: 'fail',
        by: 'ann',
        note: undefined,
      },
    ]);
    const reader = await under.reader();
    const rows: readonly (readonly [Partial<ConversationSearch>, readonly string[]])[] = [
      [{}, ['c6', 'c5', 'c4', 'c3', 'c2', 'c1']],
      [
        { agents: ['helper', 'other'], environments: ['test'], agentVersions: ['v1'] },
        ['c6', 'c5', 'c4', 'c3', 'c2', 'c1'],
      ],
      [{ agents: ["o'hara"] }, []],
      [{ segments: ['gold'] }, ['c2', 'c1']],
      [{ segments: [labelValue(LONG), 'gold'] }, ['c4', 'c2', 'c1']],
      [{ outcomes: ['hard_failure', 'partial_failure'] }, ['c6', 'c3', 'c2']],
      [{ outcomes: ['hard_failure'], segments: ['gold'], suites: ['pack'] }, ['c2']],
      [{ suites: ['other'] }, []],
      [{ failedCriteria: ['right', 'nothing'] }, ['c6', 'c4', 'c3', 'c2']],
      [{ failedCriteria: ['polite'] }, []],
      [{ failedCriteria: ['right'], outcomes: ['successful_completion'] }, []],
      [{ decidedBelow: 400_000 }, ['c2']],
      [{ states: ['open'] }, ['c5']],
      [{ states: ['waiting'] }, ['c6']],
      [{ states: ['unscored'] }, ['c4']],
      [{ states: ['scored', 'unscored'] }, ['c4', 'c3', 'c2', 'c1']],
      [{ isLabelled: true }, ['c3']],
      [{ isLabelled: false, states: ['scored'] }, ['c2', 'c1']],
      [{ words: ['order'] }, ['c3', 'c1']],
      [{ words: ['ORDER', 'Straße'] }, ['c3']],
      [{ words: ['c2'] }, ['c2']],
      [{ words: ["'; DROP TABLE conversations; --", '%'] }, []],
      [{ since: 1000, until: 6001 }, ['c6', 'c5', 'c4', 'c3', 'c2', 'c1']],
      [{ since: 2000, until: 4000 }, ['c3', 'c2']],
      [{ since: 2000, until: 4000, order: 'worst', outcomes: ['hard_failure', 'partial_failure'] }, ['c2', 'c3']],
      [{ since: Date.now() - 60_000 }, []],
      [{ until: 1000 }, []],
    ];
    for (const [search, ids] of rows) expect([search, await idsBy(reader, search)]).toEqual([search, ids]);
  });

  test(`${name}: pages follow one another to the end, each once, in either order`, async () => {
    const under = await filled();
    const reader = await under.reader();
    const latest = await pagesOf(reader, 'latest', 4);
    expect(latest.found.filter((page) => page.length > 0)).toEqual([
      ['c6', 'c5', 'c4', 'c3'],
      ['c2', 'c1'],
    ]);
    expect(latest.lookedAt).toBeGreaterThanOrEqual(FILLED.length);
    const worst = await pagesOf(reader, 'worst', 2);
    expect(worst.found.flat()).toEqual(['c6', 'c2', 'c3', 'c5', 'c4', 'c1']);
  });

  test(`${name}: the longest come first, page after page, and of equal ones the latest`, async () => {
    const under = await filled([
      { id: 'short', glance: { beganAtMs: 1000, ceasedAtMs: 1500 } },
      { id: 'long', glance: { beganAtMs: 2000, ceasedAtMs: 90_000_000_000 } },
      { id: 'wrong clock', glance: { beganAtMs: 3000, ceasedAtMs: 2000 } },
      { id: 'not known' },
    ]);
    const reader = await under.reader();

    expect((await pagesOf(reader, 'longest', 1)).found.flat()).toEqual(['long', 'short', 'not known', 'wrong clock']);
    expect((await pagesOf(reader, 'turns', 3)).found.flat()).toEqual(['not known', 'wrong clock', 'long', 'short']);
    for (const order of ['worst', 'turns', 'longest'] as const) {
      const cursor = { before: { at: 9e15, row: 9e14 }, last: { value: 9e14, at: 9e14, row: 9e14 } };
      expect((await reader.pages.search({ order, limit: 9, cursor })).rows).toHaveLength(4);
    }
  });

  test(`${name}: evaluations are read with their time and with what the conversation took; one that waits has neither`, async () => {
    const under = await filled();
    const reader = await under.reader();
    const { rows } = await reader.pages.search({ order: 'latest', limit: 10, outcomes: ['hard_failure'] });

    const read = await reader.pages.evaluations(rows, { revisions: 'all', of: 'live' });

    const [waiting, made] = rows.map(({ row }) => read.get(row) ?? []);
    expect(made).toMatchObject([
      {
        evaluation: { conversationId: 'c2', decidedShare: 300_000, because: 'right' },
        seen: { tokens: 90, costNanos: 2500 },
        isLast: true,
      },
    ]);
    expect(Math.abs(Date.now() - (made?.[0]?.madeAt ?? 0))).toBeLessThan(60_000);
    expect(waiting).toHaveLength(2);
    expect(waiting?.[1]).toMatchObject({
      evaluation: { waitsFor: ['polite'], because: 'right' },
      madeAt: undefined,
      seen: undefined,
    });
    const scanned = await reader.pages.lastScanned(rows, 'pack');
    expect(scanned.map(({ outcome, score, seen }) => [outcome, score, seen.tokens])).toEqual([
      ['hard_failure', 400_000, 90],
      ['hard_failure', 400_000, 90],
    ]);
    expect(await reader.pages.lastScanned(rows, 'shadow:pack')).toEqual([]);
    const inShadow = await reader.pages.evaluations(rows, { revisions: 'all', of: 'shadow' });
    expect([...inShadow.values()].flat()).toEqual([]);
  });

  test(`${name}: labels are read with their ids, the last ones of more than the limit`, async () => {
    const under = await filled();
    const label = {
      conversationId: 'c1',
      turnId: undefined,
      suite: 'pack',
      criterion: 'polite',
      by: 'ann',
      note: 'Nul \0',
    };
    await under.labels.put([{ ...label, label: 'pass' }]);
    await under.labels.put([{ ...label, label: 'fail' }]);
    const reader = await under.reader();
    const conversation = (await reader.find('c1')) ?? expect.unreachable();

    const labels = await reader.pages.labelsOf(conversation, 10);

    const { conversationId: _, ...said } = label;
    expect(labels).toMatchObject([
      { ...said, label: 'pass' },
      { ...said, label: 'fail' },
    ]);
    expect(new Set(labels.map(({ id }) => id)).size).toBe(2);
    expect(await reader.pages.labelsOf(conversation, 1)).toEqual(labels.slice(1));
  });

  test(`${name}: places are those under which anything is still counted, with their first and last stretch`, async () => {
    const under = await filled([]);
    const turn = { number: 99, conversation: 'c99', at: 1000 };
    const HOUR = 3_600_000;
    const said = { suite: 'pack', outcome: 'hard_failure', score: 1, decidedShare: undefined } as const;
    await under.transact({ turns: [turn], until: 1000 }, () => {
      storeTurn(under.store, turn, joinTurn(under.store, turn).row);
      const { history, totals } = under.store;
      history.count({ ...said, labels: COUNTED, at: HOUR });
      history.count({ ...said, labels: COUNTED, at: 5 * HOUR });
      history.count({ ...said, labels: { ...COUNTED, segment: 'a\0' }, at: 3 * HOUR });
      history.count({ ...said, labels: { ...COUNTED, agent: 'gone' }, at: 3 * HOUR });
      history.count({ ...said, labels: { ...COUNTED, agent: 'gone' }, at: 3 * HOUR }, -1);
      totals.earliest('seen', { agent: 'helper' }).note(70);
    });
    const reader = await under.reader();

    const places = await reader.pages.countedPlaces({ width: HOUR, since: HOUR });

    const place = { agent: 'helper', agentVersion: 'v1', environment: 'test' };
    expect(places.toSorted((a, b) => a.first - b.first)).toEqual([
      { ...place, segment: '', first: HOUR, last: 5 * HOUR },
      { ...place, segment: 'a\0', first: 3 * HOUR, last: 3 * HOUR },
    ]);
    expect(await reader.pages.countedPlaces({ width: HOUR, since: 6 * HOUR })).toEqual([]);
    expect(await reader.pages.firstTimes('seen')).toEqual([{ labels: '{"agent":"helper"}', at: 70 }]);
  });
}

async function fill(under: PageReadsUnderTest, one: Filled, number: number): Promise<void> {
  const turn = { number, conversation: one.id, at: 1000 * number };
  const { store } = under;
  await under.transact({ turns: [turn], until: turn.at }, () => {
    const { row } = joinTurn(store, turn, {
      dueNow: 'end_marker',
      ...(one.segment === undefined ? {} : { segment: one.segment }),
      ...(one.glance === undefined ? {} : { glance: one.glance }),
    });
    const trace = storeTurn(store, turn, row);
    if (one.outcome === undefined) return;
    const made = evaluationOf({ conversation: one.id, outcome: one.outcome });
    const seen = {
      at: turn.at,
      steps: 4,
      costNanos: 2500,
      tokens: 90,
      durationMs: 1200,
      beganAt: turn.at,
      userKey: 5,
      kindKey: undefined,
    };
    const place = { conversation: row, trace, labels: COUNTED, seen };
    const evaluation = { ...made, ...(one.decidedShare === undefined ? {} : { decidedShare: one.decidedShare }) };
    store.evaluations.insert(evaluation, place, () => undefined);
    if (one.waits === true) {
      const skipped: Verdict = { verdict: 'skipped', reason: 'Not yet.' };
      const verdicts = new Map([...made.verdicts, ['polite', skipped] as const]);
      store.waiting.put({
        evaluation: { ...made, revision: 2, verdicts, waitsFor: ['polite'] },
        place,
        counted: [],
        requests: [],
      });
    }
    closeConversation(store.conversations, row, {
      revision: 1,
      cause: 'end_marker',
      turns: 1,
      unscoredBecause: undefined,
    });
  });
}
