/** The interval holds where what is known follows from having been read, and where it comes by itself. */
import { expect, test } from 'vitest';
import { windowEstimate } from '../../../src/engine/estimate/window-estimate.ts';
import type { Candidate, FrameCount, FrameReader } from '../../../src/store/frame-reader.ts';
import { randomFrom } from '../../random.ts';

const COUNT = 100;
const READ = 25;
const TRUTH = 0.63;
const WINDOW = { agent: 'shop', since: 0, until: 10 };

interface One {
  readonly isGood: boolean;
  readonly isRead: boolean;
  certain?: 'good' | 'bad' | undefined;
  feedback?: 'positive' | undefined;
}

/** In the order of the lots; the first ones are read. */
function world(seed: number): One[] {
  const random = randomFrom(seed);
  const all = Array.from({ length: COUNT }, (_, at) => ({ isGood: at < COUNT * TRUTH, turn: random() }));
  return all.toSorted((a, b) => a.turn - b.turn).map(({ isGood }, at) => ({ isGood, isRead: at < READ }));
}

function readerOf(all: readonly One[]): FrameReader {
  const known = ({ feedback }: One) =>
    ({ called: 'no_fault_found', feedback, outcome: undefined, foretold: undefined }) as const;
  const candidate = (one: One, row: number): Candidate => {
    const answer = one.isGood ? 'good' : 'bad';
    const readings = one.isRead ? [{ source: 'person', by: 'ana', answer, at: 5 }] : [];
    // The cast holds for what an estimate looks at.
    return {
      row: { row, glance: { beganAtMs: 1 } },
      known: known(one),
      certain: one.certain,
      readings,
    } as unknown as Candidate;
  };
  const isCertain = ({ certain }: One) => certain !== undefined;
  return {
    frameCounts: () => ({
      counts: all.map((one): FrameCount => ({ ...known(one), certain: one.certain, conversations: 1 })),
      unreadable: 0,
    }),
    firstToRead: (_, limit, asked) =>
      all
        .map(candidate)
        .filter((one) => asked === 'all' || one.certain === undefined)
        .slice(0, limit),
    readByPeople: () => ({ conversations: READ, firstAt: 5 }),
    certainSince: () => ({
      known: all.filter(isCertain).length,
      read: all.filter((one) => isCertain(one) && one.isRead).length,
    }),
    lessons: () => [],
    factsOf: () => ({ conversations: [], isCut: false }),
  };
}

async function missed(change: (one: One, random: () => number) => void): Promise<number> {
  let count = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const all = world(seed);
    const random = randomFrom(seed + 1000);
    for (const one of all) change(one, random);
    const { success } = await windowEstimate(readerOf(all), WINDOW);
    if (success === undefined || TRUTH < success.lower || TRUTH > success.upper) count += 1;
  }
  return count / 200;
}

const certainly = (one: One) => {
  one.certain = one.isGood ? 'good' : 'bad';
};

test.each([
  ['nothing more is known', () => undefined],
  [
    'failures that were read become certain',
    (one: One) => {
      if (one.isRead && !one.isGood) certainly(one);
    },
  ],
  [
    'successes that were read become certain',
    (one: One) => {
      if (one.isRead && one.isGood) certainly(one);
    },
  ],
  [
    'failures become certain by themselves, half of them',
    (one: One, random: () => number) => {
      if (!one.isGood && random() < 0.5) certainly(one);
    },
  ],
  [
    'all failures become certain by themselves',
    (one: One) => {
      if (!one.isGood) certainly(one);
    },
  ],
  [
    'users praise what was read as good',
    (one: One) => {
      if (one.isRead && one.isGood) one.feedback = 'positive';
    },
  ],
  [
    'users praise half of what went well',
    (one: One, random: () => number) => {
      if (one.isGood && random() < 0.5) one.feedback = 'positive';
    },
  ],
] as const)('%s', async (_, change) => {
  expect(await missed(change)).toBeLessThanOrEqual(0.05);
});
