import { expect, test } from 'vitest';
import { calibrateVersions } from '../../../src/statistics/calibrate/pair-up.ts';
import type { HumanLabel, JudgedCount, LabelledVerdict } from '../../../src/model/labels.ts';

const THING = { conversationId: 'c1', turnId: undefined, suite: 's', criterion: 'kind' };
const JUDGED = { suite: 's', criterion: 'kind', judge: 'default', judgeVersion: 'v1' };

function label(more: Partial<HumanLabel> = {}): HumanLabel {
  return { ...THING, label: 'pass', by: 'ann', note: undefined, ...more };
}

function verdict(more: Partial<LabelledVerdict> = {}): LabelledVerdict {
  const by = { judge: 'default', judgeVersion: 'v1' };
  return { ...THING, ...by, verdict: 'pass', revision: 1, notedAt: 1000, ...more };
}

function versions(said: {
  readonly labels: readonly HumanLabel[];
  readonly verdicts: readonly LabelledVerdict[];
  readonly judged?: readonly JudgedCount[];
}) {
  return calibrateVersions({ judged: [], ...said }).map(({ judgeVersion, calibration, notApplicable, disputed }) => {
    const { passOfPass, failOfPass, passOfFail, failOfFail } = calibration.confusion;
    return { judgeVersion, counts: [passOfPass, failOfPass, passOfFail, failOfFail, notApplicable, disputed] };
  });
}

test.each<
  [why: string, labels: readonly HumanLabel[], verdicts: readonly LabelledVerdict[], counts: readonly number[]]
>([
  ['a verdict beside a label', [label()], [verdict()], [1, 0, 0, 0, 0, 0]],
  ['the judge too strict', [label()], [verdict({ verdict: 'fail' })], [0, 1, 0, 0, 0, 0]],
  ['the judge too lenient', [label({ label: 'fail' })], [verdict()], [0, 0, 1, 0, 0, 0]],
  ['both say no', [label({ label: 'fail' })], [verdict({ verdict: 'fail' })], [0, 0, 0, 1, 0, 0]],
  [
    'who changes their mind counts with the last label',
    [label(), label({ label: 'fail' })],
    [verdict()],
    [0, 0, 1, 0, 0, 0],
  ],
  [
    'of three persons two decide, whoever came last',
    [label(), label({ by: 'bo' }), label({ by: 'cy', label: 'fail' })],
    [verdict()],
    [1, 0, 0, 0, 0, 0],
  ],
  ['two who differ count for nothing', [label(), label({ by: 'bo', label: 'fail' })], [verdict()], [0, 0, 0, 0, 0, 1]],
  ['what does not apply is no pair', [label({ label: 'not_applicable' })], [verdict()], [0, 0, 0, 0, 1, 0]],
  [
    'of the revisions the last counts, in whatever order they come',
    [label()],
    [verdict({ revision: 2, verdict: 'fail' }), verdict()],
    [0, 1, 0, 0, 0, 0],
  ],
  ['a label that names no turn is of the only one', [label()], [verdict({ turnId: 't1' })], [1, 0, 0, 0, 0, 0]],
  [
    "a turn's own label goes before that of the whole",
    [label(), label({ turnId: 't1', label: 'fail' })],
    [verdict({ turnId: 't1' })],
    [0, 0, 1, 0, 0, 0],
  ],
])('%s', (_, labels, verdicts, counts) => {
  expect(versions({ labels, verdicts })).toEqual([{ judgeVersion: 'v1', counts }]);
});

test.each<[why: string, labels: readonly HumanLabel[]]>([
  ['of another conversation', [label({ conversationId: 'c2' })]],
  ['of another criterion', [label({ criterion: 'polite' })]],
  ['of another suite', [label({ suite: 'other' })]],
  ['of a turn that was not judged', [label({ turnId: 't9' })]],
])('a label %s says nothing', (_, labels) => {
  expect(versions({ labels, verdicts: [verdict()] })).toEqual([]);
});

test('of several turns it is not known which one a label without a turn means', () => {
  const verdicts = [verdict({ turnId: 't1' }), verdict({ turnId: 't2' })];

  expect(versions({ labels: [label()], verdicts })).toEqual([]);
});

test('a label counts for each version that judged the same, the one that judged last first', () => {
  const verdicts = [verdict(), verdict({ judgeVersion: 'v2', revision: 2, verdict: 'fail', notedAt: 2000 })];

  expect(versions({ labels: [label()], verdicts })).toEqual([
    { judgeVersion: 'v2', counts: [0, 1, 0, 0, 0, 0] },
    { judgeVersion: 'v1', counts: [1, 0, 0, 0, 0, 0] },
  ]);
});

test('the rate to correct is that of all that this version judged, not of what has labels', () => {
  const many = (count: number, one: Partial<HumanLabel>, said: Partial<LabelledVerdict>) =>
    Array.from({ length: count }, (_, index) => {
      const conversationId = `${one.label} ${said.verdict} ${index}`;
      return { label: label({ ...one, conversationId }), verdict: verdict({ ...said, conversationId }) };
    });
  const both = [
    ...many(45, { label: 'pass' }, { verdict: 'pass' }),
    ...many(5, { label: 'pass' }, { verdict: 'fail' }),
    ...many(4, { label: 'fail' }, { verdict: 'pass' }),
    ...many(46, { label: 'fail' }, { verdict: 'fail' }),
  ];
  const judged = [
    { ...JUDGED, verdict: 'pass', count: 700 },
    { ...JUDGED, verdict: 'fail', count: 300 },
    { ...JUDGED, judgeVersion: 'v0', verdict: 'fail', count: 5000 },
    { ...JUDGED, suite: 'other', verdict: 'fail', count: 5000 },
  ];
  const [version] = calibrateVersions({
    labels: both.map((one) => one.label),
    verdicts: both.map((one) => one.verdict),
    judged,
  });

  const rate = version?.calibration.passRate;
  expect(rate?.is === 'estimate' && rate.rate.value).toBeCloseTo((0.7 * 45) / 49 + (0.3 * 5) / 51, 12);
});
