/** Messages that correct an agent, and messages that do not, in each language. */
import { expect, test } from 'vitest';
import { isCorrection } from '../../src/language/corrections.ts';

const CORRECTS = [
  'No, I meant the blue one.',
  "That's not what I asked for",
  'No, not that one, the other',
  'Wait, I meant Friday',
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
  "No, that's all.",
  "No, it's fine",
  'No, not yet',
  'No, no problem at all',
  'Nein, das war alles',
  'No, eso es todo',
  "Non, c'est tout",
  'Não, isso é tudo',
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
  expect(isCorrection(asked)).toBe(true);
});

test.each(CORRECTS_NOTHING)('%s corrects nothing', (asked) => {
  expect(isCorrection(asked)).toBe(false);
});

test('only the beginning counts, in bounded time, whatever follows', () => {
  expect(isCorrection(`Thanks. ${'And so on. '.repeat(20)} No, I meant the other one.`)).toBe(false);
  for (const hostile of ['no, '.repeat(500_000), `${'('.repeat(100_000)}no, i meant`, '\u0130'.repeat(100_000), ''])
    expect(isCorrection(hostile)).toBe(false);
});
