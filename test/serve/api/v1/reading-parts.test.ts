/** The queue of conversations to read, shared out among people who read together. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readingQueue } from '../../../../src/api/estimate.ts';
import { forFile } from '../../../for-file.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { metricsOf, runService, sumOf } from '../../running-service.ts';
import { get, post, SUITE } from './filled-service.ts';

const COUNT = 30;
const HOUR_MS = 3_600_000;

const service = forFile(async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  return runService({ suites: ['./live.yaml'], dataDir });
});

async function queue(query: string): Promise<readonly string[]> {
  const { body } = await get(service(), `/api/v1/readings/queue?agent=helper&${query}`);
  return readingQueue.parse(body).items.map((one) => one.conversation_id);
}

test('each gets a part of what comes first, and comes to the others after their own', async () => {
  for (let number = 1; number <= COUNT; number += 1) {
    const sent = { id: `c-${number}`, question: 'Where?', answer: 'There.', results: ['{}'], agoMs: number * HOUR_MS };
    await post(service(), sent, number);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(service()), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(COUNT);
  const all = await queue('limit=100');
  const parts = [await queue('limit=100&by=ana&part=1/2'), await queue('limit=100&by=bo&part=2/2')];
  const [own = [], others = []] = parts;

  // The same conversations, each beginning with what the other ends with, in the order of the lots.
  expect(parts.map((part) => part.toSorted())).toEqual([all.toSorted(), all.toSorted()]);
  const ofAna = own.filter((id) => own.indexOf(id) < others.indexOf(id));
  const ofBo = others.filter((id) => others.indexOf(id) < own.indexOf(id));
  expect(ofAna.length).toBeGreaterThan(5);
  expect(ofBo.length).toBeGreaterThan(5);
  expect(ofAna).toEqual(all.filter((id) => ofAna.includes(id)));
  expect(ofAna.filter((id) => ofBo.includes(id))).toEqual([]);
  // A short list has of the first twenty alone, so that the row of what was read has small gaps.
  const first = all.slice(0, 20);
  expect((await queue('limit=10&by=ana&part=1/2')).filter((id) => !first.includes(id))).toEqual([]);
});

test.each(['0/2', '3/2', '1/10', '1', 'x/y'])('a part that is none is refused: %s', async (part) => {
  expect((await get(service(), `/api/v1/readings/queue?agent=helper&part=${part}`)).status).toBe(400);
});
