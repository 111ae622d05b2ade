import { expect, test } from 'vitest';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { toEvaluationJson } from '../../src/model/evaluation-json.ts';
import { randomFrom, shuffled } from '../random.ts';
import { exportRequest } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtinSuites, defaultSettings, type Line, LogDriver } from './log-driver.ts';
import { expectedOf, isLeft, sumsOf } from './history-sums.ts';
import { recordedLog, type Sent } from './recorded-log.ts';
import { rounds } from '../rounds.ts';

const SUITES = ['default', 'response-clarity', 'error-recovery'];

/** The same log in other requests: simultaneous spans in any order and any number of requests, some of them twice. */
function rebatched(log: readonly Sent[], random: () => number): Line[] {
  const moments = [...Map.groupBy(log, ({ at }) => at)];
  return moments.flatMap(([at, sent]): Line[] => {
    const repeated = sent.filter(() => random() < 0.2);
    const order = shuffled([...sent, ...repeated], random);
    const lines: Line[] = [];
    while (order.length > 0) {
      const part = order.splice(0, 1 + Math.floor(random() * order.length));
      for (const [version, same] of Map.groupBy(part, (one) => one.version)) {
        lines.push({
          at,
          request: exportRequest(
            same.map(({ span }) => span),
            version,
          ),
        });
      }
    }
    return lines;
  });
}

function bytesOf(evaluations: readonly Parameters<typeof toEvaluationJson>[0][]): string {
  return evaluations.map((evaluation) => JSON.stringify(toEvaluationJson(evaluation))).join('\n');
}

test('the same log gives the same bytes, whatever the batches, orders, duplicates and restarts', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const suites = await builtinSuites(SUITES);
  const log = recordedLog(seed);
  const reference = new LogDriver({ directory: tempDirectory(), suites });
  for (const { at, span, version } of log) reference.take({ at, request: exportRequest([span], version) });
  const expected = reference.finish();

  for (let round = 0; round < rounds(50, 8); round += 1) {
    const driver = new LogDriver({ directory: tempDirectory(), suites });
    for (const line of rebatched(log, random)) {
      driver.take(line);
      const chance = random();
      if (chance < 0.05) driver.commit();
      else if (chance < 0.052) driver.crash();
    }
    const found = driver.finish();

    expect(bytesOf(found.evaluations), `seed ${seed}, round ${round}`).toBe(bytesOf(expected.evaluations));
    expect(found.totals, `seed ${seed}, round ${round}`).toEqual(expected.totals);
    expect(sumsOf(found.history), `seed ${seed}, round ${round}`).toEqual(expectedOf(found.evaluations));
    expect(found.history.filter(isLeft), `seed ${seed}, round ${round}`).toEqual(expected.history.filter(isLeft));
  }
}, 120_000);

test('scoring the same spans offline gives the same bytes', async () => {
  const seed = 7;
  const suites = await builtinSuites(SUITES);
  const log = recordedLog(seed);
  const online = new LogDriver({ directory: tempDirectory(), suites });
  for (const { at, span, version } of log) online.take({ at, request: exportRequest([span], version) });

  const offline = await scoreRecorded({
    suites,
    settings: defaultSettings(),
    batches: shuffled(log, randomFrom(seed)).map(({ span, version }) => {
      const bytes = transcodeTraces(Buffer.from(exportRequest([span], version)));
      const index = indexTraces(bytes);
      return {
        signal: 'traces' as const,
        bytes,
        table: encodeTable(index),
        rows: index.spanCount,
        rejected: 0,
        logTime: 0,
      };
    }),
  });

  expect(bytesOf(offline.evaluations)).toBe(bytesOf(online.finish().evaluations));
});
