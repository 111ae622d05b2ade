/** `POST /api/v1/reload`: what SIGHUP does, with an answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { formatMistake } from '../../model/mistake.ts';
import { writing } from '../../report/http/route.ts';
import type { ReloadOutcome } from '../running/reloading.ts';

/** Scoring begins with the new configuration when what it is about has been done. */
const WAIT_MS = 60_000;

interface ReloadSide {
  readonly reload: () => Promise<ReloadOutcome>;
}

export const reloadConfiguration = writing(z.strictObject({}), async (side: ReloadSide) => {
  const limit = new AbortController();
  const outcome = await Promise.race([
    side.reload(),
    sleep(WAIT_MS, undefined, { signal: limit.signal }).catch(() => undefined),
  ]);
  limit.abort();
  if (outcome === undefined) return { status: 202, value: { reloaded: false, under_way: true } };
  if ('unavailable' in outcome) return outcome;
  if (outcome.reloaded) return { status: 200, value: { reloaded: true, needs_restart: outcome.needRestart } };
  const { problem, mistakes } = outcome;
  const error = `what ran before runs on: ${problem ?? 'the configuration has mistakes'}`;
  return { status: 422, value: { reloaded: false, error, problems: mistakes.map(formatMistake) } };
});
