import path from 'node:path';
import { expect, test } from 'vitest';
import { printTranscript } from '../../src/cli/print-transcript.ts';
import { understandRecorded } from '../../src/engine/recorded/understand-recording.ts';
import { readRecording } from '../../src/offline/recording.ts';
import { type TranscriptTurn, transcriptOf } from '../../src/report/documents/transcript.ts';

const RUNS = path.resolve(import.meta.dirname, '../../examples/golden-traces/runs.jsonl');

function printed(turns: readonly TranscriptTurn[], isWhole = false): string {
  const lines: string[] = [];
  printTranscript({ out: (text) => lines.push(text), paint: (_, text) => text }, turns, { indent: '  ', isWhole });
  return lines.join('\n');
}

test('a transcript has what the user said, the calls with arguments and results, and the answer', async () => {
  const { conversations } = await understandRecorded(readRecording(RUNS));
  const lucky = conversations.find(({ id }) => id === 'lucky');
  if (lucky === undefined) throw new Error('the recording has no such conversation');

  expect(printed(transcriptOf(lucky)).split('\n')).toEqual([
    '  user    Show me the last 3 support tickets for account ACC-4821',
    '  tool    list_customers({"page": 1}) → [{"id": "ACC-4821"}]',
    '  tool    get_ticket_detail({"ticket_id": "TKT-9014"}) → Printer on fire since Monday.',
    '  tool    search_tickets({"account_id": "ACC-4821", "limit": 50}) → [{"id": "TKT-9014"}]',
    '  answer  Account ACC-4821 has three tickets: TKT-9014 (printer on fire), TKT-9002 and TKT-8997.',
  ]);
});

test('what was not recorded is said, turns are numbered, and nothing from a span moves the cursor', () => {
  const turn: TranscriptTurn = {
    trace_id: 'a',
    user: 'hi\u001b[2J\nthere',
    steps: [
      { kind: 'llm', name: 'gpt\u009b1m', error: null },
      { kind: 'tool', name: 'search', arguments: null, result: 'x'.repeat(1000), error: null },
      { kind: 'tool', name: 'book', arguments: '{}', result: null, error: { type: 'E', message: 'no\u202eroom' } },
      { kind: 'retrieval', name: 'docs', error: { type: 'E', message: 'down' } },
    ],
    answer: '',
    error: { type: 'Timeout', message: 'too\u0007late' },
  };

  expect(printed([turn, { ...turn, user: null, steps: [], error: null }]).split('\n')).toEqual([
    '  turn 1',
    '  user    hi there',
    '  llm     gpt',
    `  tool    search((not recorded)) → ${'x'.repeat(299)}…`,
    '  tool    book({}) → failed: no room',
    '  search  docs → failed: down',
    '  answer  (nothing)',
    '  error   Timeout: too late',
    '  turn 2',
    '  user    (not recorded)',
    '  answer  (nothing)',
  ]);
});

test('a whole transcript keeps lines and length, and still nothing moves the cursor', () => {
  const answer = `First.\r\n\u001b[2J\u0007${'x'.repeat(1500)}`;
  const turn: TranscriptTurn = { trace_id: 'a', user: 'hi', steps: [], answer, error: null };

  expect(printed([turn], true).split('\n')).toEqual([
    '  user    hi',
    '  answer  First.',
    `          ${'x'.repeat(1500)}`,
  ]);
});
