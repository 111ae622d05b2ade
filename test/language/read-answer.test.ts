import { expect, test } from 'vitest';
import { languageOf } from '../../src/language/recognise.ts';
import { LANGUAGES } from '../../src/language/languages.ts';
import { readAnswer } from '../../src/language/read-answer.ts';
import { answerRows } from './answers.ts';

const rows = answerRows();

/** The reading by the rules, in the letters of the table. */
function readsAs(text: string): string | undefined {
  const reading = readAnswer(text);
  if (reading === undefined) return undefined;
  const letters = [
    reading.isBare ? 'b' : '',
    reading.admitsTrouble ? 't' : '',
    reading.claims === undefined ? '' : 'c',
    reading.asks ? 'a' : '',
    reading.refuses ? 'r' : '',
  ].join('');
  return letters === '' ? '-' : letters;
}

test('the table has 100 answers and more in each language that is known', () => {
  for (const language of LANGUAGES)
    expect(rows.filter((row) => row.language === language).length).toBeGreaterThanOrEqual(100);
});

test.each(rows.filter(({ isException }) => !isException).map((row) => [row.text, row] as const))('%s', (text, row) => {
  expect([languageOf(text), readsAs(text)]).toEqual([row.language, row.reads]);
});

/** One that is read right since is none any more: take its `!` away. */
test('exceptions are named, still are some, and are no more than 5 % of any language', () => {
  const exceptions = rows.filter(({ isException }) => isException);
  const readRight = LANGUAGES.map((language) => {
    const of = rows.filter((row) => row.language === language);
    return { language, share: of.filter(({ text, reads }) => readsAs(text) === reads).length / of.length };
  });

  expect(exceptions.filter(({ text, reads }) => readsAs(text) === reads)).toEqual([]);
  expect(readRight.filter(({ share }) => share < 0.95)).toEqual([]);
});

test.each([
  ['Dutch', 'Het spijt me, maar ik kan u daar niet mee helpen.'],
  ['Italian', 'Mi dispiace, ma non posso aiutarla con questa richiesta.'],
  ['Polish', 'Przepraszam, ale nie mogę w tym pomóc.'],
  ['Russian', 'К сожалению, я не могу вам помочь.'],
  ['Korean', '죄송하지만 도와드릴 수 없습니다.'],
  ['Arabic', 'عذراً، لا أستطيع مساعدتك في ذلك.'],
  ['Thai', 'ขออภัย ฉันไม่สามารถช่วยคุณได้'],
  ['Swedish', 'Tyvärr kan jag inte hjälpa dig med det.'],
  ['Turkish', 'Maalesef bu konuda size yardımcı olamıyorum.'],
  ['a number', '42'],
  ['code', '```ts\nconst sorry = await cancel(order);\n```'],
  ['nothing', ''],
])('of %s nothing is said', (_what, answer) => {
  expect(readAnswer(answer)).toBeUndefined();
});

test.each([
  ['Sorry!', true],
  ['As an AI, I am not able to do that.', true],
  ["I apologize for the inconvenience. I wasn't able to complete your request. Please try again.", true],
  ['Unfortunately, I cannot do that. Is there anything else?', true],
  ['Your meeting is booked.', false],
  ['Sorry, the room is taken at 10:00. Would 11:00 suit you?', false],
  ["I couldn't book it because Ana is on leave.", false],
  ['Unfortunately the flight is full; however, there are seats on the next one.', false],
  ['Sorry, but the office is closed on that day.', false],
  ['The server is unable to connect to the database.', false],
  ["I can't change the order myself. You can reach the support team through the chat on the order page.", false],
  [`${'All the details you asked for. '.repeat(30)}Sorry for the delay.`, false],
])('bare or not: %s', (answer, isBare) => {
  expect(readAnswer(answer)?.isBare).toBe(isBare);
});

/** Reports after a lookup; the agent did none of these things itself. */
test.each([
  'Your order is on its way.',
  'Your card has been charged 50 euros.',
  'I have noted your preference for window seats.',
  'I changed my mind: option B is better.',
  'I have been informed of the delay.',
  'You are confirmed as a silver member.',
  'Your flight was scheduled to leave on May 21, and the fee is fixed at 50 dollars.',
  'Since it was booked more than a day ago, a change costs 20 euros.',
  'You said your order was cancelled. Its number would help.',
  'Das Paket wurde gestern zugestellt.',
  'Ich habe Ihre Bestellung gefunden, sie ist unterwegs.',
  'Auf Ihrem Konto ist eine Visa-Karte hinterlegt.',
  'Ich habe oben gesehen, dass der Flug vom Veranstalter storniert wurde.',
  'He revisado su cuenta y todo está en orden.',
  "J'ai trouvé votre commande, elle est en route.",
  'Encontrei o seu pedido, ele está a caminho.',
  'ご注文を確認しましたところ、出品者によりキャンセルされました。',
  '我已经查看了您的订单,它正在运输中。',
])('no claim: %s', (answer) => {
  expect(readAnswer(answer)).toMatchObject({ claims: undefined });
});

test('the last word of a long text is read as well as its first', () => {
  expect(readAnswer(`${'This is what I found out for you. '.repeat(2000)}Shall I book it?`)?.asks).toBe(true);
});

test.each([
  ['I have ', 3000],
  ['habe ich ', 3000],
  ['no he sido ', 3000],
  ["je ne l'ai pas ", 2000],
  ['refund money ', 2000],
  ['(((((', 5000],
  ['。', 20_000],
  ['我已经为您', 5000],
  ['申し訳ありません', 3000],
  ['`', 20_000],
  ['a@', 10_000],
  ['\u0300', 20_000],
])('%j over and over takes no time', (text, times) => {
  const started = performance.now();

  readAnswer(`The order is yours. ${text.repeat(times)}`);

  expect(performance.now() - started).toBeLessThan(250);
});
