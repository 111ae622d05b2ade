import { expect, test } from 'vitest';
import { detections } from '../../../../src/api/detections.ts';
import type { DetectionReport, LevelReading, Transition } from '../../../../src/model/detection.ts';
import { getDetections } from '../../../../src/serve/api/v1/detections.ts';
import type { V1Side } from '../../../../src/serve/api/v1/v1-side.ts';

const AT = Date.parse('2026-11-20T10:00:00Z');

const LEVEL: LevelReading = {
  suite: 'care',
  agent: 'helper',
  environment: 'prod',
  metric: 'tcr',
  criterion: undefined,
  state: 'ok',
  since: AT,
  logEvidence: 0,
  logThreshold: 7,
  change: undefined,
  onset: undefined,
  minimumDetectableRatio: undefined,
  parts: [],
};
const REGRESSED: LevelReading = {
  ...LEVEL,
  state: 'regressed',
  onset: AT,
  change: { baseline: 0.9, observed: 0.7, ratio: -0.2222, lower: -0.3, upper: -0.15 },
  parts: [
    { part: 'mix', criterion: '', points: 0.01 },
    { part: 'criterion', criterion: 'right', points: -0.21 },
  ],
};
const SUSPECTED: LevelReading = { ...LEVEL, metric: 'criterion', criterion: 'polite', state: 'suspected', onset: AT };
const CHANGED: Transition = {
  kind: 'level',
  id: 'x'.repeat(32),
  at: AT,
  from: 'ok',
  to: 'regressed',
  reading: REGRESSED,
};
const VERSION: Transition = {
  kind: 'version',
  id: 'y'.repeat(32),
  at: AT,
  from: 'inconclusive',
  to: 'worse',
  reading: {
    suite: 'care',
    agent: 'helper',
    environment: 'prod',
    version: 'v2',
    baselineVersion: 'v1',
    verdict: 'worse',
    logEvidenceWorse: 9,
    logEvidenceBetter: 0,
    difference: -0.12,
  },
};

async function answered(state: ReturnType<V1Side['detectionState']>) {
  // The cast holds because this read needs no more.
  const side = { detectionState: () => state } as unknown as V1Side;
  const { status, body } = await getDetections.handle(side, { query: new URLSearchParams(), parameters: new Map() });
  expect(status).toBe(200);
  return detections.parse(JSON.parse(String(body)));
}

function reportOf(levels: readonly LevelReading[], recent: readonly Transition[] = []): DetectionReport {
  return {
    levels,
    recent,
    versions: [],
    judges: [],
    transitions: [],
    notices: [],
    observed: 10,
    keptOut: {},
    time: AT,
    learning: [],
  };
}

test('suites that are learned from stored conversations are in the note, with how far they are', async () => {
  const wanted = {
    suite: 'care',
    version: '2',
    judgedBy: '',
    key: 'k',
    since: 0,
    until: 1,
    after: 0,
    isSampled: false,
  };
  const report: DetectionReport = {
    ...reportOf([LEVEL]),
    learning: [
      { ...wanted, stage: 'learning', done: 1200, of: 8000 },
      { ...wanted, suite: 'tone', stage: 'judging', done: 3, of: 200 },
    ],
  };

  expect((await answered({ isActive: true, report })).note).toBe(
    'suite care: learning from stored conversations: 1,200 of 8,000; suite tone: learning from stored conversations: 3 of 200 of a sample answered by judges',
  );
});

test('levels that got worse are sentences with their size and causes, regressions first; the rest is counted', async () => {
  const learning: LevelReading = { ...LEVEL, metric: 'hard_failure', state: 'learning' };
  const silent: LevelReading = { ...LEVEL, metric: 'cost_per_success', state: 'no_data' };
  const begins: Transition = {
    kind: 'level',
    id: 'z'.repeat(32),
    at: AT,
    from: 'no_data',
    to: 'learning',
    reading: learning,
  };
  const recent = [...Array.from({ length: 200 }, () => begins), CHANGED, VERSION];
  const report = reportOf([LEVEL, SUSPECTED, learning, silent, REGRESSED], recent);

  const said = await answered({ isActive: true, report });

  expect(said).toEqual({
    is_active: true,
    open: [
      {
        sentence:
          'helper (prod): mean score has fallen: 0.9 expected, 0.7 observed (−22.2 %); most of it by right (−21.0 points)',
        agent: 'helper',
        environment: 'prod',
        suite: 'care',
        metric: 'tcr',
        state: 'regressed',
        since: '2026-11-20T10:00:00.000Z',
        baseline: 0.9,
        observed: 0.7,
        size: { value: -0.2222, low: -0.3, high: -0.15 },
        causes: [
          { kind: 'criterion', name: 'right', points: -0.21 },
          { kind: 'mix', name: 'mix', points: 0.01 },
        ],
        explained_by: [],
      },
      {
        sentence: 'helper (prod): pass rate of polite may have fallen',
        agent: 'helper',
        environment: 'prod',
        suite: 'care',
        metric: 'criterion',
        criterion: 'polite',
        state: 'suspected',
        since: '2026-11-20T10:00:00.000Z',
        causes: [],
        explained_by: [],
      },
    ],
    changes: [
      expect.objectContaining({
        metric: 'tcr',
        kind: 'regressed',
        at: '2026-11-20T10:00:00.000Z',
        since: '2026-11-20T10:00:00.000Z',
      }),
      {
        at: '2026-11-20T10:00:00.000Z',
        sentence: 'helper (prod): version v2 scores lower than v1, good outcomes −12.0 points',
        agent: 'helper',
        environment: 'prod',
        suite: 'care',
        kind: 'version_worse',
      },
    ],
    judges: [],
    learning: 1,
    watching: 3,
    watched: [{ suite: 'care', agent: 'helper', environment: 'prod', learning: 1, watching: 3 }],
  });
});

test.each([
  [false, 'regression detection is switched off (detection.active)'],
  [true, 'no round of detection has ended here yet, or another instance does them'],
])('without a report there is a reason why: active is %s', async (isActive, note) => {
  const nothing = { open: [], changes: [], judges: [], learning: 0, watching: 0, watched: [] };
  expect(await answered({ isActive, report: undefined })).toEqual({ is_active: isActive, note, ...nothing });
});
