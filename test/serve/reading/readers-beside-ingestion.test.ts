/** More readers than may wait, beside clients that send spans: readers are told to wait, nobody who sends is. */
import { expect, test } from 'vitest';
import { WAITING_MAX } from '../../../src/serve/reading/read-limits.ts';
import { metricsOf, runService, sendTurns, sumOf } from '../running-service.ts';

const TURNS = 200;

test('readers beyond the limit get 429 with Retry-After, and every batch of spans beside them is accepted', async () => {
  const running = await runService({ suites: ['default'] });
  await sendTurns(running, { first: 1, turns: TURNS });
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(TURNS);
  const there = await idsIn(await fetch(`${running.http}/api/conversations?limit=1000`));
  const readers = Array.from({ length: 3 * WAITING_MAX }, () => fetch(`${running.http}/api/conversations?limit=1000`));

  // Each throws unless it is answered with 200.
  for (let batch = 1; batch <= 5; batch += 1) await sendTurns(running, { first: 1000 * batch, turns: 10 });
  const answers = await Promise.all(readers);

  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].toSorted()).toEqual([200, 429]);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '1'));
  const listed = await idsIn(answers.find(({ status }) => status === 200) ?? expect.fail('nobody was answered'));
  // The first batch beside the readers may be there as well.
  expect(there).toHaveLength(TURNS);
  expect(listed).toEqual(expect.arrayContaining([...there]));
  expect(listed.length).toBeLessThanOrEqual(TURNS + 5 * 10);
  const metrics = await metricsOf(running);
  expect(metrics.get('assay_api_refused_reads_total{reason="queue_full"}')).toBe(refused.length);
  expect(metrics.get('assay_api_requests_total{route="/api/conversations",code="2xx"}')).toBe(
    answers.length - refused.length + 1,
  );
  expect(sumOf(metrics, 'assay_refused_requests_total')).toBe(0);
  // Once for all of them.
  expect(running.lines.filter((line) => line.includes('request to read the store refused'))).toHaveLength(1);
});

async function idsIn(answer: Response): Promise<readonly string[]> {
  const { conversations } = (await answer.json()) as { conversations: { conversation_id: string }[] };
  return conversations.map(({ conversation_id: id }) => id);
}
