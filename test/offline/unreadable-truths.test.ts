import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRecording } from '../../src/offline/recording.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { builtinSuites, defaultSettings } from '../engine/log-driver.ts';
import { tempDirectory } from '../temp-directory.ts';

const MESSAGES = [
  { role: 'user', content: 'Refund order 17, please.' },
  { role: 'assistant', content: 'I have refunded order 17.' },
];
const TRUTHS = {
  good: { actions: [{ name: 'refund_order' }] },
  text: { actions: 'x' },
  singular: { action: [{ name: 'refund_order' }] },
  own: { action: 'refund' },
  empty: { actions: [] },
  more: { actions: [{ name: 'refund_order' }], answer: '8' },
};

function recording(): string {
  const file = path.join(tempDirectory(), 'messages.jsonl');
  const lines = Object.entries(TRUTHS).map(([id, truth]) =>
    JSON.stringify({ conversation_id: id, truth, messages: MESSAGES }),
  );
  writeFileSync(file, lines.join('\n'));
  return file;
}

test('truths of tasks in a recording are named where a suite cannot read them, whether or not it matches', async () => {
  const [file, settings] = [recording(), defaultSettings()];

  const read = await scoreRecorded({
    batches: readRecording(file),
    suites: await builtinSuites(['task-success']),
    settings,
  });
  const unread = await scoreRecorded({
    batches: readRecording(file),
    suites: await builtinSuites(['default']),
    settings,
  });

  expect(read.unreadableTruths.toSorted((a, b) => (a.conversation < b.conversation ? -1 : 1))).toEqual([
    { conversation: 'singular', problem: 'truth.action is not read', expected: 'actions' },
    { conversation: 'text', problem: 'truth.actions is no list', expected: '[{name, args}]' },
  ]);
  expect(read.weakTruths.map(({ conversation }) => conversation).toSorted()).toEqual(['empty', 'more']);
  expect(unread.unreadableTruths).toEqual([]);
  expect(unread.weakTruths).toEqual([]);
});
