/** `assay validity`: outcomes of the world beside what suites say of the same recording. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';

/** An order is to be cancelled; an agent that is wrong cancels another one. */
function line({ id, isRight }: { readonly id: string; readonly isRight: boolean }): string {
  const call = { id: 'c', function: { name: 'cancel_order', arguments: JSON.stringify({ order: isRight ? 17 : 18 }) } };
  return `${JSON.stringify({
    conversation_id: id,
    agent: 'shop',
    messages: [
      { role: 'user', content: 'Cancel it.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
      { role: 'assistant', content: 'Cancelled.' },
    ],
    truth: { actions: [{ name: 'cancel_order', args: { order: 17 } }] },
  })}\n`;
}

const HOSTILE = '\u001b[2Jx\u202e';
const RECORDING = [
  ...['g-1', 'g-2', 'g-3'].map((id) => line({ id, isRight: true })),
  ...['b-1', 'b-2', HOSTILE].map((id) => line({ id, isRight: false })),
].join('');

async function validity(outcomes: string, ...args: readonly string[]) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'recorded.jsonl'), RECORDING);
  writeFileSync(path.join(cwd, 'outcomes.csv'), outcomes);
  return await assayHere(
    ['validity', 'recorded.jsonl', '--suite', 'task-success', 'default', '--outcomes', 'outcomes.csv', ...args],
    {
      cwd,
    },
  );
}

const CSAT = 'conversation_id,csat,case\ng-1,5,x\ng-2,4,x\ng-3,1,y\nb-1,2,x\nb-2,1,y\nb-2,1,y\nelsewhere,5,\n';

test('prints what was joined, the table, the figures and what they do not show', async () => {
  const { status, stdout, stderr } = await validity(CSAT, '--good-from', '4');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/csat is the outcome: 5 of 6 conversations have one; 1 without one left out/);
  expect(stdout).toMatch(/1 of the outcomes: the conversation is not in the recording, .*: elsewhere/);
  expect(stdout).toMatch(/entries that repeat one before them, and count once: 1\n/);
  expect(stdout).toMatch(/task-success {3}5 with an outcome {3}40\.0 % \(11\.8 to 76\.9\) good/);
  expect(stdout).toMatch(/few outcomes \(2 good, 3 bad\)/);
  expect(stdout).toMatch(/successful_completion +2 +1\n +hard_failure +0 +2\n/);
  expect(stdout).toMatch(/agreement +80\.0 % .* of 5 said to be good or bad/);
  // Both good ones are above both that failed, and beside the one that was right and rated badly.
  expect(stdout).toMatch(/area under the curve +0\.833 /);
  expect(stdout).toMatch(/area within a case +1\.000 .* 1 cases with both kinds, 2 pairs/);
  expect(stdout).toMatch(/changed_what_it_should +5 +0 of 2 +2 of 3 +100\.0 % .* 66\.7 % /);
  expect(stdout).toMatch(/form only: says nothing about whether the task was done/);
});

test('prints the same as JSON', async () => {
  const { status, stdout } = await validity(CSAT, '--good-from', '4', '--json');

  expect(status).toBe(0);
  const json = JSON.parse(stdout) as { readonly suites: readonly { readonly suite: string }[] };
  expect(json).toMatchObject({ label: 'csat', labelled: 5, without_outcome: 1, unknown: ['elsewhere'], repeated: 1 });
  expect(json.suites.find(({ suite }) => suite === 'task-success')).toMatchObject({
    good: 2,
    bad: 3,
    said_good: { good: 2, bad: 1 },
    said_bad: { good: 0, bad: 2 },
    agreement: { value: 0.8 },
    // Agreement by chance is 0.6 · 0.4 + 0.4 · 0.6.
    kappa: { value: expect.closeTo((0.8 - 0.48) / 0.52, 10) as number },
    area_under_curve: { value: expect.closeTo(5 / 6, 10) as number },
    area_within_cases: { value: 1, cases: 1, pairs: 2 },
    remarks: expect.arrayContaining([expect.stringMatching(/^few outcomes/)]) as unknown,
  });
});

test.each<[why: string, outcomes: string, args: readonly string[], status: number, told: RegExp]>([
  [
    'numbers without a limit',
    CSAT,
    [],
    2,
    /outcomes\.csv:2\n +csat: "5" .*\n +expected: which numbers are good: --good-from 4/,
  ],
  ['two limits', CSAT, ['--good-from', '4', '--good-up-to', '2'], 2, /cannot be used with/],
  ['a limit that is no number', CSAT, ['--good-from', 'four'], 2, /--good-from four: expected a number/],
  ['outcomes of others', 'conversation_id,ok\nz,1\n', [], 3, /outcomes are of: z\n +the recording has: /],
  ['no outcome at all', 'conversation_id,ok\ng-1,\n', ['--label', 'ok'], 2, /no outcome is in it/],
])('refuses %s', async (_, outcomes, args, status, told) => {
  const ended = await validity(outcomes, ...args);

  expect(ended).toMatchObject({ status, stdout: '' });
  expect(ended.stderr).toMatch(told);
});

test('a terminal obeys nothing of the files', async () => {
  const quoted = `conversation_id,"${HOSTILE}ok"\ng-1,1\n${HOSTILE}2,1\n`;
  const shown = [
    await validity(quoted),
    await validity(`conversation_id,ok\ng-1,"${HOSTILE}"\n`),
    await validity('conversation_id,ok\nz,1\n'),
  ];

  expect(shown.map(({ status }) => status)).toEqual([0, 2, 3]);
  const text = shown.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('');
  expect(['\u001b', '\u202e'].filter((one) => text.includes(one))).toEqual([]);
});
