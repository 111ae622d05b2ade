import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSuites } from '../../src/score/load-suites.ts';
import { assayHere } from '../assay-here.ts';
import { BUILTIN, LogDriver } from '../engine/log-driver.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';

test('explain says why a conversation has no score', async () => {
  const directory = tempDirectory();
  writeFileSync(
    path.join(directory, 'others.yaml'),
    'suite: others\nscope: conversation\nmatch: { agent: nobody }\ncriteria: [{ name: a, question: Q?, weight: 1, check: "true" }]\n',
  );
  const { suites } = await loadSuites(['others.yaml'], { baseDir: directory, builtinDir: BUILTIN });
  const log = new LogDriver({ directory, suites });
  const [conversation] = [...traffic({ seed: 1, conversations: 1, endMarks: 'all' })];
  if (conversation === undefined) return expect.unreachable();
  for (const turn of conversation.turns) log.take({ at: 0, request: exportRequest(turn, 'v1') });
  log.finish();
  renameSync(path.join(directory, 'store.db'), path.join(directory, 'assay.db'));

  const { stdout } = await assayHere(['explain', conversation.id, '--data-dir', directory]);

  expect(stdout).toContain('without a score as a whole: no suite is for it; it was due because');
  const { status, stderr } = await assayHere(['explain', 'long-ago', '--data-dir', directory]);
  expect(status).not.toBe(0);
  expect(stderr).toContain(
    'it was deleted because it is older than what is kept (store.keep: 30d, store.keep_failed: 90d)',
  );
});

test('explain shows what was said before a late turn came, and its JSON counts what is said now', async () => {
  const directory = tempDirectory();
  writeFileSync(
    path.join(directory, 'turns.yaml'),
    'suite: turns\nscope: conversation\ncriteria: [{ name: two_turns, question: Q?, weight: 1, check: "size(turns) == 2" }]\n',
  );
  const { suites } = await loadSuites(['turns.yaml'], { baseDir: directory, builtinDir: BUILTIN });
  const log = new LogDriver({ directory, suites });
  const conversation = [...traffic({ seed: 1, conversations: 20, turnsMax: 2 })].find(
    ({ turns }) => turns.length === 2,
  );
  if (conversation === undefined) return expect.unreachable();
  for (const [index, turn] of conversation.turns.entries())
    log.take({ at: index * 3_600_000, request: exportRequest(turn, 'v1') });
  log.finish();
  renameSync(path.join(directory, 'store.db'), path.join(directory, 'assay.db'));

  const { stdout } = await assayHere(['explain', conversation.id, '--data-dir', directory]);
  const { stdout: json } = await assayHere(['explain', conversation.id, '--data-dir', directory, '--json']);

  expect(stdout).toContain('turns@1 on the conversation: 1.00 ');
  expect(stdout).toMatch(/before, revision 1: 0\.00 \w+ \(two_turns\); two_turns was fail/);
  // The cast holds for what `explain --json` prints.
  const said = JSON.parse(json) as { summary: { evaluations: number; tcr: number }; evaluations: unknown[] };
  expect(said.evaluations).toHaveLength(2);
  expect(said.summary).toMatchObject({ conversations: 1, evaluations: 1, tcr: 1 });
});
