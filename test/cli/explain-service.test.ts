/** `assay explain` and `assay inspect` ask the service that runs, and show what they would show from its store. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';

test('explain and inspect ask a running service', async () => {
  const dataDir = tempDirectory();
  const priced = path.join(tempDirectory(), 'prices.yaml');
  writeFileSync(priced, 'prices: { models: [{ model: "*", input_per_million: 1, output_per_million: 2 }] }\n');
  const running = await runService({ suites: ['default'], dataDir, env: { ASSAY_CONFIG: priced } });
  const conversations = [...traffic({ seed: 1, conversations: 7, turnsMax: 2, endMarks: 'all' })];
  const [first] = conversations;
  if (first === undefined) return expect.unreachable();
  for (const { turns } of conversations)
    for (const turn of turns)
      await fetch(`${running.otlp}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: exportRequest(turn, 'v1'),
      });
  const turns = conversations.reduce((sum, conversation) => sum + conversation.turns.length, 0);
  while (sumOf(await metricsOf(running), 'assay_evaluations_total') < turns)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const stars = { conversation_id: first.id, user: 'u1', scale: [1, 5] };
  const feedback = [
    { ...stars, id: 'early', score: 5, at: '2026-11-26T09:00:00Z' },
    { ...stars, id: 'late', score: 2, at: '2026-11-26T09:05:00Z', comment: 'wrong\u001b[2J flight' },
    { conversation_id: first.id, id: 'asked', name: 'csat', label: 'thumbs_up', at: '2026-11-26T09:06:00Z' },
  ];
  await fetch(`${running.http}/api/v1/feedback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ feedback }),
  });
  const service = ['--url', running.http];
  const port = ['--http-port', new URL(running.http).port];

  const asked = await assayHere(['explain', first.id, '--why', ...service]);
  const askedByPort = await assayHere(['explain', first.id, '--why', ...port]);
  const read = await assayHere(['explain', first.id, '--why', '--data-dir', dataDir]);
  const json = await assayHere(['explain', first.id, '--json', ...service]);
  const readJson = await assayHere(['explain', first.id, '--json', '--data-dir', dataDir]);
  const unknown = await assayHere(['explain', 'nope', ...service]);
  const both = await assayHere(['explain', first.id, '--data-dir', dataDir, ...service]);
  const inspected = await assayHere(['inspect', '--latest', '3', ...service]);
  const inspectedJson = await assayHere(['inspect', '--latest', '3', '--json', ...service]);

  expect(asked.stderr).toBe('');
  expect(asked.stdout).toContain(`${first.id}\n`);
  const said = asked.stdout.split('\n').filter((line) => line.startsWith('  a user said'));
  expect(said.toSorted()).toEqual([
    '  a user said to csat: positive (thumbs_up)',
    '  a user said: negative (2 on a scale from 1 to 5): wrong flight',
    '  a user said: positive (5 on a scale from 1 to 5), which a later one replaces',
  ]);
  // The prices of the service count, and not those of whoever asks.
  const cost = (text: string) => /^ {2}cost.*$/m.exec(text)?.[0];
  expect(cost(asked.stdout)).toMatch(/^ {2}cost \$[\d.]+ \(price table\)$/);
  expect(cost(read.stdout)).toMatch(/^ {2}cost \(not known\); no price for /);
  expect(asked.stdout).toMatch(/default@4 on turn 1: [01]\.\d\d \w+/);
  // Only suites of this configuration can report that they do not match.
  expect(read.stdout).toContain('\n  not scored by honesty: ');
  const withoutCost = (text: string) => text.replace(/^ {2}cost.*\n/m, '');
  expect(withoutCost(read.stdout)).toBe(withoutCost(askedByPort.stdout));
  expect(withoutCost(read.stdout.replace(/\n {2}not scored by .*\n/g, ''))).toBe(withoutCost(asked.stdout));
  expect(json.stdout).toBe(readJson.stdout);
  expect(unknown.status).toBe(3);
  expect(unknown.stderr).toContain('has no conversation nope: it never came');
  expect(unknown.stderr).toContain(conversations.at(-1)?.id);
  expect(both.status).toBe(2);
  expect(inspected.stdout).toMatch(/3 conversations in \d+ spans and log records/);
  // The cast holds for what `inspect --json` prints.
  const described = JSON.parse(inspectedJson.stdout) as readonly { readonly conversation_id: string }[];
  expect(described.map(({ conversation_id: id }) => id).toSorted()).toEqual(
    conversations
      .slice(-3)
      .map(({ id }) => id)
      .toSorted(),
  );
});
