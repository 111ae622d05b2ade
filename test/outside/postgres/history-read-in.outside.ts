/** A history that is read in today is shown on its own days, on the shared store. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import { evidenceOf } from '../../../src/assemble/conversation-evidence.ts';
import { UNWATCHED } from '../../../src/engine/check-watch.ts';
import { namedConversationOf } from '../../../src/assemble/build-conversation.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { engineSettings } from '../../../src/engine/engine-settings.ts';
import { outlineOf } from '../../../src/engine/suite-outline.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { V1_READS } from '../../../src/serve/api/v1/v1-reads.ts';
import type { FiledArrival } from '../../../src/store/cluster-store.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { defaultSettings } from '../../engine/log-driver.ts';
import { holdToNineDays, SUITES } from '../../serve/api/v1/nine-days.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { openStore, ownLane } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

test('nine days that are read in now are nine days in lists and figures', { timeout: 120_000 }, async () => {
  const url = await freshDatabase();
  const store = await openStore(url);
  onTestFinished(() => store.close());
  const lane = await ownLane(store);
  const folder = tempDirectory();
  const names = SUITES.map((text, index) => {
    writeFileSync(path.join(folder, `${index}.yaml`), text);
    return `./${index}.yaml`;
  });
  const { suites, mistakes } = await loadSuites(names, { baseDir: folder, builtinDir: folder });
  expect(mistakes).toEqual([]);
  const settings = engineSettings(defaultSettings());
  const engine = new Engine({ settings, suites, store: store.engineStore, watch: UNWATCHED, onEvent: () => {} });
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  const outlines = suites.map(outlineOf);
  const side = {
    reader,
    suites: () => outlines,
    detectionState: () => ({ isActive: false, report: undefined }),
    prices: [],
    onDamage: () => expect.unreachable(),
  };

  await holdToNineDays({
    take: async (requests) => {
      const now = Date.now();
      const arrivals = requests.map((request) => arrivalOf(request, now));
      await store.filing.file([{ lane, time: now + 1, positions: {}, arrivals }]);
      await store.time.move();
      for (let left = true; left; ) {
        const limits = { whose: 'any', conversationsMax: 50, bytesMax: 1 << 24 } as const;
        const batch = await store.scoring.scoreDue(limits, (set) => {
          for (const arrival of set.arrivals) engine.arrive({ ...arrival, position: 0, rows: arrival.spans });
          engine.advance(set.time);
        });
        left = batch.conversations > 0;
      }
    },
    ask: async (place, query) => {
      const route = V1_READS.find((one) => one.path === place) ?? expect.unreachable();
      const asked = { query: new URLSearchParams(query), parameters: new Map<string, string>() };
      const { status, body } = await route.handle(side, asked);
      expect([place, query, status]).toEqual([place, query, 200]);
      return JSON.parse(String(body));
    },
  });
});

function arrivalOf(request: string, closedAt: number): FiledArrival {
  const content = { traces: transcodeTraces(Buffer.from(request)), logs: undefined };
  const turns = buildTurns(normalize(content, undefined));
  const traceId = turns[0]?.traceId ?? expect.unreachable();
  return {
    traceId,
    conversationId: namedConversationOf(turns),
    closedAt,
    cause: 'settled',
    spans: turns.reduce((sum, turn) => sum + turn.steps.length, 0),
    content,
    positions: {},
    ...evidenceOf(turns),
  };
}
