import { expect, test } from 'vitest';
import { Detection } from '../../../src/statistics/detect/detection.ts';
import type { Observation, Reading, Transition } from '../../../src/statistics/detect/observation.ts';
import { DAY_MS, type DetectionSettings } from '../../../src/statistics/detect/settings.ts';
import { randomFrom } from '../../random.ts';
import { BEGIN, conversation, HOUR_MS, QUICK } from './world.ts';

type Rates = Parameters<typeof conversation>[2];

/** `perHour` conversations evenly over `hours`, beginning at `from`. */
function* traffic(
  random: () => number,
  from: number,
  hours: number,
  rates: Rates,
  { perHour = 60, labels = {} }: { readonly perHour?: number; readonly labels?: Partial<Observation> } = {},
): Iterable<Observation> {
  for (let index = 0; index < hours * perHour; index += 1)
    yield conversation(random, from + Math.floor((index * HOUR_MS) / perHour), rates, labels);
}

function feed(detection: Detection, observations: Iterable<Observation>): Transition[] {
  const seen: Transition[] = [];
  for (const observed of observations) {
    detection.observe(observed);
    seen.push(...detection.takeTransitions());
  }
  return seen;
}

function levelOf(detection: Detection, metric: string, criterion?: string) {
  for (const reading of detection.readings())
    if (reading.of === 'level' && reading.metric === metric && reading.criterion === criterion) return reading.level;
  throw new Error(`no ${metric} ${criterion ?? ''}`);
}

function splitOf(detection: Detection) {
  return detection.readings().find((reading): reading is Reading & { of: 'split' } => reading.of === 'split')?.split;
}

/** Paths of values that are not numbers. */
function notFinite(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path}: ${value}`];
  if (typeof value !== 'object' || value === null) return [];
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.flatMap(([key, inner]) => notFinite(inner, `${path}.${key}`));
}

const GOOD = { resolved: 0.95 };
const BAD = { resolved: 0.6 };

test('a fall is learnt about, suspected, found, and over: each state in its turn', () => {
  const random = randomFrom(1);
  const detection = new Detection(QUICK);
  const onset = BEGIN + 4 * DAY_MS;
  const seen = feed(detection, traffic(random, BEGIN, 96, GOOD));
  seen.push(...feed(detection, traffic(random, onset, 12, BAD)));
  const during = levelOf(detection, 'tcr');
  seen.push(...feed(detection, traffic(random, onset + 12 * HOUR_MS, 60, GOOD)));
  const ofScore = seen.filter(({ metric }) => metric === 'tcr');

  expect(ofScore.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'no_data learning',
    'learning ok',
    'ok suspected',
    'suspected regressed',
    'regressed recovered',
    'recovered ok',
  ]);
  expect(during.state).toBe('regressed');
  expect(Math.abs((during.onset ?? 0) - onset)).toBeLessThan(HOUR_MS);
  expect(during.estimate?.baseline).toBeCloseTo(0.966, 1);
  expect(during.estimate?.change).toBeCloseTo(-0.18, 1);
  expect(during.estimate?.changeLower).toBeLessThan(-0.18);
  expect(during.estimate?.changeUpper).toBeLessThan(-0.1);
  expect(during.logEvidence).toBeGreaterThan(during.logThreshold);
});

test('the criterion that fell is found and explains the fall; the others stay as they are', () => {
  const random = randomFrom(2);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 96, GOOD));
  feed(detection, traffic(random, BEGIN + 4 * DAY_MS, 12, BAD));
  const split = splitOf(detection);
  const parts = [...(split?.criteria.values() ?? [])].reduce((sum, part) => sum + part, 0);

  expect(levelOf(detection, 'criterion', 'resolved').state).toBe('regressed');
  expect(levelOf(detection, 'criterion', 'polite').state).toBe('ok');
  expect(levelOf(detection, 'criterion', 'safe').state).toBe('ok');
  expect(split?.criteria.get('resolved')).toBeLessThan(-0.12);
  expect(Math.abs(split?.criteria.get('safe') ?? 1)).toBeLessThan(0.02);
  expect(parts + (split?.mix ?? 0)).toBeCloseTo((split?.observed ?? 0) - (split?.baseline ?? 0), 14);
});

test('the baseline is not poisoned by a regression that lasts', () => {
  const random = randomFrom(3);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 96, GOOD));
  feed(detection, traffic(random, BEGIN + 4 * DAY_MS, 20 * 24, BAD, { perHour: 20 }));

  expect(levelOf(detection, 'tcr').state).toBe('regressed');
  expect(levelOf(detection, 'tcr').estimate?.baseline).toBeGreaterThan(0.95);
});

test('a level that is accepted is the one to expect from then on', () => {
  const random = randomFrom(4);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 96, GOOD));
  feed(detection, traffic(random, BEGIN + 4 * DAY_MS, 48, BAD));
  const labels = { suite: 'support', agent: 'helper', environment: 'production' };

  const accepted = detection.accept(labels, BEGIN + 6 * DAY_MS);
  expect(accepted.map(({ metric, criterion }) => criterion ?? metric)).toEqual(['tcr', 'resolved']);
  expect(detection.accept(labels, BEGIN + 6 * DAY_MS)).toEqual([]);
  feed(detection, traffic(random, BEGIN + 6 * DAY_MS, 48, BAD));
  expect(levelOf(detection, 'tcr').state).toBe('ok');
  expect(levelOf(detection, 'tcr').estimate?.baseline).toBeLessThan(0.85);
});

test('only the levels that are meant are accepted', () => {
  const random = randomFrom(4);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 96, GOOD));
  feed(detection, traffic(random, BEGIN + 4 * DAY_MS, 48, BAD));
  const labels = { suite: 'support', agent: 'helper', environment: 'production' };
  const at = BEGIN + 6 * DAY_MS;

  expect(detection.accept({ ...labels, agent: 'another' }, at)).toEqual([]);
  expect(detection.accept({ ...labels, environment: 'staging' }, at)).toEqual([]);
  expect(detection.accept({ ...labels, metric: 'hard_failure' }, at)).toEqual([]);
  expect(detection.accept({ suite: 'support', agent: 'helper', criterion: 'resolved' }, at)).toEqual([
    { ...labels, metric: 'criterion', criterion: 'resolved' },
  ]);
  expect(levelOf(detection, 'tcr').state).toBe('regressed');
});

test('more conversations of the hard kind are no regression, and worse ones of both kinds are', () => {
  const random = randomFrom(5);
  const detection = new Detection(QUICK);
  const mixed = (from: number, hours: number, hardShare: number, factor: number) => {
    const seen: Transition[] = [];
    for (let index = 0; index < hours * 100; index += 1) {
      const isHard = random() < hardShare;
      const rates = { resolved: (isHard ? 0.6 : 0.95) * factor };
      const at = from + Math.floor((index * HOUR_MS) / 100);
      seen.push(...feed(detection, [conversation(random, at, rates, { segment: isHard ? 'hard' : 'easy' })]));
    }
    return seen.filter(({ metric, to }) => metric === 'tcr' && to === 'regressed');
  };

  mixed(BEGIN, 96, 0.2, 1);
  const afterShift = mixed(BEGIN + 4 * DAY_MS, 24, 0.7, 1);
  // Both kinds fall while the share of easy ones grows: the plain mean stays about the same.
  const afterFall = mixed(BEGIN + 5 * DAY_MS, 24, 0.0, 0.8);

  expect(afterShift).toEqual([]);
  expect(afterFall).toHaveLength(1);
});

test('hard failures and costs that rise are found, each by its own watch', () => {
  const random = randomFrom(6);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 96, GOOD));
  const dear = { resolved: 0.95, cost: 0.04 };
  feed(detection, traffic(random, BEGIN + 4 * DAY_MS, 12, dear));

  expect(levelOf(detection, 'cost_per_success').state).toBe('regressed');
  expect(levelOf(detection, 'cost_per_success').estimate?.change).toBeCloseTo(1, 0);
  expect(levelOf(detection, 'tcr').state).toBe('ok');
  expect(levelOf(detection, 'steps_per_success').state).toBe('ok');

  const broken = { score: 0, outcome: 'hard_failure' } as const;
  for (const observed of traffic(random, BEGIN + 4.5 * DAY_MS, 12, dear))
    detection.observe(random() < 0.1 ? { ...observed, ...broken } : observed);
  expect(levelOf(detection, 'hard_failure').state).toBe('regressed');
});

test('silence is no data, and what was thought is still thought when data come back', () => {
  const random = randomFrom(7);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 96, GOOD));
  feed(detection, traffic(random, BEGIN + 4 * DAY_MS, 12, BAD));
  detection.advance(BEGIN + 6 * DAY_MS);
  const silent = levelOf(detection, 'tcr').state;
  detection.observe(conversation(random, BEGIN + 6 * DAY_MS, BAD));

  expect(silent).toBe('no_data');
  expect(levelOf(detection, 'tcr').state).toBe('regressed');
});

test('a candidate version that is worse is called so, and one that is the same is not', () => {
  const random = randomFrom(8);
  const detection = new Detection(QUICK);
  feed(detection, traffic(random, BEGIN, 24, GOOD));
  for (let index = 0; index < 6000; index += 1) {
    const version = ['1', 'worse', 'same'][index % 3] as string;
    const rates = version === 'worse' ? { resolved: 0.8 } : GOOD;
    detection.observe(conversation(random, BEGIN + DAY_MS + index * 30_000, rates, { version }));
  }
  const verdicts = detection
    .readings()
    .flatMap((reading) =>
      reading.of === 'version' ? [[reading.version, reading.baselineVersion, reading.race.verdict]] : [],
    );

  expect(verdicts[0]).toEqual(['worse', '1', 'worse']);
  expect(verdicts[1]?.slice(0, 2)).toEqual(['same', '1']);
  expect(['equivalent', 'inconclusive']).toContain(verdicts[1]?.[2]);
});

test('a snapshot at any moment goes on as if nothing had been in between, bit for bit', () => {
  const random = randomFrom(9);
  const observations = [
    ...traffic(random, BEGIN, 72, GOOD, { perHour: 20 }),
    ...traffic(random, BEGIN + 3 * DAY_MS, 20, BAD, { perHour: 20, labels: { version: '2', segment: 'x' } }),
    ...traffic(random, BEGIN + 3 * DAY_MS + 20 * HOUR_MS, 20, BAD, { perHour: 20 }),
    ...traffic(random, BEGIN + 5 * DAY_MS, 30, GOOD, { perHour: 20, labels: { version: '2' } }),
  ];
  const whole = new Detection(QUICK);
  let interrupted = new Detection(QUICK);
  const transitions: [Transition[], Transition[]] = [[], []];
  let restarts = 0;
  for (const observed of observations) {
    whole.observe(observed);
    interrupted.observe(observed);
    if (random() < 0.01) {
      interrupted = Detection.restore(QUICK, JSON.parse(JSON.stringify(interrupted.snapshot())));
      restarts += 1;
    }
    if (random() < 0.1) {
      transitions[0].push(...whole.takeTransitions());
      transitions[1].push(...interrupted.takeTransitions());
    }
  }

  expect(restarts).toBeGreaterThan(10);
  expect(transitions[1]).toEqual(transitions[0]);
  expect(interrupted.readings()).toEqual(whole.readings());
  expect(JSON.stringify(interrupted.snapshot())).toBe(JSON.stringify(whole.snapshot()));
  expect(transitions[0].some(({ to }) => to === 'regressed')).toBe(true);
});

test.each([
  { kinds: 'intents that spans say', isKnown: true, verdicts: [['2', '1', 'equivalent']] },
  { kinds: 'none', isKnown: false, verdicts: [['2', '1', 'worse']] },
])('a version with more of the hard conversations is not worse: $kinds', ({ isKnown, verdicts }) => {
  const random = randomFrom(43);
  const detection = new Detection(QUICK);
  const observe = (version: string, hard: number, at: number) => {
    const isHard = random() < hard;
    const traits = isKnown ? ['tool: search', `intent: ${isHard ? 'refund' : 'news'}`] : ['tool: search'];
    const rates = { resolved: isHard ? 0.55 : 0.95 };
    detection.observe(conversation(random, at, rates, { version, traits }));
  };
  for (let index = 0; index < 500; index += 1) observe('1', 0.25, BEGIN + index * 60_000);
  for (let index = 0; index < 30_000; index += 1) {
    const isNew = index % 2 === 1;
    observe(isNew ? '2' : '1', isNew ? 0.55 : 0.25, BEGIN + DAY_MS + index * 10_000);
  }

  const found = detection
    .readings()
    .flatMap((reading) =>
      reading.of === 'version' ? [[reading.version, reading.baselineVersion, reading.race.verdict]] : [],
    );
  expect(found).toEqual(verdicts);
  const restored = Detection.restore(QUICK, detection.snapshot());
  expect(restored.readings()).toEqual(detection.readings());
});

test('a snapshot of another version is refused', () => {
  expect(() => Detection.restore(QUICK, { version: 99, streams: [] })).toThrow('version 99');
  expect(() => Detection.restore(QUICK, null)).toThrow('version');
});

test('agents, suites and environments are watched apart, however their names are put together', () => {
  const random = randomFrom(10);
  const detection = new Detection(QUICK);
  for (const labels of [
    { suite: 'a', agent: 'bc', environment: 'd' },
    { suite: 'ab', agent: 'c', environment: 'd' },
    { suite: 'a', agent: 'b', environment: 'cd' },
    { suite: '__proto__', agent: 'constructor', environment: '' },
  ])
    detection.observe(conversation(random, BEGIN, GOOD, labels));

  expect(
    new Set(detection.readings().map(({ suite, agent, environment }) => `${suite}|${agent}|${environment}`)),
  ).toEqual(new Set(['a|bc|d', 'ab|c|d', 'a|b|cd', '__proto__|constructor|']));
});

test('names without end leave everything bounded, and are counted', () => {
  const random = randomFrom(11);
  const limits = { streams: 3, segments: 2, strata: 3, watchedSegments: 5, criteria: 4, versions: 3, candidates: 2 };
  const detection = new Detection({ ...QUICK, limits } satisfies DetectionSettings);
  for (let index = 0; index < 3000; index += 1)
    detection.observe({
      ...conversation(random, BEGIN + index * 1000, GOOD),
      agent: index < 2000 ? 'one' : `agent ${index}`,
      segment: `segment ${index}`,
      version: `version ${index % 500}`,
      verdicts: [[`criterion ${index}`, 'fail']],
    });
  const size = JSON.stringify(detection.snapshot()).length;

  expect(size).toBeLessThan(200_000);
  expect(detection.folded).toMatchObject({ unwatched: 998, segments: expect.any(Number), forgotten: 0 });
  expect(detection.folded.segments).toBeGreaterThan(1900);
  expect(detection.folded.criteria).toBeGreaterThan(1900);
  expect(detection.folded.versions).toBeGreaterThan(0);

  detection.observe(conversation(random, BEGIN + 9 * DAY_MS, GOOD, { agent: 'late' }));
  expect(detection.folded.forgotten).toBe(1);
});

test('values that make no sense harm nothing', () => {
  const random = randomFrom(12);
  const detection = new Detection(QUICK);
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e308, 0, -0, undefined];
  for (let index = 0; index < 20_000; index += 1) {
    const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
    const observed = conversation(random, BEGIN + index * 30_000, GOOD);
    detection.observe({
      ...observed,
      score: random() < 0.2 ? pick(odd) : observed.score,
      costUsd: random() < 0.2 ? pick(odd) : observed.costUsd,
      steps: random() < 0.2 ? (pick(odd) ?? 0) : observed.steps,
      at: random() < 0.1 ? BEGIN - 1e9 : observed.at,
      weights: new Map([['resolved', pick(odd) ?? 1]]),
    });
  }
  expect(notFinite(detection.snapshot())).toEqual([]);
  expect(notFinite(detection.readings())).toEqual([]);
  expect(() => detection.observe(conversation(random, Number.NaN, GOOD))).toThrow('time');
});
