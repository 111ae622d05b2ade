import { expect, test } from 'vitest';
import { prune } from '../../src/store/sqlite/retention.ts';
import type { Store } from '../../src/store/sqlite/store.ts';
import { randomFrom } from '../random.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtinSuites, LogDriver } from './log-driver.ts';
import { rounds } from '../rounds.ts';

const CONVERSATIONS = 25;
const EVERY_MS = 60_000;
const HOUR = 3_600_000;
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The conversations that retention may delete: successful ones, all evaluated ones, or as many as take too much room.
 */
function retention(random: () => number) {
  const kind = Math.floor(random() * 3);
  const keepMs = kind === 2 ? NEVER : 0;
  return { reopenMs: HOUR, maxBytes: kind === 2 ? 1 : NEVER, keepMs, keepFailedMs: kind === 1 ? 0 : NEVER };
}

function inTransaction<T>(store: Store, work: () => T): T {
  store.begin();
  const done = work();
  store.commit();
  return done;
}

test('each conversation is counted once, whatever is deleted, sent twice, lost in a crash and read again', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const suites = await builtinSuites(['default', 'error-recovery']);
  const requests = [...traffic({ seed, conversations: CONVERSATIONS, turnsMax: 1 })].map(({ turns, agentVersion }) =>
    exportRequest(turns.flat(), agentVersion),
  );
  const undisturbed = new LogDriver({ directory: tempDirectory(), suites });
  for (const [index, request] of requests.entries()) undisturbed.take({ at: index * EVERY_MS, request });
  const expected = undisturbed.finish();

  let deleted = 0;
  let crashes = 0;
  const tried = rounds(40, 8);
  for (let round = 0; round < tried; round += 1) {
    const driver = new LogDriver({ directory: tempDirectory(), suites });
    for (const [index, request] of requests.entries()) {
      const at = index * EVERY_MS;
      driver.take({ at, request });
      driver.advance(at);
      const again = requests[Math.floor(random() * (index + 1))];
      if (random() < 0.3 && again !== undefined) driver.take({ at, request: again });
      if (random() < 0.3)
        deleted += driver.between((store) =>
          inTransaction(store, () => prune(store, retention(random), Date.now() + 1)),
        ).conversations;
      if (random() < 0.1) {
        crashes += 1;
        driver.crash();
      }
    }
    const found = driver.finish();

    expect(found.totals, `seed ${seed}, round ${round}`).toEqual(expected.totals);
  }
  expect(deleted / tried).toBeGreaterThan(2.5);
  expect(crashes / tried).toBeGreaterThan(0.5);
}, 120_000);
