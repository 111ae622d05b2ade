import { expect, test } from 'vitest';
import { endFacts } from '../../src/engine/end-facts.ts';
import type { Content } from '../../src/model/step.ts';
import type { Turn } from '../../src/model/turn.ts';

function said(text: string): Content {
  return { state: 'whole', text, json: text };
}

interface Said {
  readonly asked: string;
  readonly answered?: string;
  readonly failedCall?: boolean;
  readonly error?: boolean;
}

function turnsOf(all: readonly Said[]): readonly Turn[] {
  return all.map(({ asked, answered = 'Done.', failedCall, error }) => {
    const failure = { type: 'Timeout', message: 'timed out', source: 'status' };
    const turn = {
      userInput: said(asked),
      finalAnswer: said(answered),
      toolCalls: failedCall === undefined ? [] : [{ name: 'search', error: failedCall ? failure : undefined }],
      error: error === true ? failure : undefined,
    };
    // The cast holds for what facts are read from.
    return turn as unknown as Turn;
  });
}

const CORRECTS = [
  'No, I meant the blue one.',
  "That's not what I asked for",
  'You misunderstood me: it is for two.',
  'Nein, ich brauche die Rechnung vom Mai',
  'Das ist falsch.',
  'No, yo quiero cancelar el otro',
  'Me refería al pedido de ayer',
  "Ce n'est pas ce que je voulais",
  'Non, je parlais de la facture',
  'Não é isso, quero a fatura',
  'そうじゃなくて、昨日の注文です',
  '不是这个，我说的是昨天的订单',
];
const CORRECTS_NOTHING = [
  'No, thanks.',
  'No thank you, that is all',
  'Yes, please.',
  'What do you mean by that?',
  'Nein danke.',
  'No, gracias',
  'Non merci',
  'Não, obrigado',
  'いいですね',
  '谢谢，就这些',
  'Please cancel my order.',
];

test.each(CORRECTS)('%s corrects the agent', (asked) => {
  expect(endFacts(turnsOf([{ asked: 'Where is it?' }, { asked }]))).toContain('user: corrects');
});

test.each(CORRECTS_NOTHING)('%s corrects nothing', (asked) => {
  expect(endFacts(turnsOf([{ asked: 'Where is it?' }, { asked }]))).not.toContain('user: corrects');
});

test('the first message corrects nothing, because nobody has answered yet', () => {
  expect(endFacts(turnsOf([{ asked: 'No, I meant the blue one.' }]))).toEqual(['ended: with an answer']);
});

test('the same question in other words is asked again, a short reply and another question are not', () => {
  const first = { asked: 'Where is my order from last Monday please?' };
  const again = (asked: string) => endFacts(turnsOf([first, { asked: 'Yes.' }, { asked }]));
  expect(again('So where is my order from last Monday?')).toContain('user: asks the same again');
  expect(again('Yes.')).not.toContain('user: asks the same again');
  expect(again('Can you cancel the other parcel instead today?')).not.toContain('user: asks the same again');
});

test.each([
  [{ asked: 'a', error: true }, 'ended: with an error'],
  [{ asked: 'a', answered: ' ' }, 'ended: without an answer'],
  [{ asked: 'a', failedCall: true }, 'ended: after a failed call'],
  [{ asked: 'a', answered: 'Which one do you mean?' }, 'ended: with a question of the agent'],
  [{ asked: 'a', failedCall: false }, 'ended: with an answer'],
] as const)('%o: %s', (turn, end) => {
  expect(endFacts(turnsOf([{ asked: 'b', error: true }, turn])).at(-1)).toBe(end);
});

test('words of users are in no fact, however hostile they are', () => {
  const hostile = `${'(a+)+$ \u202e\n'.repeat(50_000)}no, I meant`;
  expect(
    endFacts(
      turnsOf([
        { asked: hostile, answered: hostile },
        { asked: hostile, answered: hostile },
      ]),
    ),
  ).toEqual(['ended: with an answer']);
  expect(endFacts([])).toEqual([]);
});
