/**
 * A suite or a judge that changes, in simulated months: is a fall of the agent told that comes then, and is nothing
 * told that is none? Compared with detection that begins to learn from live conversations.
 *
 * Four criteria of equal weight pass in .90 of the conversations, three of them are judged. The service has stored
 * eight days. Another judge passes a conversation less where it is stricter, on the same conversations.
 */
import { DEFAULT_DETECTION } from '../src/statistics/detect/settings.ts';
import { Detectors } from '../src/engine/detection/detectors.ts';
import { type ObservedEvaluation, observedOf, payloadOf } from '../src/engine/detection/observations.ts';
import { isWorse } from '../src/model/detection.ts';
import type { HistoryPart } from '../src/model/history-learning.ts';
import { ONE } from '../src/score/subject/weigh.ts';
import type { CompiledSuite } from '../src/score/suite/suite.ts';
import { BEGIN_MS, randomFrom } from './detect-world.ts';
import type { BenchRow } from './row.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STORED_MS = 8 * DAY_MS + HOUR_MS;
const SAMPLE = 200;
const NAMES = ['first', 'second', 'third', 'code'] as const;
const PASS = 0.9;

export interface Change {
  readonly is: 'suite' | 'judge';
  readonly learns: 'stored' | 'live';
  /** Conversations an hour. */
  readonly rate: number;
  /** Points that judged criteria lose by the judge alone. */
  readonly stricter: number;
  /** One in so many stored conversations is read, in runs of neighbours. */
  readonly oneIn?: number;
  /** Points that they lose by the agent; when, after the change. */
  readonly fall: number;
  readonly fallsAfterMs: number;
  readonly forMs: number;
}

interface Told {
  /** Time from the fall to the alarm of the score; undefined if there was none. */
  readonly afterMs: number | undefined;
  /** Alarms of the score before there was a fall. */
  readonly falseAlarms: number;
  readonly isJudgeChangeTold: boolean;
  readonly byJudges: number | undefined;
  readonly byOthers: number | undefined;
}

// The cast holds because detection reads nothing else of a suite.
const suiteOf = (version: string) =>
  ({
    name: 'care',
    version,
    criteria: NAMES.map((name) => ({
      name,
      weight: ONE / 4,
      whenNotApplicable: 'exclude',
      judged: name === 'code' ? undefined : {},
    })),
  }) as unknown as CompiledSuite;

export function change(of: Change, seed: number): Told {
  const random = randomFrom(seed);
  const [before, after] = [suiteOf('1'), suiteOf(of.is === 'suite' ? '2' : '1')];
  const judges = { before: 'old', after: of.is === 'judge' ? 'new' : 'old' };
  const running = { suite: 'care', version: after.version, judgedBy: judges.after, key: 'now' };
  const detectors = new Detectors(DEFAULT_DETECTION, of.learns === 'stored' ? [running] : []);
  const stored: { readonly at: number; readonly grades: readonly number[] }[] = [];
  const changedAt = BEGIN_MS + STORED_MS;
  const gradesOf = () => NAMES.map(() => random());
  const next = (at: number) => at + (-Math.log(1 - random()) * HOUR_MS) / of.rate;

  const observe = (suite: CompiledSuite, judgedBy: string, at: number, verdicts: readonly number[]) => {
    const evaluation = evaluationOf(suite, judgedBy, verdicts);
    detectors.observe(evaluation, at, payloadOf(evaluation));
  };
  const old = (grades: readonly number[]) => grades.map((grade) => Number(grade < PASS));
  const now = (grades: readonly number[]) =>
    grades.map((grade, place) => Number(grade < PASS - (place < 3 ? of.stricter : 0)));
  for (let at = next(BEGIN_MS); at < changedAt; at = next(at)) {
    const grades = gradesOf();
    stored.push({ at, grades });
    // The old suite's evaluations, as they were observed before the change.
    observe(before, judges.before, at, old(grades));
  }
  detectors.advance(changedAt);
  if (of.learns === 'stored') {
    detectors.learnFrom(changedAt);
    detectors.take(partOf(detectors, { stored, after, of, now, old, judgedBy: judges.after, changedAt }));
  }
  const told = detectors.takeTransitions(detectors.readings(), changedAt);
  let isJudgeChangeTold = told.some(({ kind }) => kind === 'judges');

  const fallsAt = changedAt + of.fallsAfterMs;
  let falseAlarms = 0;
  let afterMs: number | undefined;
  let hour = changedAt;
  for (let at = next(changedAt); at < changedAt + of.forMs && afterMs === undefined; at = next(at)) {
    const lost = at >= fallsAt ? of.fall : 0;
    const grades = gradesOf().map((grade, place) => (place < 3 && random() < lost / PASS ? 1 : grade));
    observe(after, judges.after, at, now(grades));
    detectors.advance(at);
    if (at - hour < HOUR_MS / 4) continue;
    hour = at;
    for (const one of detectors.takeTransitions(detectors.readings(), at)) {
      if (one.kind === 'judges') isJudgeChangeTold = true;
      if (one.kind !== 'level' || one.reading.metric !== 'tcr' || !isWorse(one.to)) continue;
      if (one.at >= fallsAt && of.fall > 0) afterMs ??= one.at - fallsAt;
      else falseAlarms += 1;
    }
  }
  const moved = detectors.readings().judges[0]?.moved;
  return { afterMs, falseAlarms, isJudgeChangeTold, byJudges: moved?.byJudges, byOthers: moved?.byOthers };
}

/** The past as `HistoryRun` gives it: all of it, or scores of a sample that the new judge was asked for. */
function partOf(
  detectors: Detectors,
  {
    stored,
    after,
    of,
    now,
    old,
    judgedBy,
    changedAt,
  }: {
    readonly stored: readonly { readonly at: number; readonly grades: readonly number[] }[];
    readonly after: CompiledSuite;
    readonly of: Change;
    readonly now: (grades: readonly number[]) => readonly number[];
    readonly old: (grades: readonly number[]) => readonly number[];
    readonly judgedBy: string;
    readonly changedAt: number;
  },
): HistoryPart {
  const isSampled = of.is === 'judge';
  const ripe = stored.filter(({ at }) => at < changedAt - DAY_MS);
  const sample = new Set(
    Array.from({ length: Math.min(SAMPLE, ripe.length) }, (_, index) => {
      return ripe[Math.floor(((index + 0.5) * ripe.length) / Math.min(SAMPLE, ripe.length))];
    }),
  );
  const mean = (verdicts: readonly number[]) => verdicts.reduce((sum, one) => sum + one, 0) / verdicts.length;
  let [sumBefore, sumAfter] = [0, 0];
  const { oneIn = 1 } = of;
  const read = stored.filter((_, index) => Math.floor(index / 20) % oneIn === 0);
  const observed = read.map((one): readonly [number, string] => {
    const verdicts = now(one.grades);
    if (!isSampled || sample.has(one)) {
      sumBefore += mean(old(one.grades));
      sumAfter += mean(verdicts);
      return [one.at, payloadOf(evaluationOf(after, judgedBy, verdicts))];
    }
    return [one.at, payloadOf(evaluationOf(after, judgedBy, [-1, -1, -1, verdicts[3] ?? 0]))];
  });
  const [wanted] = detectors.wanted;
  if (wanted === undefined) throw new Error('nothing is wanted');
  const whose = { agent: 'a', environment: 'e' };
  return {
    ...wanted,
    cursor: stored.length,
    done: stored.length,
    of: stored.length,
    stage: 'learning',
    isSampled,
    observed,
    bridges: isSampled ? [{ ...whose, conversations: sample.size, before: sumBefore, after: sumAfter }] : [],
    end: { traffic: [{ ...whose, all: oneIn, scored: isSampled ? stored.length / sample.size : oneIn }] },
  };
}

/** −1 is a verdict that nobody asked for; then there is no score. */
function evaluationOf(suite: CompiledSuite, judgedBy: string, verdicts: readonly number[]): ObservedEvaluation {
  const isScored = verdicts.every((one) => one !== -1);
  const score = verdicts.reduce((sum, one) => sum + one, 0) / verdicts.length;
  return observedOf(
    {
      score: isScored ? score * ONE : undefined,
      outcome: !isScored ? 'unscored' : score >= 0.75 ? 'successful_completion' : 'partial_failure',
      verdicts: new Map(
        NAMES.map((name, place) => [
          name,
          verdicts[place] === -1 ? 'skipped' : verdicts[place] === 1 ? 'pass' : 'fail',
        ]),
      ),
    },
    suite,
    {
      labels: { agent: 'a', agent_version: 'v1', environment: 'e' },
      effort: { steps: 3, costUsd: undefined },
      user: '',
      traits: [],
      judgedBy,
    },
  );
}

const CASES: readonly (readonly [name: string, change: Omit<Change, 'learns' | 'rate'>])[] = [
  ...[1 / 24, 1, 3, 5, 8].map((days): readonly [string, Omit<Change, 'learns' | 'rate'>] => [
    `suite edited, -20 points ${days < 1 ? 'an hour' : `${days} d`} later`,
    { is: 'suite', stricter: 0, fall: 0.2, fallsAfterMs: days * DAY_MS, forMs: (days + 5) * DAY_MS },
  ]),
  ['suite edited, no fall in 30 d', { is: 'suite', stricter: 0, fall: 0, fallsAfterMs: 0, forMs: 30 * DAY_MS }],
  [
    'suite edited, one in eight read, no fall in 30 d',
    { is: 'suite', stricter: 0, fall: 0, fallsAfterMs: 0, forMs: 30 * DAY_MS, oneIn: 8 },
  ],
  [
    'judge changed, -20 points in that hour',
    { is: 'judge', stricter: 0, fall: 0.2, fallsAfterMs: HOUR_MS / 2, forMs: 10 * DAY_MS },
  ],
  [
    'judge 10 points stricter, -20 points in that hour',
    { is: 'judge', stricter: 0.1, fall: 0.2, fallsAfterMs: HOUR_MS / 2, forMs: 10 * DAY_MS },
  ],
  [
    'judge 10 points stricter, no fall in 14 d',
    { is: 'judge', stricter: 0.1, fall: 0, fallsAfterMs: 0, forMs: 14 * DAY_MS },
  ],
  ['judge changed, no fall in 14 d', { is: 'judge', stricter: 0, fall: 0, fallsAfterMs: 0, forMs: 14 * DAY_MS }],
];

export function benchLearned({
  runs,
  seed,
  rates,
  only,
}: {
  readonly runs: number;
  /** Cases whose names contain it. */
  readonly only?: string;
  readonly seed: number;
  readonly rates: readonly number[];
}) {
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const rate of rates)
    for (const [name, of] of CASES.filter((one) => only === undefined || one[0].includes(only))) {
      const [ours, live] = (['stored', 'live'] as const).map((learns) =>
        Array.from({ length: runs }, (_, run) => change({ ...of, learns, rate }, seed + run)),
      );
      const count = (told: readonly Told[] = []) =>
        of.fall > 0
          ? told.filter(({ afterMs }) => afterMs !== undefined).length
          : told.reduce((sum, { falseAlarms }) => sum + falseAlarms, 0);
      const row = { name: `${name}, ${rate}/h, ${of.fall > 0 ? 'told' : 'false alarms'} in ${runs} runs` };
      const [mine, others] = [count(ours), count(live)];
      rows.push({ ...row, ours: mine, reference: others, ratio: Number((mine / Math.max(1, others)).toFixed(3)) });
      notes.push(`${row.name}: ${summary(ours ?? [])}; from live ones: ${summary(live ?? [])}`);
    }
  return { rows, notes };
}

/** Delays from a fall, alarms without one, and how many points the change of judges is told to be. */
function summary(told: readonly Told[]): string {
  const delays = told.flatMap(({ afterMs }) => (afterMs === undefined ? [] : afterMs / HOUR_MS)).sort((a, b) => a - b);
  const mean = (values: readonly (number | undefined)[]) => {
    const known = values.filter((one) => one !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
  };
  const median = delays[Math.floor(delays.length / 2)];
  const points = [mean(told.map(({ byJudges }) => byJudges)), mean(told.map(({ byOthers }) => byOthers))];
  return [
    `told ${delays.length} of ${told.length}`,
    ...(median === undefined ? [] : [`median ${median.toFixed(1)} h, slowest ${(delays.at(-1) ?? 0).toFixed(1)} h`]),
    `${told.reduce((sum, { falseAlarms }) => sum + falseAlarms, 0)} alarms without a fall`,
    ...(told.some(({ isJudgeChangeTold }) => isJudgeChangeTold)
      ? [`judges told ${told.filter(({ isJudgeChangeTold }) => isJudgeChangeTold).length}`]
      : []),
    ...(points[0] === undefined ? [] : [`by judges ${points[0].toFixed(3)}, by others ${points[1]?.toFixed(3)}`]),
  ].join(', ');
}
