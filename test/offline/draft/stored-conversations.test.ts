/** A draft from a store says of its conversations what a draft from the same recording says. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../../assay-here.ts';
import type { Excerpt } from '../../../src/model/excerpt.ts';
import { EXAMPLE_START_MS, excerptRequest } from '../../../src/score/suite-test/excerpt-request.ts';
import { builtinSuites, LogDriver } from '../../engine/log-driver.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';

const NUMBER = { type: 'integer', minimum: 0, maximum: 1 };
const TOOLS = [{ name: 'check_availability', input_schema: { type: 'object', properties: { number: NUMBER } } }];

async function storeOf(requests: readonly string[]): Promise<string> {
  const directory = tempDirectory();
  const driver = new LogDriver({ directory, suites: await builtinSuites(['default']) });
  for (const request of requests) driver.take({ at: 1000, request });
  driver.finish();
  renameSync(path.join(directory, 'store.db'), path.join(directory, 'assay.db'));
  return directory;
}

test('conversations of a store give the rules and the figures that their recording gives', async () => {
  const requests = [...traffic({ seed: 7, conversations: 60 })].flatMap((conversation) =>
    conversation.turns.map((turn) => exportRequest(turn, conversation.agentVersion)),
  );
  const directory = await storeOf(requests);
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

const TURN = { calls: [], finish: undefined, error: undefined, state: undefined };

/** A conversation on a day, by an agent with these instructions. */
function instructed(day: number, instructions: string): string {
  const who = { agent: 'desk', version: undefined, environment: undefined, attributes: new Map(), state: undefined };
  const turns = [{ ...TURN, user: 'Hello?', answer: 'Good morning.' }];
  const excerpt: Excerpt = { is: 'excerpt', ...who, instructions, turns };
  return excerptRequest(excerpt, undefined, {
    conversationId: `day-${day}`,
    traceIdOf: (turn) => `${day}${turn}`.padStart(32, '0'),
    startedAtMs: EXAMPLE_START_MS + day * 86_400_000,
  });
}

test('the prompt of a store is that of its latest conversation', async () => {
  const directory = await storeOf([
    instructed(1, 'You must never call refund.'),
    instructed(2, 'You must never call refund_order.'),
    instructed(3, 'You must never call cancel_order.'),
  ]);
  const cwd = tempDirectory();
  const names = ['cancel_order', 'refund_order', 'refund'];
  writeFileSync(path.join(cwd, 'tools.json'), JSON.stringify(names.map((name) => ({ name }))));

  const flags = ['--tools', 'tools.json', '--from-store', '--data-dir', directory];
  expect(await assayHere(['suite', 'draft', ...flags], { cwd })).toMatchObject({ status: 0 });

  const drafted = readFileSync(path.join(cwd, 'drafted.yaml'), 'utf8');
  expect([...drafted.matchAll(/name: never_(\w+)/g)].map(([, tool]) => tool)).toEqual(['cancel_order']);
});
