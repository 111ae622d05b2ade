import { expect, test } from 'vitest';
import { noteGroups } from '../../../src/engine/failures/note-groups.ts';

const grouped = (notes: readonly string[]) =>
  noteGroups(notes).map(({ name, places }) => [name, places.map((place) => notes[place])] as const);

test('notes that share words are a group under the words that most of them have, the largest first', () => {
  const refunds = [
    'Promised a refund, never issued',
    'the refund it promised was not issued',
    'refunded? Nothing was issued',
  ];
  const cities = ['Wrong city booked', 'It booked the wrong city'];

  const found = grouped([...cities, 'rude', ...refunds, 'It was not what he had asked for']);

  expect(found.map(([, notes]) => [...notes].toSorted())).toEqual([refunds.toSorted(), cities.toSorted()]);
  expect(found.map(([name]) => name)).toEqual(['promised refund issued', 'booked wrong city']);
});

test.each([
  ['words without meaning', ['It was not what he wanted and that is it', 'It was not that and it is what is was']],
  ['numbers', ['12 14 15', '12 14 15']],
  ['nothing', ['', '', ' \n ']],
  ['signs that nobody sees', ['\u202e\0\u200b', '\u202e\0\u200b']],
])('%s make no group', (_, notes) => {
  expect(grouped(notes)).toEqual([]);
});

test.each([
  ['German', ['Erstattung versprochen, nie überwiesen', 'Die Erstattung wurde nie überwiesen'], /erstattung/],
  ['Spanish', ['Prometió el reembolso y no lo hizo', 'no hay reembolso, lo prometió'], /reembolso/],
  ['Japanese', ['返金すると言ったのに返金しなかった', '返金されていない'], /返金/],
])('notes in %s are grouped as well', (_, notes, name) => {
  expect(grouped(notes)).toEqual([[expect.stringMatching(name), expect.arrayContaining(notes)]]);
});

test('a name is short, whatever the notes are, and patterns in them are words', () => {
  const word = 'x'.repeat(29);
  const notes = Array.from({ length: 300 }, () => `(a+)+$ ${word}1 ${word}2 ${word}3 [`);

  const [first, ...others] = noteGroups(notes);

  expect(others).toEqual([]);
  expect(first?.places).toHaveLength(200);
  expect(first?.name.length).toBeLessThanOrEqual(80);
});
