/** A draft from a store says of its conversations what a draft from the same recording says. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../../assay-here.ts';
import { builtinSuites, LogDriver } from '../../engine/log-driver.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';

const NUMBER = { type: 'integer', minimum: 0, maximum: 1 };
const TOOLS = [{ name: 'check_availability', input_schema: { type: 'object', properties: { number: NUMBER } } }];

test('conversations of a store give the rules and the figures that their recording gives', async () => {
  const directory = tempDirectory();
  const driver = new LogDriver({ directory, suites: await builtinSuites(['default']) });
  const requests = [...traffic({ seed: 7, conversations: 60 })].flatMap((conversation) =>
    conversation.turns.map((turn) => exportRequest(turn, conversation.agentVersion)),
  );
  for (const request of requests) driver.take({ at: 1000, request });
  driver.finish();
  renameSync(path.join(directory, 'store.db'), path.join(directory, 'assay.db'));
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'recorded.jsonl'), requests.join('\n'));
  writeFileSync(path.join(cwd, 'tools.json'), JSON.stringify(TOOLS));
  const draft = async (...args: readonly string[]) =>
    await assayHere(['suite', 'draft', '--tools', 'tools.json', '--force', ...args], { cwd });

  const stored = await draft('--from-store', '--data-dir', directory);
  expect(stored).toMatchObject({ status: 0, stderr: '' });
  const ofStore = readFileSync(path.join(cwd, 'drafted.yaml'), 'utf8');
  const recorded = await draft('--from', 'recorded.jsonl');

  expect(recorded.status).toBe(0);
  expect(ofStore).toMatch(/schema: .*; kept in \d+ of \d+ conversations/);
  expect(readFileSync(path.join(cwd, 'drafted.yaml'), 'utf8')).toBe(ofStore);
  expect(await draft('--from-store', '--data-dir', cwd)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('no store at'),
  });
  const nobody = await draft('--from', 'recorded.jsonl', '--agent', 'nobody');
  expect(nobody).toMatchObject({ status: 3, stderr: expect.stringContaining('no conversation of the agent') });
});
