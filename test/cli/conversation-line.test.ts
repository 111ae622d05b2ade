import { expect, test } from 'vitest';
import type { ConversationItem } from '../../src/api/conversation-list.ts';
import { conversationLine } from '../../src/cli/conversation-line.ts';
import { processTerminal } from '../../src/cli/terminal.ts';

const ITEM: ConversationItem = {
  conversation_id: 'c-1',
  agent: 'order\u001b[2Jbot',
  agent_version: '1',
  environment: 'test',
  began_at: '2026-11-21T08:00:00Z',
  updated_at: '2026-11-21T08:00:10Z',
  turns: 1,
  revision: 1,
  state: 'scored',
  evaluations: [
    { suite: 'form', score: 1, outcome: 'no_fault_found', explanation: '', failing: [] },
    {
      suite: 'task',
      score: 0.25,
      outcome: 'partial_failure',
      explanation: '',
      failing: [{ criterion: 'right_order', reason: `the answer\nnames ${'another '.repeat(60)}order` }],
    },
  ],
};
const terminal = { ...processTerminal(), paint: (_style: unknown, text: string) => text };
const lineOf = (options: Parameters<typeof conversationLine>[2]) => conversationLine(terminal, ITEM, options);

test.each([80, 120, 200])('a line of %i columns is cut at the reason', (width) => {
  const line = lineOf({ width });

  expect(line).toHaveLength(width);
  expect(line).toMatch(
    /^\d\d:\d\d:\d\d {2}orderbot 1 {2}partial failure {2}0\.25 {2}right_order: the answ?.*… {2}c-1$/,
  );
});

test('where there is no room for a reason, the rest is whole', () => {
  expect(lineOf({ width: 10 })).toMatch(/orderbot 1 {2}partial failure {2}0\.25 {2}c-1$/);
});

test('of several suites the worst is shown, unless one is named', () => {
  expect(lineOf({})).toContain('partial failure');
  expect(lineOf({ suite: 'form' })).toMatch(/no fault found {2}1\.00 {2}c-1$/);
  expect(lineOf({ suite: 'nothing' })).toMatch(/not scored {2}– {2}c-1$/);
});
