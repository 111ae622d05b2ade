import { expect, test } from 'vitest';
import { holdAgainst } from '../../../src/statistics/calibrate/validity.ts';
import type { Evaluation, Outcome, Verdict, VerdictKind } from '../../../src/model/evaluation.ts';
import type { ConversationId, TurnId } from '../../../src/model/ids.ts';
import { validityRemarks } from '../../../src/report/documents/validity-remarks.ts';

interface Made {
  readonly id: string;
  readonly score?: number;
  readonly outcome: Outcome;
  readonly verdicts?: Readonly<Record<string, VerdictKind>>;
  readonly turn?: string;
  readonly suite?: string;
  readonly about?: Evaluation['about'];
}

function evaluation({ id, score, outcome, verdicts = {}, turn, suite = 's', about = 'task' }: Made): Evaluation {
  return {
    conversationId: id as ConversationId,
    turnId: turn as TurnId | undefined,
    suite,
    suiteVersion: '1',
    scope: turn === undefined ? 'conversation' : 'turn',
    revision: 1,
    score: score === undefined ? undefined : score * 1_000_000,
    outcome,
    about,
    explanation: 'Made.',
    verdicts: new Map(
      Object.entries(verdicts).map(([name, verdict]): [string, Verdict] => [
        name,
        { verdict, reason: 'Made.', evidence: [] },
      ]),
    ),
  };
}

function outcomes(
  said: Readonly<Record<string, 'good' | 'bad'>>,
  caseOf: (id: string) => string | undefined = () => undefined,
) {
  return new Map(Object.entries(said).map(([id, one]) => [id, { isGood: one === 'good', case: caseOf(id) }]));
}

const FIVE: readonly Made[] = [
  { id: 'a', score: 1, outcome: 'successful_completion', verdicts: { kind: 'pass', right: 'pass' } },
  { id: 'b', score: 0.5, outcome: 'graceful_failure', verdicts: { kind: 'fail', right: 'pass' } },
  { id: 'c', score: 0.5, outcome: 'successful_completion', verdicts: { kind: 'fail', right: 'pass' } },
  { id: 'd', score: 0, outcome: 'hard_failure', verdicts: { kind: 'fail', right: 'not_applicable' } },
  { id: 'e', outcome: 'unscored', verdicts: { kind: 'error', right: 'skipped' } },
];

test('a small table is what one works out by hand', () => {
  const labels = outcomes({ a: 'good', b: 'good', c: 'bad', d: 'bad', e: 'bad', z: 'good' });

  const { suites, ...joined } = holdAgainst(
    [...FIVE, { id: 'f', outcome: 'unscored' } as const].map(evaluation),
    labels,
  );

  expect(joined).toEqual({ labelled: 5, withoutOutcome: 1, unknown: ['z'] });
  const [suite] = suites;
  expect(suite).toMatchObject({
    good: 2,
    bad: 3,
    shareGood: { value: 0.4 },
    said: [
      { outcome: 'successful_completion', good: 1, bad: 1 },
      { outcome: 'graceful_failure', good: 1, bad: 0 },
      { outcome: 'hard_failure', good: 0, bad: 1 },
      { outcome: 'unscored', good: 0, bad: 1 },
    ],
    saidGood: { good: 1, bad: 1 },
    saidBad: { good: 1, bad: 1 },
    saidNeither: { good: 0, bad: 1 },
    // One right of two on either side is what chance gives.
    agreement: { value: 0.5 },
    kappa: { value: 0 },
    withoutScore: { good: 0, bad: 1 },
    // Three of the pairs ac, ad, bc, bd are ranked right, and bc is a tie.
    area: { value: 0.875 },
    withinCases: undefined,
  });
  expect(suite?.criteria).toMatchObject([
    {
      criterion: 'kind',
      decided: { good: 2, bad: 2 },
      failed: { good: 1, bad: 2 },
      precision: { value: 2 / 3 },
      recall: { value: 2 / 3 },
    },
    {
      criterion: 'right',
      decided: { good: 2, bad: 1 },
      failed: { good: 0, bad: 0 },
      precision: undefined,
      recall: { value: 0 },
    },
  ]);
  // Wilson's interval of 2 of 5, from the tables.
  expect(suite?.shareGood?.lower).toBeCloseTo(0.1176, 4);
  expect(suite?.shareGood?.upper).toBeCloseTo(0.7693, 4);
});

test('within a case, only conversations of that case are compared', () => {
  const labels = outcomes({ a: 'good', b: 'good', c: 'bad', d: 'bad' }, (id) =>
    id === 'a' || id === 'd' ? 'easy' : 'hard',
  );

  const [suite] = holdAgainst(FIVE.map(evaluation), labels).suites;

  // a is above d; b and c are a tie.
  expect(suite?.withinCases).toMatchObject({ area: { value: 0.75 }, cases: 2, pairs: 2 });
});

test('turns make one answer for their conversation: the mean score, the worst outcome, any failure', () => {
  const turns: readonly Made[] = [
    { id: 'a', turn: '1', score: 1, outcome: 'no_fault_found', verdicts: { kind: 'pass' } },
    { id: 'a', turn: '2', score: 0.5, outcome: 'graceful_failure', verdicts: { kind: 'fail' } },
    { id: 'a', turn: '3', outcome: 'unscored', verdicts: { kind: 'skipped' } },
    { id: 'b', turn: '4', score: 0.7, outcome: 'no_fault_found', verdicts: { kind: 'pass' } },
    { id: 'b', turn: '5', score: 0.7, outcome: 'handed_over', verdicts: { kind: 'not_applicable' } },
  ];

  const [suite] = holdAgainst(turns.map(evaluation), outcomes({ a: 'good', b: 'bad' })).suites;

  expect(suite).toMatchObject({
    scope: 'turn',
    said: [
      { outcome: 'handed_over', good: 0, bad: 1 },
      { outcome: 'graceful_failure', good: 1, bad: 0 },
    ],
    saidNeither: { good: 0, bad: 1 },
    area: { value: 1 },
    criteria: [{ decided: { good: 1, bad: 1 }, failed: { good: 1, bad: 0 }, precision: { value: 0 } }],
  });
});

test('suites stand apart', () => {
  const two = FIVE.flatMap((made) => [evaluation(made), evaluation({ ...made, suite: 't', outcome: 'hard_failure' })]);

  const { suites, labelled } = holdAgainst(two, outcomes({ a: 'good', d: 'bad' }));

  expect(labelled).toBe(2);
  expect(suites.map(({ suite, saidBad }) => [suite, saidBad])).toEqual([
    ['s', { good: 0, bad: 1 }],
    ['t', { good: 1, bad: 1 }],
  ]);
});

/** This many of each kind, each with a score derived from its number. */
function scored({
  each,
  scoreOf,
  about,
}: {
  each: number;
  scoreOf: (isGood: boolean, at: number) => number;
  about?: Evaluation['about'];
}) {
  const made = Array.from(
    { length: 2 * each },
    (_, at): Made => ({
      id: `c${at}`,
      score: scoreOf(at % 2 === 0, at),
      outcome: 'no_fault_found',
      about,
    }),
  );
  const said = Object.fromEntries(made.map(({ id }, at) => [id, at % 2 === 0 ? 'good' : 'bad'] as const));
  const [suite] = holdAgainst(
    made.map(evaluation),
    outcomes(said, (id) => `case ${Math.floor(Number(id.slice(1)) / 4)}`),
  ).suites;
  if (suite === undefined) throw new Error('nothing was held');
  return validityRemarks(suite);
}

test.each<[why: string, remarks: readonly string[], told: readonly RegExp[]]>([
  [
    'a score that tells',
    scored({ each: 30, scoreOf: (isGood) => Number(isGood) }),
    [/^the score ranks good above bad/],
  ],
  ['one that is the wrong way round', scored({ each: 30, scoreOf: (isGood) => Number(!isGood) }), [/ranks backwards/]],
  ['one that is always the same', scored({ each: 30, scoreOf: () => 1 }), [/not shown to tell good from bad: .* 0\.5/]],
  [
    'one of form alone, with few outcomes',
    scored({ each: 5, scoreOf: () => 1, about: 'form' }),
    [/^form only: says nothing about whether the task was done/, /^few outcomes \(5 good, 5 bad\)/, /not shown/],
  ],
  [
    'rules',
    scored({ each: 30, scoreOf: (isGood) => Number(isGood), about: 'rules' }),
    [/^rules only/, /good above bad/],
  ],
])('says what is shown by %s', (_, remarks, told) => {
  expect(remarks).toEqual(told.map((one) => expect.stringMatching(one)));
});

test('knows hard cases from easy ones is not good runs from bad ones', () => {
  // 40 easy cases with mostly good runs have high scores, 40 hard ones low scores, whatever the outcome of the run.
  const made = Array.from({ length: 80 }, (_, at) => ['1', '2', '3'].map((run) => ({ at, run }))).flat();
  const isGood = ({ at, run }: (typeof made)[number]) => (at < 40 ? run !== '3' : run === '1');
  const evaluations = made.map(({ at, run }) =>
    evaluation({ id: `${at}-${run}`, score: at < 40 ? 0.9 : 0.2, outcome: 'no_fault_found' }),
  );
  const labels = new Map(made.map((one) => [`${one.at}-${one.run}`, { isGood: isGood(one), case: `${one.at}` }]));

  const [suite] = holdAgainst(evaluations, labels).suites;

  expect(suite && validityRemarks(suite)).toEqual([
    expect.stringMatching(/^the score ranks good above bad/),
    expect.stringMatching(/^within a case it is not shown to/),
  ]);
});

test('outcomes of one kind alone tell nothing apart, and no outcome at all is said', () => {
  const remarks = [outcomes({ a: 'good', b: 'good' }), outcomes({})].map((labels) => {
    const [suite] = holdAgainst(FIVE.map(evaluation), labels).suites;
    return suite && validityRemarks(suite);
  });

  expect(remarks).toEqual([
    [expect.stringMatching(/^all outcomes are good/)],
    ['no conversation with an outcome was evaluated by this suite'],
  ]);
});

test('versions of a suite, and of the judge of a criterion, are told apart', () => {
  const judged = (id: string, version: string, verdict: 'pass' | 'fail', suiteVersion = '1'): Evaluation => ({
    ...evaluation({ id, score: verdict === 'pass' ? 1 : 0, outcome: 'successful_completion' }),
    suiteVersion,
    verdicts: new Map<string, Verdict>([
      ['kind', { verdict, reason: 'Said.', evidence: [], judgedBy: { judge: 'default', version } }],
    ]),
  });
  const labels = outcomes({ a: 'good', b: 'bad', c: 'bad', d: 'good', e: 'bad' });

  const { suites } = holdAgainst(
    [
      ...[judged('a', 'v1', 'fail'), judged('b', 'v1', 'pass'), judged('c', 'v2', 'fail'), judged('d', 'v2', 'pass')],
      judged('e', 'v2', 'fail', '2'),
    ],
    labels,
  );

  expect(suites.map(({ suite, suiteVersion, good, bad }) => [suite, suiteVersion, good, bad])).toEqual([
    ['s', '1', 2, 2],
    ['s', '2', 0, 1],
  ]);
  expect(suites[0]?.criteria).toMatchObject([
    { criterion: 'kind', judgedBy: { version: 'v1' }, failed: { good: 1, bad: 0 }, recall: { value: 0 } },
    // A share of the bad ones that it was asked about, not of all.
    { criterion: 'kind', judgedBy: { version: 'v2' }, failed: { good: 0, bad: 1 }, recall: { value: 1 } },
  ]);
});
