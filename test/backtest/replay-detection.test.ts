import { expect, test } from 'vitest';
import { type Incident, replayDetection } from '../../src/backtest/replay-detection.ts';
import { DEFAULT_DETECTION } from '../../src/detect/settings.ts';
import { VERDICTS } from '../../src/model/evaluation.ts';
import type { EvaluationScanner, ScannedEvaluation } from '../../src/store/evaluation-scan.ts';
import { builtinSuites } from '../engine/log-driver.ts';
import { randomFrom } from '../random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 2);
const DAYS = 20;
const FELL = START + 12 * DAY;
const MENDED = START + 14 * DAY;

const PASS = VERDICTS.indexOf('pass');
const FAIL = VERDICTS.indexOf('fail');

/** Twenty an hour; for two days four in ten fail, else one in ten. */
async function history(judgeVersionAt?: (at: number) => string) {
  const [suite] = await builtinSuites(['default']);
  if (suite === undefined) throw new Error('no suite');
  const random = randomFrom(4);
  const rows: ScannedEvaluation[] = [];
  for (let at = START; at < START + DAYS * DAY; at += HOUR / 20) {
    const isBad = random() < (at >= FELL && at < MENDED ? 0.4 : 0.1);
    const kinds = suite.criteria.map((_, place) => (isBad && place === 0 ? FAIL : PASS)).join('');
    const judge = judgeVersionAt === undefined ? '' : ` 0:${judgeVersionAt(at)}`;
    rows.push({
      row: rows.length + 1,
      conversation: rows.length + 1,
      turnId: '',
      suiteVersion: '1',
      revision: 1,
      score: isBad ? 200_000 : 1_000_000,
      outcome: isBad ? 'partial_failure' : 'successful_completion',
      labels: JSON.stringify({ agent: 'helper', agent_version: '1', environment: 'test' }),
      basis: `0123456789abcdef 1 ${kinds}${judge}`,
      ending: undefined,
      createdAt: at,
      seen: { at, steps: 5, costNanos: undefined, tokens: undefined, durationMs: 1000 },
    });
  }
  const asked: unknown[] = [];
  const reader: Pick<EvaluationScanner, 'scanEvaluations'> = {
    *scanEvaluations(query) {
      asked.push(query);
      for (let from = 0; from < rows.length; from += 500) yield rows.slice(from, from + 500);
    },
  };
  return { suite, reader: reader as EvaluationScanner, asked, rows: rows.length };
}

const OUTAGE: Incident = { name: 'provider outage', from: FELL - HOUR, to: MENDED };
const QUIET: Incident = { name: 'a change nobody felt', from: START + 16 * DAY, to: START + 17 * DAY };

test('a replay says which alarms there would have been, and which known incidents they find', async () => {
  const { suite, reader, asked, rows } = await history();
  const found = await replayDetection({
    reader,
    suites: [suite],
    settings: DEFAULT_DETECTION,
    incidents: [OUTAGE, QUIET],
    agent: 'helper',
  });

  expect(asked).toEqual([{ suiteKey: 'default', since: undefined, agent: 'helper' }]);
  expect(found.evaluations).toBe(rows);
  expect(found.withoutVerdicts).toBe(0);
  const tcr = found.alarms.filter(({ metric }) => metric === 'tcr');
  expect(tcr).toHaveLength(1);
  expect(tcr[0]).toMatchObject({ suite: 'default', agent: 'helper', incident: 'provider outage' });
  expect(tcr[0]?.endedAt).toBeGreaterThan(MENDED);
  const [outage, quiet] = found.incidents;
  expect(outage?.foundAfterMs).toBeGreaterThan(HOUR);
  expect(outage?.foundAfterMs).toBeLessThan(12 * HOUR);
  expect(quiet?.foundAfterMs).toBeUndefined();
});

test('an incident of another agent is found by nothing of this one', async () => {
  const { suite, reader } = await history();
  const found = await replayDetection({
    reader,
    suites: [suite],
    settings: DEFAULT_DETECTION,
    incidents: [{ ...OUTAGE, agent: 'another' }],
  });

  expect(found.alarms.every(({ incident }) => incident === undefined)).toBe(true);
  expect(found.incidents[0]?.foundAfterMs).toBeUndefined();
});

test('detection that takes longer to learn than there is history would have given no alarm', async () => {
  const { suite, reader } = await history();
  const { watch } = DEFAULT_DETECTION;
  const settings = { ...DEFAULT_DETECTION, watch: { ...watch, learn: { conversations: 1e6, historyMs: DAY } } };

  expect((await replayDetection({ reader, suites: [suite], settings, incidents: [OUTAGE] })).alarms).toEqual([]);
});

test('nothing stored is no replay', async () => {
  const { suite } = await history();
  const reader = { *scanEvaluations() {} } as unknown as EvaluationScanner;
  const found = await replayDetection({ reader, suites: [suite], settings: DEFAULT_DETECTION, incidents: [] });

  expect(found).toMatchObject({ evaluations: 0, from: undefined, to: undefined, alarms: [] });
});
