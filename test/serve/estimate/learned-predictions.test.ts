import { expect, test } from 'vitest';
import type { StoredConversation } from '../../../src/store/engine-store.ts';
import { CHANCES, LEARNS_BEHIND_MS } from '../../../src/store/frame-columns.ts';
import type { Lesson } from '../../../src/store/frame-reader.ts';
import { Foreteller, learnedPrediction, learnedPredictions } from '../../../src/serve/estimate/learned-predictions.ts';

const DAY_MS = 24 * 3_600_000;
const NOON = 20_000 * DAY_MS + DAY_MS / 2;
const LESSONS: readonly Lesson[] = Array.from({ length: 80 }, (_, at) => ({
  facts: [at % 2 === 0 ? 'tool: search' : 'tool: refund'],
  isGood: at % 2 === 0 ? at % 20 !== 0 : at % 5 === 0,
}));

type Reader = Parameters<typeof learnedPredictions>[0];

function readerOf(ofAgent: Readonly<Record<string, readonly Lesson[]>>) {
  const asked: number[] = [];
  const reader = {
    pages: { countedPlaces: () => Object.keys(ofAgent).map((agent, at) => ({ agent, last: at })) },
    frame: {
      lessons: ({ agent, before }: { readonly agent: string; readonly before: number }) => {
        asked.push(before);
        return ofAgent[agent] ?? [];
      },
    },
  };
  // The cast holds for what is asked of it.
  return { reader: reader as unknown as Reader, asked };
}

function conversation(beganAtMs: number, more: Partial<StoredConversation> = {}): StoredConversation {
  const labels = { agent: 'shop', agentVersion: '1', environment: '' };
  // The cast holds for what is read of it.
  return { labels, glance: { beganAtMs }, firstClosedAt: 0, facts: ['tool: search'], ...more } as StoredConversation;
}

test('readings teach that began more than a week before all of which they will speak', async () => {
  const { reader, asked } = readerOf({ shop: LESSONS, quiet: [] });
  const learned = await learnedPredictions(reader, NOON);

  expect(learned.map(({ agent }) => agent)).toEqual(['shop']);
  const yesterday = 19_999 * DAY_MS;
  expect(new Set(asked)).toEqual(new Set([yesterday - LEARNS_BEHIND_MS]));
  expect(learned[0]).toMatchObject({ since: yesterday, taughtBefore: yesterday - LEARNS_BEHIND_MS });
  expect(await learnedPrediction(reader, 'shop', NOON + DAY_MS / 3)).toEqual(learned[0]);
});

test('conversations that began since then are foretold, of agents that have a prediction and of kinds that were read', async () => {
  const { reader } = readerOf({ shop: LESSONS });
  const foreteller = new Foreteller();
  const { foretell } = foreteller;
  // Nothing is known yet: what was said before stays.
  expect(foretell(conversation(NOON, { foretold: 3 }))).toBe(3);

  foreteller.learned(await learnedPredictions(reader, NOON));

  const good = foretell(conversation(NOON)) ?? -1;
  const bad = foretell(conversation(NOON, { facts: ['tool: refund'] })) ?? -1;
  expect(CHANCES[good]).toBeGreaterThan(0.7);
  expect(CHANCES[bad]).toBeLessThan(0.4);
  const yesterday = 19_999 * DAY_MS;
  expect(foretell(conversation(yesterday))).toBe(good);
  expect(foretell(conversation(yesterday - 1, { foretold: good }))).toBeUndefined();
  expect(foretell(conversation(NOON, { facts: ['tool: search', 'tool: new'] }))).toBeUndefined();
  expect(foretell(conversation(NOON, { facts: undefined }))).toBeUndefined();
  const other = { agent: 'other', agentVersion: '1', environment: '' };
  expect(foretell(conversation(NOON, { labels: other }))).toBeUndefined();
  const { glance, ...rest } = conversation(NOON);
  expect(foretell({ ...rest, glance: {}, firstClosedAt: glance.beganAtMs ?? 0 })).toBe(good);
});
