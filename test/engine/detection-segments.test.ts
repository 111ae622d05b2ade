/** The detectors split a change by segment in the same detail as by criterion. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_DETECTION } from '../../src/statistics/detect/settings.ts';
import { Detectors } from '../../src/engine/detection/detectors.ts';
import { randomFrom } from '../random.ts';

const HOUR_MS = 3_600_000;
const BEGIN = 1_700_000_000_000;

const endOf = (passes: boolean) =>
  ({
    score: passes ? 1 : 0,
    outcome: passes ? 'successful_completion' : 'partial_failure',
    verdicts: [['done', passes ? 'pass' : 'fail']],
  }) as const;

const SOLVED = {
  ...{ suite: 's', suiteVersion: '1', agent: 'a', environment: 'e', version: 'v', segment: '', user: '', traits: [] },
  ...{ judgedBy: '', judged: new Set<string>(), weights: new Map([['done', 1]]), costUsd: undefined, steps: 1 },
  ...endOf(true),
};

test('a suite that was removed from the configuration has no levels, and has them when it returns', () => {
  const running = ['old', 'new'].map((suite) => ({ suite, version: '1', key: suite, judgedBy: '' }));
  const before = new Detectors(DEFAULT_DETECTION, running);
  before.observe({ ...SOLVED, suite: 'old' }, BEGIN);
  const suitesOf = (detectors: Detectors) => new Set(detectors.readings().levels.map(({ suite }) => suite));
  const state = before.state();

  expect(suitesOf(before)).toEqual(new Set(['old']));
  expect(suitesOf(Detectors.restore(DEFAULT_DETECTION, state, running.slice(1)))).toEqual(new Set());
  expect(suitesOf(Detectors.restore(DEFAULT_DETECTION, state, running))).toEqual(new Set(['old']));
});

function segmentsOf({ seed, hard, fall }: { readonly seed: number; readonly hard: number; readonly fall: number }) {
  const random = randomFrom(seed);
  const detectors = new Detectors(DEFAULT_DETECTION);
  for (let index = 0; index < 6000; index += 1) {
    const isAfter = index >= 5000;
    const isHard = random() < (isAfter ? hard : 0.3);
    const passes = random() < (isHard ? 0.6 : 0.9) - (isAfter ? fall : 0);
    const at = BEGIN + index * (HOUR_MS / 20);
    const whose = { suite: 's', suiteVersion: '1', agent: 'a', environment: 'e', version: 'v' };
    detectors.observe({ ...SOLVED, ...whose, segment: isHard ? 'hard' : 'easy', ...endOf(passes) }, at);
    detectors.advance(at);
  }
  const tcr = detectors.readings().levels.find(({ metric }) => metric === 'tcr');
  if (tcr?.counted === undefined) throw new Error('the change was not taken apart');
  return { ...tcr, counted: tcr.counted, segmentParts: tcr.segmentParts ?? [] };
}

const sum = (parts: readonly { readonly points: number }[]) => parts.reduce((total, { points }) => total + points, 0);

test('the parts by segment add up to the change as it was counted, as those by criterion do', () => {
  const traffic = fc.record({
    seed: fc.integer({ min: 1, max: 1000 }),
    hard: fc.constantFrom(0.05, 0.3, 0.8),
    fall: fc.constantFrom(0, 0.2, 0.5),
  });
  fc.assert(
    fc.property(traffic, (made) => {
      const { counted, parts, segmentParts } = segmentsOf(made);
      const change = counted.observed - counted.baseline;
      expect(sum(parts)).toBeCloseTo(change, 10);
      expect(sum(segmentParts)).toBeCloseTo(change, 10);
      expect(new Set(segmentParts.map(({ segment }) => segment))).toEqual(new Set(['easy', 'hard', '']));
    }),
    { numRuns: 6 },
  );
});

test('another mix is no part of a segment, and a fall is one of both', () => {
  const mixed = segmentsOf({ seed: 3, hard: 0.8, fall: 0 });
  const fallen = segmentsOf({ seed: 3, hard: 0.3, fall: 0.3 });
  const of = ({ segmentParts }: typeof mixed, name: string) =>
    segmentParts.find(({ segment }) => segment === name)?.points ?? Number.NaN;

  expect(of(mixed, '')).toBeLessThan(-0.08);
  expect(Math.abs(of(mixed, 'hard'))).toBeLessThan(0.06);
  expect(of(fallen, 'easy')).toBeLessThan(-0.12);
  expect(of(fallen, 'hard')).toBeLessThan(-0.04);
});
