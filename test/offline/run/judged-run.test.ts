/** Suites with questions for judges: asked while the agent is driven, where nobody says otherwise. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startProvider, YES } from '../../ask/provider.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { RunFolder } from './running-command.ts';

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: there, question: Is there anything?, weight: 0.5, check: size(steps) > 0 }
  - { name: kind, question: Was it kind?, weight: 0.5, judge: { by: default } }
`;

function judgedFolder(url: string): RunFolder {
  const directory = tempDirectory();
  const config = `judges: { default: { provider: openai, model: played, base_url: ${url}, retries: 0, prices: { input_per_million: 2, output_per_million: 8 } } }`;
  writeFileSync(path.join(directory, 'assay.yaml'), config);
  writeFileSync(path.join(directory, 'manners.yaml'), SUITE);
  return new RunFolder(directory, [
    { id: 'a', input: { do: ['spans'] } },
    { id: 'b', input: { do: ['spans'] } },
  ]);
}

function kindness(folder: RunFolder): readonly (string | undefined)[] {
  const runs = folder.experiment()?.runs ?? [];
  return runs.flatMap(({ evaluations }) =>
    evaluations.filter(({ suite }) => suite === 'manners').map(({ verdicts }) => verdicts.get('kind')?.verdict),
  );
}

test('judges are asked of each run, and --no-judges asks nobody', { timeout: 60_000 }, async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const asked = judgedFolder(provider.url);
  const askedEnd = await asked.run('--suite', './manners.yaml').ended();
  const calls = provider.asked.length;
  const skipped = judgedFolder(provider.url);
  await skipped.run('--suite', './manners.yaml', '--no-judges').ended();

  expect(askedEnd.code).toBe(0);
  expect(kindness(asked)).toEqual(['pass', 'pass']);
  expect(calls).toBeGreaterThan(0);
  expect(kindness(skipped)).toEqual(['skipped', 'skipped']);
  expect(provider.asked).toHaveLength(calls);
});

test('a run that waits for a judge is not kept when it is ended by a second Ctrl-C', { timeout: 60_000 }, async () => {
  const heard = Promise.withResolvers<void>();
  const provider = await startProvider(() => {
    heard.resolve();
    return { hang: 'before' };
  });
  const folder = judgedFolder(provider.url);
  const running = folder.run('--suite', './manners.yaml');
  await heard.promise;
  running.kill('SIGINT');
  await running.said('Ctrl-C again');
  running.kill('SIGINT');
  const stopped = await running.ended();

  expect(stopped.code).toBe(130);
  expect(stopped.err).toContain('2 of 2 runs are left');
  expect(folder.experiment()?.runs).toEqual([]);
});
