/** An experiment in parts: each is whole and at rest before it is asked whether that is enough. */
import { expect, test } from 'vitest';
import { planParts } from '../../../src/offline/run/run-plan.ts';
import { doing, SCRIPTED_COMMAND, tryAgent } from './running-experiment.ts';

const CASES = ['a', 'b', 'c', 'd'].map((id) => doing(id, 'messages'));
const PARTS = planParts(CASES, [1, 3, 4], { repeats: 3, seed: 1 });

/** Asks after each part, and ends after the one of this index. */
async function endingAfter(last: number) {
  const flying = new Set<string>();
  const asked: { part: number; flying: number }[] = [];
  const keyOf = (id: string, repeat: number) => `${id} ${repeat}`;
  const ran = await tryAgent(SCRIPTED_COMMAND, CASES, {
    repeats: 3,
    parts: PARTS,
    places: 3,
    settleMs: 5,
    onStarted: (planned) => flying.add(keyOf(planned.case.id, planned.repeat)),
    onKept: (run) => flying.delete(keyOf(run.case, run.repeat)),
    isEnough: (part) => {
      asked.push({ part, flying: flying.size });
      return part === last;
    },
  });
  return { ...ran, asked };
}

test('ends after the part that is enough, with all repeats of its cases, nothing in flight and nothing of the rest', async () => {
  const { end, runs, asked, experiment } = await endingAfter(1);

  expect(asked).toEqual([
    { part: 0, flying: 0 },
    { part: 1, flying: 0 },
  ]);
  expect(end.is).toBe('ended');
  expect(experiment.endedAt).toBeDefined();
  expect(runs.map((run) => `${run.case}${run.repeat}`).sort()).toEqual([
    ...['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'],
  ]);
});

test('runs all parts where none is enough', async () => {
  const { end, runs, asked } = await endingAfter(-1);

  expect(asked.map(({ part }) => part)).toEqual([0, 1, 2]);
  expect(end.is).toBe('ended');
  expect(runs).toHaveLength(12);
});
