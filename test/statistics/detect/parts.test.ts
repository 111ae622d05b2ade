import { expect, test } from 'vitest';
import { AlarmBudget } from '../../../src/statistics/detect/alarm-budget.ts';
import { causesOf, type Sampled } from '../../../src/statistics/detect/causes.ts';
import { Detection } from '../../../src/statistics/detect/detection.ts';
import type { Observation } from '../../../src/statistics/detect/observation.ts';
import { DAY_MS, DEFAULT_DETECTION } from '../../../src/statistics/detect/settings.ts';
import { isNamedFirst, observation, segmentFound } from '../../../bench/detect-parts.ts';
import { randomFrom } from '../../random.ts';
import { BEGIN, conversation, HOUR_MS, QUICK } from './world.ts';

test('a segment of 2 % for which everything breaks is found within hours, though the score of all does not move', () => {
  expect(segmentFound(3, { perHour: 200, share: 0.02, after: 0.3 })).toBeLessThan(12);
});

test.each([[['tool: cancel']], [['model: small']], [['tool: book', 'language: de']], [[]]])(
  'what broke is named first: %j',
  (planted) => {
    expect(isNamedFirst(5, planted, { perHour: 200, afterHours: 6 })).toBe(true);
  },
);

const TOOLS = [
  { name: 'refund', share: 0.1, usual: 0.9, fallen: 0.3 },
  { name: 'cancel', share: 0.1, usual: 0.6, fallen: 0.1 },
  { name: 'search', share: 0.8, usual: 0.95, fallen: 0.95 },
] as const;

/** Alarms within five days after the fall of tools, each conversation of which uses one, and half of which a second. */
function alarmsOf(seed: number, fallen: readonly string[]) {
  const random = randomFrom(seed);
  const detection = new Detection();
  const changed = 14 * 24;
  for (let hour = 0; hour < changed + 5 * 24; hour += 1)
    for (let index = 0; index < 40; index += 1) {
      const at = BEGIN + (hour + index / 40) * HOUR_MS;
      const drawn = random();
      const tool = TOOLS[drawn < 0.1 ? 0 : drawn < 0.2 ? 1 : 2];
      const isFallen = hour >= changed && fallen.includes(tool.name);
      const traits = [`tool: ${tool.name}`, ...(tool.name === 'refund' || random() < 0.3 ? ['tool: lookup'] : [])];
      const isGood = random() < (isFallen ? tool.fallen : tool.usual);
      detection.observe(observation(at, isGood, { traits }));
    }
  return detection
    .takeTransitions()
    .filter(({ metric, to, at }) => metric === 'segment' && to === 'regressed' && at >= BEGIN + changed * HOUR_MS);
}

test.each([1, 2, 3, 4])('a part that fell only by its conversations with another has no alarm, seed %i', (seed) => {
  const alarms = alarmsOf(seed, ['refund']);

  expect(alarms.map(({ part }) => part)).toEqual(['tool: refund']);
  const [first] = alarms[0]?.causes ?? [];
  expect(first?.segments).toEqual(['tool: refund']);
  expect(first?.expected).toBeLessThan(0.2);
});

test.each([2, 3, 4])('the alarm of a part has no cause in conversations without it, seed %i', (seed) => {
  const alarms = alarmsOf(seed, ['refund', 'cancel']);

  expect(alarms.length).toBeGreaterThan(0);
  for (const { part, causes } of alarms) {
    const other = part === 'tool: refund' ? 'tool: cancel' : 'tool: refund';
    expect(causes.flatMap(({ segments }) => segments)).not.toContain(other);
  }
});

test.each([1, 2])('when a fall of everything is over, no part has an alarm of it, seed %i', (seed) => {
  const random = randomFrom(seed);
  const detection = new Detection();
  for (let hour = 0; hour < 24 * 24; hour += 1)
    for (let index = 0; index < 40; index += 1) {
      const isFallen = hour >= 14 * 24 && hour < 18 * 24;
      const traits = [random() < 0.5 ? 'tool: search' : 'tool: book', random() < 0.7 ? 'model: large' : 'model: small'];
      detection.observe(
        observation(BEGIN + (hour + index / 40) * HOUR_MS, random() < (isFallen ? 0.7 : 0.9), { traits }),
      );
    }

  const regressed = detection.takeTransitions().filter(({ to }) => to === 'regressed');
  expect(regressed.map(({ metric }) => metric)).toContain('tcr');
  expect(regressed.filter(({ metric, at }) => metric === 'segment' && at >= BEGIN + 18 * DAY_MS)).toEqual([]);
});

test('what has fallen may explain the alarm of another part, as long as they have conversations in common', () => {
  const sample = (bads: readonly (readonly [bad: number, segments: readonly number[]])[]): Sampled[] =>
    bads.flatMap(([bad, segments]) =>
      Array.from({ length: 100 }, (_, index) => ({ bad: index < bad ? 1 : 0, segments })),
    );
  const before = sample([
    [10, [1]],
    [10, [2]],
    [10, [3]],
  ]);
  const since = sample([
    [80, [1]],
    [60, [2]],
    [10, [3]],
  ]);

  const causes = causesOf(before, since, { found: 2 });
  expect(causes.flatMap(({ segments }) => segments)).not.toContain(1);
});

test('the most frequent value among failures is no cause, if it is as frequent among all', () => {
  const random = randomFrom(2);
  const sample = (count: number, rareFails: number): Sampled[] =>
    Array.from({ length: count }, () => {
      const segment = random() < 0.9 ? 1 : 2;
      return { bad: random() < (segment === 2 ? rareFails : 0.1) ? 1 : 0, segments: [segment] };
    });

  const [first] = causesOf(sample(600, 0.1), sample(400, 0.9));
  expect(first?.segments).toEqual([2]);
  expect(first?.share).toBeGreaterThan(0.7);
  expect(first?.expected).toBeLessThan(0.2);
  expect(causesOf(sample(600, 0.1), sample(3, 0.9))).toEqual([]);
});

test('a fall is not said to be everywhere beside the part that explains it', () => {
  const random = randomFrom(4);
  // Nine of ten conversations use the tool that breaks, so that the whole traffic falls as well.
  const sample = (count: number, fails: number): Sampled[] =>
    Array.from({ length: count }, () => {
      const segment = random() < 0.9 ? 1 : 2;
      return { bad: random() < (segment === 1 ? fails : 0.05) ? 1 : 0, segments: [segment] };
    });

  expect(causesOf(sample(500, 0.05), sample(300, 0.6)).map(({ segments }) => segments)).toEqual([[1]]);
  const alike = (count: number, fails: number): Sampled[] =>
    Array.from({ length: count }, () => ({ bad: random() < fails ? 1 : 0, segments: [random() < 0.5 ? 1 : 2] }));
  expect(causesOf(alike(500, 0.05), alike(300, 0.6)).map(({ segments }) => segments)).toEqual([[]]);
});

test('the budget is shared by all streams, and a single agent gets no more than it needs', () => {
  const budget = new AlarmBudget(DEFAULT_DETECTION);
  const one = {};
  const other = {};
  budget.count(one, 1);
  const alone = budget.perLevel;
  budget.count(one, 30);
  budget.count(other, 20);

  expect(alone).toBeCloseTo(1 / 7, 9);
  expect(budget.perLevel).toBeCloseTo(1 / 350, 9);
  budget.drop(other);
  expect(budget.perLevel).toBeCloseTo(1 / 210, 9);
  expect(new AlarmBudget({ ...DEFAULT_DETECTION, falseAlarmsPerMonth: 100 }).perLevel).toBe(
    DEFAULT_DETECTION.watch.falseAlarmsPerMonth,
  );
});

/** Four days as usual, then as `after` says, forty conversations an hour. */
function observed(after: Partial<Observation>, hours: number, rates = { resolved: 0.95 }): Detection {
  const random = randomFrom(8);
  const detection = new Detection(QUICK);
  const changed = 5 * DAY_MS;
  for (let hour = 0; hour < changed / HOUR_MS + hours; hour += 1)
    for (let index = 0; index < 40; index += 1) {
      const at = BEGIN + hour * HOUR_MS + (index / 40) * HOUR_MS;
      const isAfter = at >= BEGIN + changed;
      detection.observe(
        conversation(random, at, isAfter ? rates : { resolved: 0.95 }, {
          judgedBy: 'one',
          judged: new Set(['polite']),
          ...(isAfter ? after : {}),
        }),
      );
    }
  return detection;
}

test('other judges are not another agent: their criteria are learnt from scratch, those of code are watched on', () => {
  const detection = observed({ judgedBy: 'another' }, 10);

  const changes = detection.takeJudgesChanged();
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ from: 'one', to: 'another', at: BEGIN + 5 * DAY_MS });
  expect(detection.takeJudgesChanged()).toEqual([]);
  const states = new Map(
    detection
      .readings()
      .flatMap((one) => (one.of === 'level' ? [[one.criterion ?? one.metric, one.level.state] as const] : [])),
  );
  expect(states.get('tcr')).toBe('learning');
  expect(states.get('polite')).toBe('learning');
  expect(states.get('resolved')).toBe('ok');
});

test('how much of a change of TCR is the judges own is said, after a restart too', () => {
  const random = randomFrom(9);
  const before = observed({}, 1);
  const detection = Detection.restore(QUICK, JSON.parse(JSON.stringify(before.snapshot())));
  for (let index = 0; index < 400; index += 1) {
    const at = BEGIN + 5 * DAY_MS + HOUR_MS + index * 60_000;
    const rates = { resolved: 0.95, polite: 0.57 };
    detection.observe(conversation(random, at, rates, { judgedBy: 'another', judged: new Set(['polite']) }));
  }

  const judges = detection.readings().find((one) => one.of === 'judges');
  expect(judges?.split.criteria.get('polite')).toBeCloseTo(-0.12, 1);
  expect(Math.abs(judges?.split.criteria.get('resolved') ?? 1)).toBeLessThan(0.03);
});

test('a fall that gets worse is told again, and is found against the level since it began', () => {
  const random = randomFrom(10);
  const detection = new Detection(QUICK);
  for (let hour = 0; hour < 12 * 24; hour += 1)
    for (let index = 0; index < 40; index += 1) {
      const at = BEGIN + hour * HOUR_MS + (index / 40) * HOUR_MS;
      const resolved = hour < 5 * 24 ? 0.95 : hour < 10 * 24 ? 0.75 : 0.35;
      detection.observe(conversation(random, at, { resolved }));
    }

  const falls = detection
    .takeTransitions()
    .filter(({ metric, to }) => metric === 'tcr' && to === 'regressed')
    .map(({ from, at }) => [from, (at - BEGIN) / HOUR_MS] as const);
  expect(falls).toHaveLength(2);
  expect(falls[1]?.[0]).toBe('regressed');
  expect(falls[1]?.[1]).toBeGreaterThan(10 * 24);
  expect(falls[1]?.[1]).toBeLessThan(10 * 24 + 12);
  const tcr = detection.readings().find((one) => one.of === 'level' && one.metric === 'tcr');
  if (tcr?.of !== 'level') throw new Error('TCR is watched');
  expect(tcr.level.onset).toBeGreaterThan(BEGIN + 9.8 * DAY_MS);
  expect(tcr.level.estimate?.baseline).toBeCloseTo(0.955, 1);
});
