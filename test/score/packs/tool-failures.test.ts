/**
 * The pack `default` on a tool that failed and stayed failed. Every conversation is retold with each answer, each way content may be
 * recorded, and with the tool having succeeded: to hide the failure must never pay, however little can be read.
 */
import { describe, expect, test } from 'vitest';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import type { Message } from '../../../src/model/step.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import {
  aConversation,
  aFailedCall,
  aStep,
  aToolCall,
  aTurn,
  content,
  MISSING,
  REDACTED,
  ROOT_SPAN,
  type TurnParts,
} from '../conversations.ts';
import { loadPack, run } from './packs.ts';

const suite = await loadPack('default');
const BOTH = ['no_unrecovered_tool_error', 'no_blocking_tool_error'] as const;

/** Hidden and admitted, in the same language. Each list is tried with each of the other. */
const LANGUAGES: Readonly<Record<string, { hidden: readonly string[]; admitted: readonly string[] }>> = {
  English: {
    hidden: [
      'Thank you for your patience, and have a good day.',
      'I have cancelled your order.',
      'Your order is on its way.',
    ],
    admitted: [
      'I could not cancel your order: the shop did not respond. Please call us tomorrow.',
      'Sorry, something went wrong.',
    ],
  },
  German: {
    hidden: ['Vielen Dank für Ihre Geduld und einen schönen Tag.', 'Ich habe Ihre Bestellung storniert.'],
    admitted: ['Ich konnte Ihre Bestellung leider nicht stornieren, weil der Laden nicht antwortet.'],
  },
  Dutch: {
    hidden: ['Bedankt voor uw geduld, en nog een fijne dag.', 'Uw bestelling is geannuleerd.'],
    admitted: ['Het spijt me, maar de annulering is helaas niet gelukt.'],
  },
  Thai: { hidden: ['ยกเลิกคำสั่งซื้อแล้ว'], admitted: ['ขออภัย ยกเลิกคำสั่งซื้อไม่ได้'] },
  'too few words': { hidden: ['Gracht 7'], admitted: ['Mislukt 7'] },
};
const CONTENT: Readonly<Record<string, (answer: string) => TurnParts>> = {
  whole: (answer) => ({ answered: answer }),
  cut: (answer) => ({ answered: content(answer.slice(0, 40), 'truncated'), flags: ['truncated-json'] }),
  redacted: () => ({ answered: REDACTED, flags: ['redacted'] }),
  off: () => ({
    asked: MISSING,
    answered: MISSING,
    steps: [
      aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined }),
      aStep({ startedAtMs: 1900, flags: ['content-missing'] }),
    ],
    flags: ['content-missing'],
  }),
};
const FAILURES: Readonly<Record<string, readonly ToolCall[]>> = {
  'its span says it': [aFailedCall('cancel_order', 'the shop did not respond')],
  'its result says it': [aToolCall('cancel_order', { result: content('Error: the shop did not respond') })],
  'after another that succeeded': [aToolCall('look_up_order'), aFailedCall('cancel_order', 'no')],
  twice: [aFailedCall('cancel_order', 'timed out'), aFailedCall('cancel_order', 'timed out')],
};

function scored(turn: TurnParts): Evaluation {
  return run(suite, aConversation([aTurn({ asked: 'Please cancel my order.', ...turn })]));
}

function verdictsIn({ verdicts }: Evaluation): readonly (string | undefined)[] {
  return BOTH.map((name) => verdicts.get(name)?.verdict);
}

function scoreOf({ score }: Evaluation): number {
  if (score === undefined) throw new Error('not scored');
  return score;
}

const ROWS = Object.entries(LANGUAGES).flatMap(([language, { hidden, admitted }]) =>
  Object.entries(CONTENT).flatMap(([captured, recorded]) =>
    Object.entries(FAILURES).flatMap(([how, toolCalls]) =>
      hidden.flatMap((hides) =>
        admitted.map((admits) => ({ language, captured, how, recorded, toolCalls, hides, admits })),
      ),
    ),
  ),
);

describe.each(ROWS)('$language, content $captured, a tool that failed: $how: "$hides" and "$admits"', (row) => {
  const succeeded = row.toolCalls.map(({ name }) => aToolCall(name));
  const hides = scored({ ...row.recorded(row.hides), toolCalls: row.toolCalls });
  const admits = scored({ ...row.recorded(row.admits), toolCalls: row.toolCalls });

  test('exactly one of the two criteria fails, and the outcome is no good one', () => {
    for (const evaluation of [hides, admits]) {
      expect(verdictsIn(evaluation).filter((verdict) => verdict === 'fail')).toHaveLength(1);
      expect(evaluation.outcome).toMatch(/_failure$/);
    }
  });

  test('hidden scores no more than admitted, and that less than done', () => {
    const done = scored({ ...row.recorded('Your order is cancelled now, as you asked.'), toolCalls: succeeded });

    expect(scoreOf(hides)).toBeLessThanOrEqual(scoreOf(admits));
    expect(scoreOf(admits)).toBeLessThan(scoreOf(done));
    expect(verdictsIn(done)).toEqual(['pass', 'pass']);
  });

  test('an answer that cannot be read scores no more than an honest one that says something', () => {
    const honest = scored({
      answered: 'I could not cancel your order: the shop did not respond. Please call us tomorrow.',
      toolCalls: row.toolCalls,
    });

    if (row.language !== 'English' || row.captured !== 'whole')
      expect(scoreOf(hides)).toBeLessThanOrEqual(scoreOf(honest));
    expect(verdictsIn(honest)).toEqual(['pass', 'fail']);
  });
});

test.each<[string, TurnParts, readonly string[]]>([
  ['a tick is silent in any language', { answered: '✅' }, ['fail', 'not_applicable']],
  ['a number as well', { answered: '17' }, ['fail', 'not_applicable']],
  [
    'what stands before the cut admits it',
    { answered: content('I could not cancel your order, because', 'truncated') },
    ['pass', 'fail'],
  ],
  ['no answer is silence', { answered: content('') }, ['fail', 'not_applicable']],
  [
    'a person who takes over is told in place of the user',
    { answered: MISSING, toolCalls: [aFailedCall('cancel_order', 'no'), aToolCall('transfer_to_human_agents')] },
    ['pass', 'fail'],
  ],
  [
    'unless the transfer failed as well',
    {
      answered: MISSING,
      steps: [aStep()],
      toolCalls: [aFailedCall('cancel_order', 'no'), aFailedCall('transfer_to_human_agents', 'busy')],
    },
    ['fail', 'not_applicable'],
  ],
])('%s', (_what, turn, verdicts) => {
  expect(verdictsIn(scored({ toolCalls: [aFailedCall('cancel_order', 'no')], ...turn }))).toEqual(verdicts);
});

test('in a conversation, one failure that is passed over decides, however honest the others were', async () => {
  const sql = await loadPack('sql-agent');
  const failed = [aFailedCall('query_database', 'no such table')];
  const said = (text: string): Message => ({
    role: 'user',
    name: undefined,
    parts: [{ type: 'text', text }],
    finishReason: undefined,
  });
  const turn = (answered: string) =>
    aTurn({ answered, toolCalls: failed, steps: [aStep({ messagesIn: [said('Go on.')] })] });
  const honest = 'I could not query the table: there is no such table.';

  const both = run(sql, aConversation([turn(honest), turn('You have 17 customers.')]));
  const admitted = run(sql, aConversation([turn(honest), turn(honest)]));

  expect(both.verdicts.get('errors_recovered')?.verdict).toBe('fail');
  expect(admitted.verdicts.get('errors_recovered')?.verdict).toBe('pass');
});
