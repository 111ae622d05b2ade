/** Bare refusals in languages that the phrases do not cover. */
import { expect, test } from 'vitest';
import { isBareRefusalElsewhere } from '../../src/language/refusals-elsewhere.ts';
import { verdictOf } from '../score/checks/verdict-of.ts';

test.each([
  'Przykro mi, ale nie mogę w tym pomóc.',
  'Przepraszam, nie mogę odpowiedzieć na to pytanie.',
  'Üzgünüm, bu konuda yardımcı olamam.',
  'Maalesef bu isteğinize yardımcı olamıyorum.',
  'عذراً، لا يمكنني مساعدتك في ذلك.',
  'آسف، لا أستطيع المساعدة في هذا الطلب.',
  'Mi dispiace, non posso aiutarti con questo.',
  'Het spijt me, daar kan ik niet mee helpen.',
  'Извините, я не могу помочь с этим вопросом.',
])('%s', (answered) => {
  expect(verdictOf('answer_says_something', { answered })).toBe('fail');
});

test.each([
  'Przykro mi, nie mogę podać adresu innego klienta.',
  'Nie mogę w tym pomóc, ponieważ zamówienie zostało wysłane.',
  'Üzgünüm, siparişiniz kargoya verildiği için iptal edemiyorum.',
  'عذراً، لا يمكنني إلغاء الطلب لأنه شُحن.',
  'Non posso aiutarti con questo: la fattura è già stata emessa.',
  'Helaas kan ik uw bestelling niet annuleren.',
  'К сожалению, я не могу отменить заказ.',
  'Niestety.',
  'Zamówienie zostało wysłane.',
  `${'nie mogę '.repeat(50)}`,
])('no bare refusal: %s', (answer) => {
  expect(isBareRefusalElsewhere(answer)).toBe(false);
});
