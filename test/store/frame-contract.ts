/** The contract of every store for the frame from which conversations are drawn to be read. */
import { expect, onTestFinished, test } from 'vitest';
import type { Outcome } from '../../src/model/evaluation.ts';
import { readingOf, type SaidReading } from '../../src/model/readings.ts';
import type { ConversationGlance } from '../../src/store/conversation-columns.ts';
import type { ConversationStore } from '../../src/store/engine-store.ts';
import { CHANCES } from '../../src/store/frame-columns.ts';
import type { ConversationSearch } from '../../src/store/conversation-search.ts';
import type { FrameReader } from '../../src/store/frame-reader.ts';
import { joinTurn, scoreAtOnce, type Turn } from './contract.ts';
import type { OutcomesUnderTest } from './readings-contract.ts';

const ASKED: ConversationGlance = { asked: 'Where is it?', answered: 'There.' };
const WINDOW = { agent: 'helper', since: 0, until: 10_000 };

function person(conversationId: string, more: Partial<SaidReading> = {}): SaidReading {
  return {
    ...{ conversationId, source: 'person', by: 'ana', answer: 'good', isCertain: false },
    ...{ value: undefined, case: undefined, firstWrong: undefined, note: undefined },
    ...more,
  };
}

export function holdFrameToContract(name: string, open: () => Promise<OutcomesUnderTest>): void {
  async function opened(): Promise<OutcomesUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    return under;
  }

  async function scored(
    under: OutcomesUnderTest,
    conversations: readonly {
      readonly id: string;
      readonly outcome: Outcome;
      readonly glance?: ConversationGlance;
      readonly foretell?: ConversationStore['foretell'];
    }[],
  ): Promise<void> {
    for (const [index, { id, outcome, glance = ASKED, foretell }] of conversations.entries()) {
      const turn: Turn = { number: index + 1, conversation: id, at: 1000 + index };
      await under.transact({ turns: [turn], until: turn.at }, () => {
        if (foretell !== undefined) under.store.conversations.foretell = foretell;
        joinTurn(under.store, turn, { glance: { ...glance, beganAtMs: 1000 + index }, facts: ['tool: search'] });
        scoreAtOnce(under.store, turn, outcome);
      });
    }
  }

  const idsOf = async (frame: FrameReader, limit = 100) =>
    (await frame.firstToRead(WINDOW, limit)).map(({ row }) => row.conversationId as string);

  test(`${name}: agents of evaluated conversations are counted, up to a limit`, async () => {
    const under = await opened();
    for (const [index, agent] of ['b', 'a', 'b', 'c', 'open'].entries()) {
      const turn: Turn = { number: index + 1, conversation: `of ${index}`, at: 1000 + index };
      await under.transact({ turns: [turn], until: turn.at }, () => {
        joinTurn(under.store, turn, { agent, glance: { ...ASKED, beganAtMs: turn.at } });
        if (agent !== 'open') scoreAtOnce(under.store, turn, 'no_fault_found', { agent });
      });
    }
    const { pages } = await under.reader();

    expect([await pages.countAgents(10), await pages.countAgents(2)]).toEqual([3, 2]);
  });

  test(`${name}: the frame counts conversations that are over by what is known of them`, async () => {
    const under = await opened();
    await under.readings.put([
      readingOf({ conversationId: 'early', label: 'csat', isGood: true, value: undefined, case: undefined }),
    ]);
    await scored(under, [
      { id: 'early', outcome: 'no_fault_found' },
      { id: 'late', outcome: 'no_fault_found' },
      { id: 'plain', outcome: 'no_fault_found' },
      { id: 'bad', outcome: 'hard_failure' },
      { id: 'mute', outcome: 'no_fault_found', glance: {} },
    ]);
    const open: Turn = { number: 9, conversation: 'open', at: 1500 };
    await under.transact({ turns: [open], until: 1500 }, () => joinTurn(under.store, open, { glance: ASKED }));
    const outcome = { conversationId: 'late', isGood: true, value: undefined, case: undefined };
    await under.readings.put([
      readingOf({ ...outcome, label: 'refund' }, true),
      readingOf({ ...outcome, label: 'csat', isGood: false }),
    ]);

    const { frame } = await under.reader();
    const { counts, unreadable } = await frame.frameCounts(WINDOW);

    expect(unreadable).toBe(1);
    const fine = { called: 'no_fault_found', feedback: undefined, foretold: undefined, conversations: 1 };
    expect(counts.every(({ foretold }) => foretold === undefined)).toBe(true);
    expect(counts).toHaveLength(4);
    expect(counts).toEqual(
      expect.arrayContaining([
        { ...fine, outcome: 'good', certain: undefined },
        { ...fine, outcome: undefined, certain: 'good' },
        { ...fine, outcome: undefined, certain: undefined },
        { ...fine, called: 'hard_failure', outcome: undefined, certain: undefined },
      ]),
    );
    expect((await frame.frameCounts({ ...WINDOW, agent: 'other' })).counts).toEqual([]);
    expect((await frame.frameCounts({ ...WINDOW, since: 1003, until: 1004 })).counts).toMatchObject([
      { called: 'hard_failure' },
    ]);
  });

  test(`${name}: an outcome that is taken back is known no more`, async () => {
    const under = await opened();
    await scored(under, [{ id: 'c1', outcome: 'no_fault_found' }]);
    const outcome = { conversationId: 'c1', label: 'csat', value: undefined, case: undefined };
    await under.readings.put([readingOf({ ...outcome, isGood: false })]);
    expect((await (await under.reader()).find('c1'))?.cameOut).toBe('bad');

    await under.readings.put([readingOf({ ...outcome, isGood: undefined })]);

    expect((await (await under.reader()).find('c1'))?.cameOut).toBeUndefined();
  });

  test(`${name}: a search finds conversations by what came of them, by what the suites call them, and by their ids`, async () => {
    const under = await opened();
    await scored(under, [
      { id: 'missed', outcome: 'no_fault_found' },
      { id: 'caught', outcome: 'hard_failure' },
      { id: 'certain', outcome: 'successful_completion' },
      { id: 'well', outcome: 'successful_completion' },
      { id: 'plain', outcome: 'handed_over' },
      { id: 'unscored', outcome: 'unscored' },
    ]);
    const outcome = { label: 'csat', isGood: false, value: undefined, case: undefined };
    await under.readings.put([
      ...['missed', 'caught', 'unscored'].map((conversationId) => readingOf({ ...outcome, conversationId })),
      readingOf({ ...outcome, conversationId: 'certain' }, true),
      readingOf({ ...outcome, conversationId: 'well', isGood: true }),
    ]);
    const { pages } = await under.reader();
    const rows: readonly (readonly [Partial<ConversationSearch>, readonly string[]])[] = [
      [{ cameOut: ['bad'] }, ['unscored', 'certain', 'caught', 'missed']],
      [{ cameOut: ['good'] }, ['well']],
      [{ cameOut: ['unknown'] }, ['plain']],
      [{ cameOut: ['unknown', 'good'] }, ['plain', 'well']],
      [{ cameOut: ['bad'], isCalledFine: true }, ['certain', 'missed']],
      [{ cameOut: ['bad'], isCalledFine: false }, ['unscored', 'caught']],
      [{ cameOut: ['bad'], isCalledFine: true, limit: 1 }, ['certain']],
      [{ isCalledFine: true }, ['well', 'certain', 'missed']],
      [{ cameOut: ['bad'], outcomes: ['hard_failure'], order: 'worst' }, ['caught']],
      [{ ids: ['well', 'missed', 'never', "'; DROP \0"] }, ['well', 'missed']],
      [{ ids: ['well', 'missed', 'caught'], cameOut: ['bad'], isCalledFine: true }, ['missed']],
      [{ ids: ['never'] }, []],
    ];
    for (const [search, ids] of rows) {
      const found = await pages.search({ order: 'latest', limit: 50, ...search });
      expect([search, found.rows.map(({ conversationId }) => conversationId)]).toEqual([search, ids]);
    }
  });

  test(`${name}: a search finds what a person read as good or bad, and the kind of failure that one reading names`, async () => {
    const under = await opened();
    const ODD = "Refund'; DROP \0 <b>\u{1F600}%_";
    await scored(
      under,
      ['good', 'both', 'odd', 'plain', 'program', 'unread'].map((id) => ({ id, outcome: 'no_fault_found' })),
    );
    const bad = { answer: 'bad', by: 'bo' } as const;
    await under.readings.put([
      ...[
        person('good'),
        person('both'),
        person('both', { ...bad, kind: 'Loops' }),
        person('odd', { ...bad, kind: ODD }),
      ],
      ...[person('plain', bad), person('plain', { answer: 'cannot_tell' })],
      ...[person('program', { ...bad, source: 'agent' }), person('never-came', { ...bad, kind: 'Loops' })],
    ]);
    const { pages } = await under.reader();
    const rows: readonly (readonly [Partial<ConversationSearch>, readonly string[]])[] = [
      [{ readAs: ['good'] }, ['both', 'good']],
      [{ readAs: ['bad'] }, ['plain', 'odd', 'both']],
      [{ readAs: ['bad', 'good'] }, ['plain', 'odd', 'both', 'good']],
      [{ kinds: ['Loops'] }, ['both']],
      [{ kinds: [ODD, 'Loops'] }, ['odd', 'both']],
      // The one who read it as good named no kind.
      [{ kinds: ['Loops'], readAs: ['good'] }, []],
      [{ kinds: ['loops'] }, []],
      [{ readAs: ['bad'], ids: ['plain', 'good'] }, ['plain']],
      [{ readAs: ['bad'], words: ['plain'] }, ['plain']],
      [{ readAs: ['bad'], agents: ['other'] }, []],
      [{ readAs: ['bad'], order: 'worst', outcomes: ['no_fault_found'] }, ['plain', 'odd', 'both']],
      [{ readAs: ['bad'], limit: 2 }, ['plain', 'odd']],
    ];
    for (const [search, ids] of rows) {
      const found = await pages.search({ order: 'latest', limit: 50, ...search });
      expect([search, found.rows.map(({ conversationId }) => conversationId)]).toEqual([search, ids]);
    }
    expect(await pages.search({ order: 'latest', limit: 50, readAs: ['bad'] })).toMatchObject({
      ...{ lookedAt: 3, next: undefined },
    });
  });

  test(`${name}: a search by ids looks at those that are there, and at no others`, async () => {
    const under = await opened();
    await scored(
      under,
      ['c1', 'c2', 'c3'].map((id) => ({ id, outcome: 'no_fault_found' })),
    );
    const { pages } = await under.reader();

    const page = await pages.search({ ids: ['c1', 'c3', 'never'], order: 'latest', limit: 1, isCalledFine: false });

    expect(page).toMatchObject({ rows: [], next: undefined, lookedAt: 2 });
  });

  test(`${name}: lots stay, whatever is scored and read; what is certain needs no reader`, async () => {
    const under = await opened();
    await scored(
      under,
      Array.from({ length: 12 }, (_, index) => ({ id: `c${index}`, outcome: 'no_fault_found' as const })),
    );
    const { frame } = await under.reader();
    const before = await idsOf(frame);
    expect(before.toSorted()).toEqual(Array.from({ length: 12 }, (_, index) => `c${index}`).toSorted());

    const [first = '', second = ''] = before;
    await under.readings.put([person(first), person(first, { by: 'bo', answer: 'bad', note: 'It was late.' })]);
    const certain = { conversationId: second, label: 'refund', isGood: false, value: undefined, case: undefined };
    await under.readings.put([readingOf(certain, true)]);
    await under.reopen();
    const again = (await under.reader()).frame;

    expect(await idsOf(again)).toEqual(before.filter((id) => id !== second));
    expect(await idsOf(again, 3)).toEqual(before.filter((id) => id !== second).slice(0, 3));
    expect(await again.readByPeople(WINDOW)).toEqual({ conversations: 1, firstAt: expect.any(Number) as number });
    const all = await again.firstToRead(WINDOW, 100, 'all');
    expect(all.map(({ row }) => row.conversationId as string)).toEqual(before);
    expect(all.flatMap((one) => (one.certain === undefined ? [] : [[one.row.conversationId, one.certain]]))).toEqual([
      [second, 'bad'],
    ]);
    expect(await again.certainSince(WINDOW, 0)).toEqual({ known: 1, read: 0 });
    expect(await again.certainSince(WINDOW, Date.now() + 60_000)).toEqual({ known: 0, read: 0 });
    await under.readings.put([person(second)]);
    expect(await (await under.reader()).frame.certainSince(WINDOW, 0)).toEqual({ known: 1, read: 1 });
    const [candidate] = await again.firstToRead(WINDOW, 1);
    expect(candidate?.readings.map(({ by, answer, note }) => ({ by, answer, note }))).toEqual([
      { by: 'ana', answer: 'good', note: undefined },
      { by: 'bo', answer: 'bad', note: 'It was late.' },
    ]);
  });

  test(`${name}: what was foretold is counted in windows that it cannot have learned from`, async () => {
    const under = await opened();
    const WEEK_MS = 7 * 24 * 3_600_000;
    const foretell = ({ id }: { readonly id: string }) => (id === 'c0' ? 4 : undefined);
    await scored(under, [
      { id: 'c0', outcome: 'no_fault_found', foretell },
      { id: 'c1', outcome: 'no_fault_found', foretell },
    ]);

    const { frame } = await under.reader();
    const foretold = async (until: number) =>
      (await frame.frameCounts({ ...WINDOW, until })).counts.map((one) => [one.foretold, one.conversations]);
    expect(await foretold(WEEK_MS)).toEqual(
      expect.arrayContaining([
        [CHANCES[4], 1],
        [undefined, 1],
      ]),
    );
    expect((await foretold(WEEK_MS + 1)).flat()).not.toContain(CHANCES[4]);
    const known = async (until: number) =>
      (await frame.firstToRead({ ...WINDOW, until }, 9)).map((one) => one.known.foretold);
    expect(await known(WEEK_MS)).toContain(CHANCES[4]);
    expect(await known(WEEK_MS + 1)).toEqual([undefined, undefined]);
  });

  test(`${name}: people's answers about earlier conversations are lessons, with their facts`, async () => {
    const under = await opened();
    await scored(under, [
      { id: 'old', outcome: 'hard_failure' },
      { id: 'newer', outcome: 'no_fault_found' },
      { id: 'newest', outcome: 'no_fault_found' },
    ]);
    await under.readings.put([
      ...['old', 'newer', 'newest'].map((id) => person(id, { answer: id === 'old' ? 'bad' : 'good' })),
      person('newer', { by: 'bo', answer: 'cannot_tell' }),
      person('newer', { by: 'agent-7', source: 'agent', answer: 'bad' }),
    ]);

    const { frame } = await under.reader();
    const lessons = await frame.lessons({ agent: 'helper', before: 1002 });

    expect(lessons.map(({ isGood }) => isGood)).toEqual([true, false]);
    expect(lessons[1]?.facts).toEqual(['failed: pack/right', 'tool: search']);
    expect(await frame.lessons({ agent: 'other', before: 9999 })).toEqual([]);
  });

  test(`${name}: facts of a window, with all that is known of how each conversation went`, async () => {
    const under = await opened();
    await scored(under, [
      { id: 'early', outcome: 'no_fault_found' },
      { id: 'bad', outcome: 'hard_failure' },
      { id: 'mute', outcome: 'no_fault_found', glance: {} },
      { id: 'late', outcome: 'no_fault_found' },
    ]);
    const open: Turn = { number: 9, conversation: 'open', at: 1500 };
    await under.transact({ turns: [open], until: 1500 }, () => {
      joinTurn(under.store, open, { glance: { ...ASKED, beganAtMs: 1002 }, facts: ['tool: search'] });
    });
    const outcome = { label: 'refund', value: undefined, case: undefined };
    await under.readings.put([
      person('bad'),
      person('bad', { by: 'bo', answer: 'bad' }),
      person('mute'),
      person('early', { by: 'agent-7', source: 'agent', answer: 'bad' }),
      readingOf({ ...outcome, conversationId: 'mute', isGood: false }, true),
    ]);

    const { frame } = await under.reader();
    const window = { agent: 'helper', since: 1000, until: 1003 };
    const { conversations, isCut } = await frame.factsOf(window, 100);

    expect(isCut).toBe(false);
    const byId = new Map(conversations.map((one) => [one.conversationId, one]));
    expect([...byId.keys()].toSorted()).toEqual(['bad', 'early', 'mute']);
    const unknown = { feedback: undefined, cameOut: undefined, readAs: undefined };
    expect(byId.get('early')).toMatchObject({ called: 'no_fault_found', ...unknown });
    expect(byId.get('bad')).toMatchObject({
      ...{ facts: 'failed: pack/right\ntool: search', called: 'hard_failure', beganAt: 1001 },
      ...{ readAs: 'bad', cameOut: undefined },
    });
    expect(byId.get('mute')).toMatchObject({ readAs: 'good', cameOut: 'bad' });
    expect((await frame.factsOf({ ...window, agent: 'other' }, 100)).conversations).toEqual([]);
    // The latest of the window, of which the one that is open has not been scored.
    const some = await frame.factsOf({ ...window, until: 9999 }, 3);
    expect(some.isCut).toBe(true);
    expect(some.conversations.map(({ conversationId }) => conversationId).toSorted()).toEqual(['late', 'mute']);
  });

  test(`${name}: a search by facts finds whole facts, all of them, whatever is in them`, async () => {
    const under = await opened();
    const hostile = ["tool: '); DROP TABLE conversations; --", 'tool: %_\\ \ufffd "ü"'];
    const facts: Readonly<Record<string, readonly string[]>> = {
      ...{ one: ['tool: a', 'tool: b'], two: ['tool: a'], longer: ['tool: a b'], hostile },
    };
    for (const [index, [id, own]] of Object.entries(facts).entries()) {
      const turn: Turn = { number: index + 1, conversation: id, at: 1000 + index };
      await under.transact({ turns: [turn], until: turn.at }, () => {
        joinTurn(under.store, turn, { glance: { ...ASKED, beganAtMs: turn.at }, facts: own });
      });
    }
    const { pages } = await under.reader();
    const rows: readonly (readonly [readonly string[], readonly string[]])[] = [
      [['tool: a'], ['two', 'one']],
      [['tool: a', 'tool: b'], ['one']],
      [['tool: '], []],
      [['ool: a'], []],
      [['tool: a\ntool: b'], ['one']],
      [hostile, ['hostile']],
      ...hostile.map((fact) => [[fact], ['hostile']] as const),
      [['\ud800\0'], []],
    ];
    for (const [asked, ids] of rows) {
      const found = await pages.search({ facts: asked, order: 'latest', limit: 50 });
      expect([asked, found.rows.map(({ conversationId }) => conversationId)]).toEqual([asked, ids]);
    }
    const page = await pages.search({ facts: ['tool: a'], order: 'latest', limit: 1 });
    const next = await pages.search({ facts: ['tool: a'], order: 'latest', limit: 1, cursor: page.next });
    expect([...page.rows, ...next.rows].map(({ conversationId }) => conversationId)).toEqual(['two', 'one']);
  });
}
