/**
 * The contract of every store for labels by people and the corresponding verdicts: it keeps both, even if the
 * conversation is deleted.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { Evaluation } from '../../src/model/evaluation.ts';
import type { TurnId } from '../../src/model/ids.ts';
import type { HumanLabel, LabelledVerdict, StoredLabel } from '../../src/model/labels.ts';
import { closeConversation } from '../../src/engine/conversation-closing.ts';
import type { EvaluationScanner } from '../../src/store/evaluation-scan.ts';
import type { ConversationReader } from '../../src/store/conversation-reader.ts';
import type { LabelReader, LabelStore, Labelled } from '../../src/store/label-store.ts';
import { COUNTED, evaluationOf, joinTurn, type StoreUnderTest, storeTurn } from './contract.ts';

export interface LabelsUnderTest extends StoreUnderTest {
  readonly labels: LabelStore;
  reader(): Promise<ConversationReader & EvaluationScanner & LabelReader>;
}

const TURN = { number: 1, conversation: 'c1', at: 1000 };
const LIMITS = { labels: 100, verdicts: 100 };
/** The verdict of `evaluationOf` on the one judged criterion. */
const POLITE = { suite: 'pack', criterion: 'polite', judge: 'default', judgeVersion: 'abc', verdict: 'pass' } as const;

/** Its verdict by code; the version is that of the suite. */
const RIGHT = { suite: 'pack', criterion: 'right', judge: '', judgeVersion: '1', verdict: 'pass' } as const;

function label(more: Partial<HumanLabel> = {}): HumanLabel {
  const thing = { conversationId: 'c1', turnId: undefined, suite: 'pack', criterion: 'polite' };
  return { ...thing, label: 'pass', by: 'ann', note: undefined, ...more };
}

export function holdLabelsToContract(name: string, open: () => Promise<LabelsUnderTest>): void {
  async function opened(): Promise<LabelsUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    return under;
  }

  async function read(under: LabelsUnderTest, limits = LIMITS): Promise<Labelled> {
    return (await under.reader()).labelled(limits);
  }

  /** Judges the conversation, again if it was judged before. */
  async function evaluate(under: LabelsUnderTest, evaluation: Evaluation): Promise<void> {
    const turn = { ...TURN, number: evaluation.revision, at: 1000 * evaluation.revision };
    const at = { turns: [{ ...turn, conversation: evaluation.conversationId }], until: turn.at };
    await under.transact(at, () => {
      const { row } = joinTurn(
        under.store,
        { ...turn, conversation: evaluation.conversationId },
        { dueNow: 'end_marker' },
      );
      const trace = storeTurn(under.store, { ...turn, conversation: evaluation.conversationId }, row);
      under.store.evaluations.insert(evaluation, { conversation: row, trace, labels: COUNTED }, () => undefined);
      closeConversation(under.store.conversations, row, {
        revision: evaluation.revision,
        cause: 'end_marker',
        turns: 1,
        unscoredBecause: undefined,
      });
    });
  }

  const noted = ({ verdicts }: Labelled): readonly Omit<LabelledVerdict, 'notedAt'>[] =>
    verdicts
      .map(({ notedAt: _, ...rest }) => rest)
      .toSorted((a, b) => a.revision - b.revision || (a.criterion < b.criterion ? -1 : 1));

  test(`${name}: labels are kept as they were put, in that order; what the same person said last is not put again`, async () => {
    const under = await opened();
    const odd = label({
      conversationId: 'c\0\uE0A5\u{1F600}',
      by: 'Bo b',
      note: 'Nul \0 and <b>',
      turnId: 't-1' as TurnId,
    });

    expect(await under.labels.put([label(), odd])).toBe(2);
    expect(await under.labels.put([label(), odd])).toBe(0);
    expect(await under.labels.put([label({ label: 'fail' }), label({ by: 'cy', label: 'not_applicable' })])).toBe(2);
    expect(await under.labels.put([label({ note: 'After all.' }), label({ note: 'After all.' })])).toBe(1);
    await under.reopen();

    expect((await read(under)).labels).toEqual([
      label(),
      odd,
      label({ label: 'fail' }),
      label({ by: 'cy', label: 'not_applicable' }),
      label({ note: 'After all.' }),
    ]);
    expect((await read(under, { labels: 2, verdicts: 1 })).labels).toEqual([
      label({ by: 'cy', label: 'not_applicable' }),
      label({ note: 'After all.' }),
    ]);
  });

  test(`${name}: a person takes back what they said, and nobody else's`, async () => {
    const under = await opened();
    const withdrawn = (more: Partial<HumanLabel> = {}): StoredLabel => ({ ...label(more), label: 'withdrawn' });
    expect(await under.labels.put([withdrawn()])).toBe(0);
    expect(await under.labels.put([label(), label({ label: 'fail' }), label({ by: 'cy' }), withdrawn()])).toBe(4);
    expect(await under.labels.put([withdrawn()])).toBe(0);
    expect((await read(under)).labels).toEqual([label({ by: 'cy' })]);

    expect(await under.labels.put([label()])).toBe(1);
    expect((await read(under)).labels).toEqual([label({ by: 'cy' }), label()]);
  });

  test(`${name}: a label that was given with the verdict in sight stands beside a blind one, and counts for nothing`, async () => {
    const under = await opened();
    const seen = (more: Partial<StoredLabel> = {}): StoredLabel => ({ ...label(), seen: true, ...more });
    expect(await under.labels.put([label(), seen({ label: 'fail' })])).toBe(2);
    expect(await under.labels.put([label(), seen({ label: 'fail' })])).toBe(0);
    await under.reopen();

    expect((await read(under)).labels).toEqual([label()]);
    // Taking one back leaves the other.
    expect(await under.labels.put([seen({ label: 'withdrawn' })])).toBe(1);
    expect((await read(under)).labels).toEqual([label()]);
  });

  test(`${name}: what a judge said is noted with the first label of the conversation, or when it is said`, async () => {
    const under = await opened();
    await under.labels.put([label()]);
    await evaluate(under, evaluationOf({ conversation: 'c1' }));
    await evaluate(under, evaluationOf({ conversation: 'c1', revision: 2, outcome: 'partial_failure' }));
    const whole = { conversationId: 'c1', turnId: undefined };

    expect(noted(await read(under))).toEqual([
      { ...POLITE, ...whole, revision: 1 },
      { ...RIGHT, ...whole, revision: 1 },
      { ...POLITE, ...whole, revision: 2 },
      { ...RIGHT, ...whole, verdict: 'fail', revision: 2 },
    ]);
  });

  test(`${name}: a label that comes after the judge finds what the judge said, once`, async () => {
    const under = await opened();
    await evaluate(under, evaluationOf({ conversation: 'c1' }));
    await evaluate(under, evaluationOf({ conversation: 'c1', revision: 2 }));
    expect(noted(await read(under))).toEqual([]);

    await under.labels.put([label({ criterion: 'right' })]);
    await under.labels.put([label({ criterion: 'right', label: 'fail' }), label({ conversationId: 'unknown' })]);
    const whole = { conversationId: 'c1', turnId: undefined };

    expect(noted(await read(under))).toEqual([
      { ...POLITE, ...whole, revision: 1 },
      { ...RIGHT, ...whole, revision: 1 },
      { ...POLITE, ...whole, revision: 2 },
      { ...RIGHT, ...whole, revision: 2 },
    ]);
  });

  test(`${name}: labels and verdicts of one criterion are read by themselves`, async () => {
    const under = await opened();
    await evaluate(under, evaluationOf({ conversation: 'c1' }));
    await under.labels.put([label({ criterion: 'right' }), label(), label({ suite: 'other' }), label({ by: 'cy' })]);
    const ofRight = { suite: 'pack', criterion: 'right' };
    const reader = await under.reader();

    const right = await reader.labelled(LIMITS, ofRight);
    expect(right.labels).toEqual([label({ criterion: 'right' })]);
    expect(noted(right)).toEqual([{ ...RIGHT, conversationId: 'c1', turnId: undefined, revision: 1 }]);
    const polite = await reader.labelled({ labels: 1, verdicts: 1 }, { suite: 'pack', criterion: 'polite' });
    expect(polite.labels).toEqual([label({ by: 'cy' })]);
    expect(noted(polite)).toEqual([{ ...POLITE, conversationId: 'c1', turnId: undefined, revision: 1 }]);
  });

  test(`${name}: verdicts of turns are noted with the turn, and of conversations without labels none are`, async () => {
    const under = await opened();
    const turnId = '00000000000000aa' as TurnId;
    await under.labels.put([label({ conversationId: 'another' })]);
    await evaluate(under, evaluationOf({ conversation: 'c1', turnId }));
    expect(noted(await read(under))).toEqual([]);

    await under.labels.put([label({ turnId })]);

    const whole = { conversationId: 'c1', turnId, revision: 1 };
    expect(noted(await read(under))).toEqual([
      { ...POLITE, ...whole },
      { ...RIGHT, ...whole },
    ]);
  });

  test(`${name}: what judges said is counted by version, of all conversations`, async () => {
    const under = await opened();
    const labels = { suite: 'pack', criterion: 'polite', judge: 'default', judge_version: 'abc' };
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      joinTurn(under.store, TURN, { dueNow: 'end_marker' });
      under.store.totals.series('assay_judged_verdicts_total', { ...labels, verdict: 'pass' }).add(7);
      under.store.totals.series('assay_judged_verdicts_total', { ...labels, verdict: 'fail' }).add(2);
      under.store.totals.series('assay_evaluations_total', COUNTED).add(1);
    });
    const of = { suite: 'pack', criterion: 'polite', judge: 'default', judgeVersion: 'abc' };

    const { judged } = await read(under);
    expect(judged.toSorted((a, b) => b.count - a.count)).toEqual([
      { ...of, verdict: 'pass', count: 7 },
      { ...of, verdict: 'fail', count: 2 },
    ]);
  });

  test(`${name}: a crash keeps no verdict of an evaluation that is gone`, async () => {
    const under = await opened();
    await under.labels.put([label()]);
    await under.crash({ turns: [TURN], until: 1000 }, () => {
      const { row } = joinTurn(under.store, TURN, { dueNow: 'end_marker' });
      const trace = storeTurn(under.store, TURN, row);
      under.store.evaluations.insert(
        evaluationOf({ conversation: 'c1' }),
        { conversation: row, trace, labels: COUNTED },
        () => undefined,
      );
    });

    const { labels, verdicts } = await read(under);
    expect(labels).toEqual([label()]);
    expect(verdicts).toEqual([]);
  });
}
