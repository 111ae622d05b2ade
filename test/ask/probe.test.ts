/** The probe of a judge's self-consistency, over a real HTTP server that plays the provider. */
import { expect, test } from 'vitest';
import { isProbed } from '../../src/ask/probe.ts';
import { judgeAt, NO_LIMIT, startAsking, until } from './asked.ts';
import { NO, startProvider, YES } from './provider.ts';
import { judgeRequest } from './requests.ts';

const probes = (events: ReturnType<typeof startAsking>['events']) =>
  events.flatMap((event) => (event.type === 'judge-probed' ? [event.agreed] : []));

test('an answered question is asked once more, and its verdict stays what it was', async () => {
  const provider = await startProvider(({ number }) => ({ say: number === 1 ? NO : YES }));
  const { ask, ends, events, outcomeOf } = startAsking({
    judges: [judgeAt(provider.url, { probe: 1, concurrency: 1 })],
  });
  const [first, second] = [judgeRequest('a'), judgeRequest('b')];

  ask(first, second);
  await ends(first, second);
  await until(() => probes(events).length === 2);

  // The first was answered yes, then no; the second yes both times.
  expect(probes(events)).toEqual([false, true]);
  expect(provider.asked).toHaveLength(4);
  for (const request of [first, second]) expect(outcomeOf(request)).toMatchObject({ answers: [{ pass: true }] });
});

test('what the probe costs is in the budget, and it takes nothing that verdicts may need', async () => {
  const provider = await startProvider(() => ({ say: YES, usage: [100, 10] }));
  const prices = { inputPerMillion: 0, outputPerMillion: 1000 };
  // A call may cost 300 × 1000 × 10⁻⁶ = 0.3, and actually costs 0.01; four fifths of 0.35 are less than 0.3.
  const budget = { ...NO_LIMIT, hourNanos: 0.35e9 };
  const { ask, ends, events } = startAsking({
    judges: [judgeAt(provider.url, { probe: 1, prices })],
    rules: { budget },
  });
  const [first, second] = [judgeRequest('a', { priority: 50 }), judgeRequest('b', { priority: 50 })];

  ask(first);
  await ends(first);
  ask(second);
  await ends(second);

  expect(provider.asked).toHaveLength(2);
  expect(probes(events)).toEqual([]);
});

test('the sample is by the question, and a larger one has the smaller one in it', () => {
  const keys = Array.from({ length: 2000 }, (_, index) => judgeRequest(`${index}`).key);
  const sampleOf = (share: number) => keys.filter((key) => isProbed(key, share));

  expect(sampleOf(0)).toEqual([]);
  expect(sampleOf(1)).toEqual(keys);
  const [tenth, fifth] = [sampleOf(0.1), sampleOf(0.2)];
  expect(tenth.every((key) => fifth.includes(key))).toBe(true);
  expect([Math.round(tenth.length / 40), Math.round(fifth.length / 40)]).toEqual([5, 10]);
});
