import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Incident, replayDetection } from '../../src/backtest/replay-detection.ts';
import { DEFAULT_DETECTION } from '../../src/statistics/detect/settings.ts';
import { VERDICTS } from '../../src/model/evaluation.ts';
import type { EvaluationScanner, ScannedEvaluation } from '../../src/store/evaluation-scan.ts';
import { assayHere } from '../assay-here.ts';
import { filledService } from '../serve/api/v1/filled-service.ts';
import { tempDirectory } from '../temp-directory.ts';
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
      because: undefined,
      seen: {
        ...{ at, steps: 5, costNanos: undefined, tokens: undefined, durationMs: 1000, beganAt: at },
        ...{ userKey: undefined, kindKey: undefined },
      },
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
  expect(found.agents).toEqual({ all: 1, learnt: 1 });
  const tcr = found.alarms.filter(({ metric }) => metric === 'tcr');
  expect(tcr).toHaveLength(1);
  expect(tcr[0]).toMatchObject({ suite: 'default', agent: 'helper', incident: 'provider outage' });
  expect(tcr[0]?.endedAt).toBeGreaterThan(MENDED);
  const [outage, quiet] = found.incidents;
  expect(outage?.foundAfterMs).toBeGreaterThan(HOUR);
  expect(outage?.foundAfterMs).toBeLessThan(12 * HOUR);
  expect(quiet?.foundAfterMs).toBeUndefined();
});

test('a replay over too little history says that nothing was learnt', async () => {
  const { suite, reader } = await history();
  const since = START + (DAYS - 1) * DAY;
  const settings = {
    ...DEFAULT_DETECTION,
    watch: { ...DEFAULT_DETECTION.watch, learn: { conversations: 1e6, historyMs: DAY } },
  };
  const found = await replayDetection({ reader, suites: [suite], settings, incidents: [], since, agent: 'helper' });

  expect(found.evaluations).toBeGreaterThan(0);
  expect(found.alarms).toEqual([]);
  expect(found.agents).toEqual({ all: 1, learnt: 0 });
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

test('an incident outside of the history, or of an agent that is not in it, is none that was missed', async () => {
  const { suite, reader } = await history();
  const before = { name: 'before', from: START - 3 * DAY, to: START - DAY };
  const after = { name: 'after', from: START + DAYS * DAY, to: START + 30 * DAY, agent: 'helper' };
  const others = { ...OUTAGE, agent: 'another' };
  const incidents = [OUTAGE, QUIET, before, after, others];
  const found = await replayDetection({ reader, suites: [suite], settings: DEFAULT_DETECTION, incidents });

  expect(found.incidents.map(({ notReplayed }) => notReplayed)).toEqual([
    undefined,
    undefined,
    'outside_of_history',
    'outside_of_history',
    'no_such_agent',
  ]);
});

test('a suite of which only the name is known is replayed by its score', async () => {
  const { suite, reader, rows } = await history();
  const suites = [{ name: suite.name, criteria: [] }];
  const found = await replayDetection({ reader, suites, settings: DEFAULT_DETECTION, incidents: [OUTAGE] });

  expect([found.evaluations, found.withoutVerdicts, found.bySuite]).toEqual([rows, rows, new Map([['default', rows]])]);
  expect(found.alarms.map(({ metric }) => metric)).toContain('tcr');
  expect(found.alarms.map(({ metric }) => metric)).not.toContain('criterion');
});

test('the command replays the suites of the store, and says which of them the configuration lacks', {
  timeout: 60_000,
}, async () => {
  const { dataDir } = await filledService();
  const folder = tempDirectory();
  const incidents = path.join(folder, 'incidents.json');
  const times = { from: new Date(Date.now() - HOUR), to: new Date(Date.now() + HOUR) };
  const past = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };
  writeFileSync(
    incidents,
    JSON.stringify([
      { name: 'missed', ...times },
      { name: 'long ago', ...past },
      { name: 'of nobody', ...times, agent: 'nobody' },
    ]),
  );
  const replay = (...args: readonly string[]) =>
    assayHere(['detect', '--replay', '--incidents', incidents, ...args], { cwd: folder });

  for (const more of [[], ['--only-suite', 'calls']]) {
    const { status, stdout } = await replay('--data-dir', dataDir, '--json', ...more);
    expect([more, status]).toEqual([more, 0]);
    const said = z.looseObject({ incidents: z.array(z.looseObject({ name: z.string() })) }).parse(JSON.parse(stdout));
    expect(said).toMatchObject({
      evaluations: 4,
      without_verdicts: 4,
      not_configured: [{ suite: 'calls', evaluations: 4 }],
      incidents: [{ result: 'not_found' }, { result: 'outside_of_history' }, { result: 'no_such_agent' }],
      incidents_missed: 1,
    });
  }
  const { stdout: text } = await replay('--data-dir', dataDir);
  expect(text).toContain('4 evaluations by calls, which the configuration does not have');
  expect(text).toContain('outside of the history  long ago');
  expect(text).toContain('no such agent in the history  of nobody');
  expect(text).toContain('0 of 1 known incident in the history found');
  const known = await replay('--config', path.join(dataDir, 'assay.yaml'), '--json');
  expect(JSON.parse(known.stdout)).toMatchObject({ evaluations: 4, without_verdicts: 0, not_configured: [] });
  const unknown = await replay('--data-dir', dataDir, '--only-suite', 'nope');
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringMatching(/no such suite, there are .*calls/)]);
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
