/**
 * The contract of every store for readings: it keeps one for each source and name, before the conversation exists and
 * as long as it does.
 */
import { expect, onTestFinished, test } from 'vitest';
import { outcomesAmong, readingOf, type SaidReading } from '../../src/model/readings.ts';
import type { NamedOutcome, SaidOutcome } from '../../src/model/validity.ts';
import type { ConversationReader } from '../../src/store/conversation-reader.ts';
import type { EvaluationScanner } from '../../src/store/evaluation-scan.ts';
import type { OutcomeReader, ReadingStore } from '../../src/store/reading-store.ts';
import { joinTurn, type StoreUnderTest } from './contract.ts';

export interface OutcomesUnderTest extends StoreUnderTest {
  readonly readings: ReadingStore;
  reader(): Promise<ConversationReader & EvaluationScanner & OutcomeReader>;
}

function said(more: Partial<SaidOutcome> = {}): SaidOutcome {
  return { conversationId: 'c1', label: 'csat', isGood: true, value: '5', case: undefined, ...more };
}

function outcome(more: Partial<SaidOutcome> = {}): SaidReading {
  return readingOf(said(more));
}

export function holdOutcomesToContract(name: string, open: () => Promise<OutcomesUnderTest>): void {
  async function opened(): Promise<OutcomesUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    return under;
  }

  async function named(under: OutcomesUnderTest, label: string): Promise<readonly NamedOutcome[]> {
    const all: NamedOutcome[] = [];
    for await (const page of (await under.reader()).outcomesNamed(label)) all.push(...page);
    return all;
  }

  test(`${name}: the last outcome of each name counts, and what is known already changes nothing`, async () => {
    const under = await opened();
    const oddly = {
      conversationId: 'c\0\uE0A5\u{1F600}',
      label: 'Nul \0 <b>',
      case: "'; DROP",
      value: undefined,
    };
    const odd = outcome(oddly);

    expect(await under.readings.put([outcome(), odd, outcome({ label: 'reopened', isGood: false })])).toBe(3);
    expect(await under.readings.put([outcome(), odd])).toBe(0);
    expect(await under.readings.put([outcome({ isGood: false, value: '1' })])).toBe(1);
    expect(await under.readings.put([outcome({ isGood: false, value: '1', case: 'x' })])).toBe(1);
    await under.reopen();

    expect(await named(under, 'csat')).toEqual([said({ isGood: false, value: '1', case: 'x' })]);
    expect(await named(under, 'Nul \0 <b>')).toEqual([said(oddly)]);
    expect(await named(under, 'nothing')).toEqual([]);
    expect(await (await under.reader()).outcomeNames()).toEqual([
      { label: 'Nul \0 <b>', outcomes: 1 },
      { label: 'csat', outcomes: 1 },
      { label: 'reopened', outcomes: 1 },
    ]);
  });

  test(`${name}: an outcome that is taken back is gone, and one that was not there changes nothing`, async () => {
    const under = await opened();
    await under.readings.put([outcome(), outcome({ label: 'reopened' })]);

    expect(await under.readings.put([outcome({ isGood: undefined })])).toBe(1);
    expect(
      await under.readings.put([outcome({ isGood: undefined }), outcome({ conversationId: 'c9', isGood: undefined })]),
    ).toBe(0);

    expect(await named(under, 'csat')).toEqual([]);
    expect(await named(under, 'reopened')).toHaveLength(1);
  });

  test(`${name}: all of many are read, each once`, async () => {
    const under = await opened();
    const many = Array.from({ length: 2500 }, (_, number) =>
      outcome({ conversationId: `c-${number}`, isGood: number % 2 === 0 }),
    );
    for (let from = 0; from < many.length; from += 500) await under.readings.put(many.slice(from, from + 500));

    const read = await named(under, 'csat');

    expect(new Set(read.map(({ conversationId }) => conversationId)).size).toBe(2500);
    expect(read).toHaveLength(2500);
    expect(read.filter(({ isGood }) => isGood)).toHaveLength(1250);
  });

  test(`${name}: outcomes are found with the conversation, whenever they were put`, async () => {
    const under = await opened();
    await under.readings.put([outcome({ label: 'reopened', isGood: false, value: undefined })]);
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    await under.transact({ turns: [turn], until: 1000 }, () => joinTurn(under.store, turn, { dueNow: 'end_marker' }));
    await under.readings.put([outcome()]);

    const reader = await under.reader();
    const row = await reader.find('c1');
    if (row === undefined) return expect.unreachable();

    expect(outcomesAmong(await reader.readingsOf(row))).toEqual([
      said(),
      said({ label: 'reopened', isGood: false, value: undefined }),
    ]);
  });

  test(`${name}: each person says one thing of a conversation, beside programs and outcomes of the same name`, async () => {
    const under = await opened();
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    await under.transact({ turns: [turn], until: 1000 }, () => joinTurn(under.store, turn, { dueNow: 'end_marker' }));
    const read = (more: Partial<SaidReading> = {}): SaidReading => ({
      ...{ conversationId: 'c1', source: 'person', by: 'ana', answer: 'bad', isCertain: false },
      ...{ value: undefined, case: undefined, firstWrong: 'ab12', note: "It's \0 wrong." },
      ...more,
    });

    const all = [read(), read({ source: 'agent', answer: 'good' }), read({ by: 'bo', answer: 'cannot_tell' })];
    expect(await under.readings.put([...all, outcome({ label: 'ana' })])).toBe(4);
    expect(await under.readings.put([...all, read({ note: 'On second thought.' })])).toBe(1);
    expect(await under.readings.put([read({ by: 'bo', answer: 'withdrawn' })])).toBe(1);

    const reader = await under.reader();
    const row = await reader.find('c1');
    if (row === undefined) return expect.unreachable();
    expect((await reader.readingsOf(row)).map(({ at: _, ...rest }) => rest)).toEqual([
      read({ source: 'agent', answer: 'good' }),
      outcome({ label: 'ana' }),
      read({ note: 'On second thought.' }),
    ]);
  });
}
