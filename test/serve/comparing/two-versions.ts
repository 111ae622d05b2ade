/** A service with three versions of an agent: v2 is worse than v1, and v3 like it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { tempDirectory } from '../../temp-directory.ts';
import { post, SUITE } from '../api/v1/filled-service.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';

/** Tool calls of each conversation: one in v1 fails `looked`, and 18 in v2; one in v2 fails `few`. */
export const CALLS = {
  v1: [...Array.from({ length: 23 }, () => 1), 0],
  v2: [1, 1, 1, 1, 1, 2, ...Array.from({ length: 18 }, () => 0)],
};

/** Pairs of versions by what the second is. */
export const VERSIONS = { worse: ['v1', 'v2'], better: ['v2', 'v1'], alike: ['v1', 'v3'] } as const;

export interface Sent {
  readonly version: string;
  readonly calls: number;
  /** Since when it has been; a minute unless given. */
  readonly agoMs?: number;
  /** Attributes of the root span. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export async function answersLike(): Promise<{ readonly running: RunningService }> {
  const versions = { ...CALLS, v3: [0, ...CALLS.v1.slice(1), 1] };
  const all = Object.entries(versions).map(([version, calls]) => of(version, calls));
  // The versions take turns, so that each has traffic beside the others.
  const longest = Math.max(...all.map(({ length }) => length));
  const sent = Array.from({ length: longest }, (_, at) => all.flatMap((one) => one[at] ?? [])).flat();
  return { running: await startedWith(sent) };
}

export async function startedWith(sent: readonly Sent[], dataDir = tempDirectory()): Promise<RunningService> {
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  const running = await runService({ suites: ['./live.yaml'], dataDir });
  await send(running, sent, 0);
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 40_000 })
    .toBe(sent.length);
  return running;
}

/** Conversations of a version, each of another user. */
export function of(version: string, all: readonly number[]): readonly Sent[] {
  return all.map((calls, index) => ({ version, calls, attributes: { 'user.id': `${version} ${index}` } }));
}

/** Their numbers begin behind `behind`. */
export async function send(running: RunningService, sent: readonly Sent[], behind: number): Promise<void> {
  await Promise.all(
    sent.map(({ calls, ...one }, index) => {
      const results = Array.from({ length: calls }, () => '{}');
      const id = behind + index;
      return post(running, { id: `c-${id}`, question: 'Where?', answer: 'There.', results, ...one }, id + 1);
    }),
  );
}
