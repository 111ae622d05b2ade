import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { onTestFinished, expect, test } from 'vitest';
import { DEFAULT_DETECTION } from '../../src/statistics/detect/settings.ts';
import {
  type DetectionProblem,
  DetectionRounds,
  type DeliveredNotice,
} from '../../src/engine/detection/detection-rounds.ts';
import type { ChosenLevels, DetectionReport } from '../../src/model/detection.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';

/** An hour of history is enough, and the baseline ends a quarter of an hour ago. */
const SETTINGS = {
  ...DEFAULT_DETECTION,
  watch: {
    ...DEFAULT_DETECTION.watch,
    baseline: { memoryMs: 86_400_000, gapMs: 900_000, bucketMs: 150_000 },
    learn: { conversations: 200, historyMs: 3_600_000 },
  },
};
const START = Date.UTC(2026, 0, 1);
const EVERY_MS = 10_000;

function payload(passed: boolean, suiteVersion = '1'): string {
  const texts = ['s', suiteVersion, 'a', 'e', 'v1', ''];
  return JSON.stringify([
    texts,
    passed ? 1_000_000 : 0,
    passed ? 0 : 3,
    [['right', passed ? 0 : 1, 1_000_000]],
    0.01,
    3,
  ]);
}

/** 95 % pass; from `fallsAt` on 50 %. */
function evaluations(count: number, fallsAt: number) {
  const random = randomFrom(7);
  return Array.from({ length: count }, (_, index) => ({
    at: START + index * EVERY_MS,
    evaluation: index.toString(16).padStart(32, '0'),
    payload: payload(random() < (index < fallsAt ? 0.95 : 0.5)),
  }));
}

function machine() {
  const file = path.join(tempDirectory(), 'assay.db');
  const problems: DetectionProblem[] = [];
  const make = () =>
    new DetectionRounds({
      settings: SETTINGS,
      subscribers: [{ key: 'hook', on: ['regressed'] }],
      onProblem: (problem) => problems.push(problem),
    });
  let store = Store.open(file, { durable: false });
  let rounds = make();
  onTestFinished(() => store.close());
  return {
    problems,
    /** Like a crash: only the file remains. */
    restart() {
      store.close();
      store = Store.open(file, { durable: false });
      rounds = make();
    },
    another: make,
    get store() {
      return store;
    },
    queue(observations: ReturnType<typeof evaluations>) {
      store.begin();
      for (const one of observations) store.detection.add(one);
      store.commit();
    },
    round(
      options: {
        readonly delivered?: readonly DeliveredNotice[];
        readonly logTime?: number;
        readonly fails?: boolean;
        readonly now?: number;
      } = {},
    ) {
      return round(store, rounds, options);
    },
    accept(chosen: ChosenLevels, options: { readonly fails?: boolean; readonly by?: DetectionRounds } = {}) {
      return accept(store, options.by ?? rounds, chosen, options);
    },
  };
}

function round(
  store: Store,
  rounds: DetectionRounds,
  options: {
    readonly delivered?: readonly DeliveredNotice[];
    readonly logTime?: number;
    readonly fails?: boolean;
    readonly now?: number;
  } = {},
): DetectionReport {
  const { delivered = [], logTime = 0, now = 0 } = options;
  try {
    store.detection.round(5000, (taken) => {
      const written = rounds.work(taken, { logTime, delivered, questions: [], now });
      if (options.fails === true) throw new Error('power is gone');
      return written;
    });
  } catch (error) {
    rounds.undone();
    throw error;
  }
  const committed = rounds.committed();
  if (committed === undefined) throw new Error('no round was done');
  return committed.report;
}

/** The metrics and criteria that were accepted, and the report of the round. */
function accept(
  store: Store,
  rounds: DetectionRounds,
  chosen: ChosenLevels,
  options: { readonly fails?: boolean } = {},
) {
  try {
    store.detection.round(5000, (taken) => {
      const written = rounds.work(taken, { logTime: 0, delivered: [], questions: [{ id: 7, chosen }], now: 0 });
      if (options.fails === true) throw new Error('power is gone');
      return written;
    });
  } catch (error) {
    rounds.undone();
    throw error;
  }
  const { report, answers } = rounds.committed() ?? { report: undefined, answers: [] };
  const [answer] = answers;
  if (answer === undefined || 'problem' in answer.acceptance) throw new Error('no round was done');
  const { accepted, others } = answer.acceptance;
  return { id: answer.id, accepted: accepted.map(({ criterion, metric }) => criterion ?? metric), others, report };
}

const stateOf = ({ levels }: DetectionReport) => levels.find(({ metric }) => metric === 'tcr')?.state;

test('an agent that gets worse is found, its onset and the criterion that explains it are named', () => {
  const { queue, round: next } = machine();
  queue(evaluations(1500, 1200));

  const report = next();

  const found = report.transitions.find(
    (one) => one.kind === 'level' && one.reading.metric === 'tcr' && one.to === 'regressed',
  );
  expect(stateOf(report)).toBe('regressed');
  expect(found?.kind).toBe('level');
  const reading = report.levels.find(({ metric }) => metric === 'tcr');
  expect(reading?.change?.ratio).toBeLessThan(-0.3);
  expect(Math.abs((reading?.onset ?? 0) - (START + 1200 * EVERY_MS))).toBeLessThan(50 * EVERY_MS);
  expect(reading?.parts.toSorted((a, b) => a.points - b.points)[0]?.criterion).toBe('right');
});

test('rounds that fail and processes that end leave the same state as if nothing had happened', () => {
  const all = evaluations(1500, 1200);
  const random = randomFrom(11);
  const calm = machine();
  const troubled = machine();
  let calmReport: DetectionReport | undefined;
  let troubledReport: DetectionReport | undefined;

  for (let from = 0; from < all.length; from += 100) {
    const some = all.slice(from, from + 100);
    const logTime = some.at(-1)?.at ?? 0;
    calm.queue(some);
    calmReport = calm.round({ logTime });
    troubled.queue(some);
    if (random() < 0.5) expect(() => troubled.round({ logTime, fails: true })).toThrow('power is gone');
    if (random() < 0.5) troubled.restart();
    troubledReport = troubled.round({ logTime });
    if (random() < 0.3) troubled.restart();
  }

  expect(troubledReport?.observed).toBe(1500);
  expect(troubledReport?.levels).toEqual(calmReport?.levels);
  expect(troubledReport?.recent).toEqual(calmReport?.recent);
  expect(troubledReport?.notices).toEqual(calmReport?.notices);
  expect(troubled.problems).toEqual([]);
});

test('two that think they are the owner take turns, and each goes on from where the other was', () => {
  const all = evaluations(1500, 1200);
  const alone = machine();
  const shared = machine();
  const owners = [shared.another(), shared.another()];
  let aloneReport: DetectionReport | undefined;
  let sharedReport: DetectionReport | undefined;

  for (let from = 0; from < all.length; from += 100) {
    const some = all.slice(from, from + 100);
    alone.queue(some);
    aloneReport = alone.round();
    shared.queue(some);
    const owner = owners[(from / 100) % 3 === 0 ? 0 : 1];
    if (owner !== undefined) sharedReport = round(shared.store, owner);
  }

  expect(sharedReport).toEqual(aloneReport);
});

test('a notice waits in the state until a webhook has had it, over restarts too', () => {
  const { queue, round: next, restart } = machine();
  queue(evaluations(1500, 1200));
  const [first] = next().notices;
  restart();

  const after = next();
  const id = first?.transition.id ?? '';
  const done = next({
    delivered: [...after.notices].map(({ transition }) => ({ id: transition.id, webhook: 'hook' })),
  });
  restart();

  expect(after.notices.map(({ transition }) => transition.id)).toContain(id);
  expect(done.notices).toEqual([]);
  expect(next().notices).toEqual([]);
});

test.each<[what: string, snapshot: Buffer]>([
  ['is broken', Buffer.from('not a state')],
  ['is of another format', Buffer.from('')],
])('a state that %s begins anew, says so, and what waits is observed', (_what, snapshot) => {
  const { store, queue, round: next, problems } = machine();
  store.detection.round(1, () => snapshot);
  queue(evaluations(10, 10));

  const report = next();

  expect(problems).toEqual([{ what: 'began-again', problem: expect.any(String) }]);
  expect(report.observed).toBe(10);
});

test.each([
  ['of the rounds', { format: 2, detectors: { suites: [] } }],
  ['of the detectors', { format: 1, detectors: { suites: [['s', '1', { version: 99 }]] } }],
])('a newer format %s is left to the newer Assay, and what waits goes on waiting', (_what, state) => {
  const { store, queue, round: next, problems } = machine();
  const snapshot = zstdCompressSync(JSON.stringify(state));
  store.detection.round(1, () => snapshot);
  queue(evaluations(10, 10));

  expect(() => next()).toThrow(/newer Assay, which has to go on/);

  expect(problems).toEqual([]);
  store.detection.round(100, (round) => {
    expect(round.observations).toHaveLength(10);
    expect(Buffer.from(round.state.snapshot ?? []).equals(snapshot)).toBe(true);
    return undefined;
  });
});

test('a row that is not an observation is let go, and the others are observed', () => {
  const { queue, round: next, problems } = machine();
  queue([
    { at: 1, evaluation: 'a', payload: 'not JSON' },
    { at: 2, evaluation: 'b', payload: payload(true) },
  ]);

  expect(next().observed).toBe(1);
  expect(next().observed).toBe(1);
  expect(problems).toEqual([{ what: 'dropped', problem: expect.any(String) }]);
});

test('another version of a suite is another score: it learns anew', () => {
  const { queue, round: next } = machine();
  queue(evaluations(1000, 1000));
  expect(stateOf(next())).toBe('ok');

  queue([{ at: START + 1000 * EVERY_MS, evaluation: 'f'.repeat(32), payload: payload(true, '2') }]);

  expect(stateOf(next())).toBe('learning');
});

test('nothing is written where nothing has come, whatever the time', () => {
  const { store, queue, round: next } = machine();
  queue(evaluations(10, 10));
  next();
  next({ logTime: START + 10 * EVERY_MS });
  next({ logTime: START + 11 * EVERY_MS });

  let version = 0;
  store.detection.round(0, ({ state }) => {
    version = state.version;
    return undefined;
  });
  expect(version).toBe(1);
});

/** The version of the state that is written, and how many observations wait. */
function stored({ store }: ReturnType<typeof machine>): readonly [version: number, waiting: number] {
  let seen: readonly [number, number] = [0, 0];
  store.detection.round(5000, ({ state, observations }) => {
    seen = [state.version, observations.length];
    return 'later';
  });
  return seen;
}

test('while nobody is told of anything, the state is written now and then, and nothing is observed twice', () => {
  const all = evaluations(1000, 1000);
  const under = machine();
  const queued = (from: number, to: number) => under.queue(all.slice(from, to));
  queued(0, 100);
  under.round({ now: 0 });
  expect(stored(under)).toEqual([1, 0]);

  queued(100, 200);
  expect(under.round({ now: 20_000 }).observed).toBe(200);
  queued(200, 300);
  expect(under.round({ now: 40_000 }).observed).toBe(300);
  expect(under.round({ now: 50_000 }).observed).toBe(300);
  expect(stored(under)).toEqual([1, 200]);
  // Somebody was forgotten meanwhile: the state of before, and what still waits.
  under.store.detection.round(1, ({ observations }) => (observations.length === 1 ? undefined : 'later'));
  expect(under.round({ now: 55_000 }).observed).toBe(299);
  under.restart();
  expect(under.round({ now: 56_000 }).observed).toBe(299);
  queued(300, 301);
  expect(under.round({ now: 115_999 }).observed).toBe(300);
  expect(stored(under)).toEqual([1, 200]);
  expect(under.round({ now: 116_000 }).observed).toBe(300);
  expect(stored(under)).toEqual([2, 0]);
});

test('an observation that waits behind older ones is observed once, whatever else one round takes', () => {
  const random = randomFrom(3);
  const all = Array.from({ length: 7000 }, (_, index) => ({
    at: START + index * 1000,
    evaluation: index.toString(16).padStart(32, '0'),
    payload: payload(random() < 0.95),
  }));
  const under = machine();
  under.queue(all.slice(0, 1));
  under.round();
  // The latest come first, are observed and not written; then more older ones than a round takes.
  under.queue(all.slice(6500));
  expect(under.round().observed).toBe(501);
  expect(stored(under)).toEqual([1, 500]);
  under.queue(all.slice(1, 6500));
  expect(under.round().observed).toBe(5001);
  expect(under.round().observed).toBe(7000);
  expect(under.round().observed).toBe(7000);
});

test('a regressed level that is accepted is learnt anew, once, whoever did it and whatever failed before', () => {
  const { queue, round: next, accept: acceptNow, restart, another } = machine();
  queue(evaluations(1500, 1200));
  expect(stateOf(next())).toBe('regressed');
  const chosen = { suite: 's', agent: 'a' };

  expect(() => acceptNow(chosen, { fails: true })).toThrow('power is gone');
  restart();
  const byAnother = another();
  const first = acceptNow(chosen, { by: byAnother });
  const again = acceptNow(chosen);
  restart();

  expect(first.id).toBe(7);
  expect(first.accepted).toEqual(['tcr', 'right']);
  expect(again.accepted).toEqual([]);
  expect(again.others.map(({ state }) => state)).not.toContain('regressed');
  expect(next().levels.map(({ state }) => state)).not.toContain('regressed');
  expect(first.report?.transitions.some(({ from, to }) => from === 'regressed' && to !== 'regressed')).toBe(true);
});

test('accepting what is not watched changes nothing, and says what there is', () => {
  const { store, queue, round: next, accept: acceptNow } = machine();
  queue(evaluations(1000, 1000));
  next();

  expect(acceptNow({ suite: 'another', agent: 'a' })).toMatchObject({ accepted: [], others: [] });
  const { accepted, others } = acceptNow({ suite: 's', agent: 'a', metric: 'tcr' });

  expect(accepted).toEqual([]);
  expect(others).toMatchObject([{ metric: 'tcr', state: 'ok' }]);
  let version = 0;
  store.detection.round(0, ({ state }) => {
    version = state.version;
    return undefined;
  });
  expect(version).toBe(1);
});
