/** A prediction in a service: readings of earlier conversations teach it, and new ones are foretold as they are scored. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type EstimateAnswer, estimateAnswer } from '../../../src/api/estimate.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { post, SUITE } from '../api/v1/filled-service.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';

const DAY_MS = 24 * 3_600_000;
const EARLIER = 60;

async function scored(running: RunningService, count: number): Promise<void> {
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 30_000 })
    .toBe(count);
}

async function explained(running: RunningService): Promise<EstimateAnswer> {
  const response = await fetch(`${running.http}/api/v1/estimate?agent=helper&explain=true`);
  return estimateAnswer.parse(await response.json());
}

test('readings of weeks ago foretell what comes now, but not what nobody has read', { timeout: 120_000 }, async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  const first = await runService({ suites: ['./live.yaml'], dataDir });
  const send = (
    running: RunningService,
    number: number,
    calls: number,
    more: { agoMs?: number; locale?: string } = {},
  ) => {
    const { agoMs = 60_000, locale } = more;
    const results = Array.from({ length: calls }, () => '{}');
    const attributes = locale === undefined ? {} : { locale };
    return post(
      running,
      { id: `c-${number}`, question: 'Where?', answer: 'There.', results, agoMs, attributes },
      number,
    );
  };
  for (let number = 1; number <= EARLIER; number += 1)
    await send(first, number, number % 2, { agoMs: 20 * DAY_MS + number * 1000 });
  await send(first, EARLIER + 1, 1);
  await scored(first, EARLIER + 1);
  // With a call it goes well nine times of ten, without one once.
  const readings = Array.from({ length: EARLIER }, (_, index) => ({
    ...{ conversation_id: `c-${index + 1}`, by: 'ana' },
    answer: (index % 2 === 0) === index % 20 < 18 ? 'good' : 'bad',
  }));
  const response = await fetch(`${first.http}/v1/readings`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(readings),
  });
  expect(response.status).toBe(200);
  expect((await explained(first)).explained?.cells.map(({ predicted }) => predicted)).toEqual([undefined]);
  await first.service.stop();

  const running = await runService({ suites: ['./live.yaml'], dataDir });
  let sent = EARLIER + 1;
  const foretold = async () => {
    sent += 2;
    await send(running, sent - 1, 1);
    await send(running, sent, 0);
    await scored(running, sent);
    return ((await explained(running)).explained?.cells ?? []).flatMap(({ predicted }) => predicted ?? []);
  };
  // It learns at the start, beside everything else.
  while ((await foretold()).length < 2);
  const { explained: of, conversations } = await explained(running);
  const chances = of?.cells.flatMap(({ predicted }) => predicted ?? []).toSorted() ?? [];
  expect(chances[0]).toBeLessThan(0.4);
  expect(chances.at(-1)).toBeGreaterThan(0.6);
  expect(of?.prediction).toMatchObject({ readings: EARLIER, hash: expect.stringMatching(/^[0-9a-f]{12}$/) as string });
  expect(of?.prediction?.weights.map(({ fact }) => fact)).toContain('last in a turn: no call');

  const before = of?.cells.find(({ predicted }) => predicted === undefined)?.size ?? 0;
  await send(running, sent + 1, 1, { locale: 'de' });
  await scored(running, sent + 1);
  const after = await explained(running);
  const silent = after.explained?.cells.filter(({ predicted }) => predicted === undefined);
  expect(silent?.reduce((sum, { size }) => sum + size, 0)).toBe(before + 1);
  expect(after.conversations.spoken_for).toBe(conversations.spoken_for + 1);
});
