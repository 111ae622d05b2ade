import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readLabels, readReadings } from '../../src/cli/read-labels.ts';
import { tempDirectory } from '../temp-directory.ts';

function read(name: string, text: string, given = {}) {
  const file = path.join(tempDirectory(), name);
  writeFileSync(file, text);
  const { labels, mistakes } = readLabels(file, given);
  const told = mistakes.map(({ line, path: where, problem, expected }) => `${line} ${where}: ${problem} (${expected})`);
  return { labels, told };
}

const KIND = { conversation: 'c-1', suite: 'manners', criterion: 'kind', label: 'pass', by: 'ann' };
const RUDE = {
  conversation: '17',
  suite: 'manners',
  criterion: 'kind',
  label: 'fail',
  by: 'bo',
  note: 'He said "no", rudely.\nTwice.',
};

test.each<[name: string, text: string]>([
  ['labels.json', JSON.stringify([KIND, { ...RUDE, conversation: 17 }])],
  ['labels.jsonl', `${JSON.stringify(KIND)}\n\n${JSON.stringify(RUDE)}\r\n`],
  [
    'labels.yaml',
    `- { conversation: c-1, suite: manners, criterion: kind, label: pass, by: ann }
- conversation: 17
  suite: manners
  criterion: kind
  label: fail
  by: bo
  note: "He said \\"no\\", rudely.\\nTwice."
`,
  ],
  [
    'labels.csv',
    '\uFEFFconversation,suite,criterion,label,by,note\r\nc-1,manners,kind, pass ,ann,\r\n"17",manners,kind,fail,bo,"He said ""no"", rudely.\nTwice."\r\n',
  ],
])('reads %s', (name, text) => {
  expect(read(name, text)).toEqual({ labels: [KIND, RUDE], told: [] });
});

test('what is said once for all is not needed in the file, and what the file says goes before it', () => {
  const { labels, told } = read('l.csv', 'conversation,criterion,label,by\na,kind,pass,\nb,kind,fail,bo\n', {
    by: 'ann',
    suite: 'manners',
  });

  expect(told).toEqual([]);
  expect(labels.map(({ conversation, suite, by }) => [conversation, suite, by])).toEqual([
    ['a', 'manners', 'ann'],
    ['b', 'manners', 'bo'],
  ]);
});

test.each<[why: string, name: string, text: string, told: readonly RegExp[]]>([
  [
    'every mistake has its line',
    'l.yaml',
    '- { conversation: a, suite: s, criterion: k, label: pas, by: ann }\n- { conversation: b, suite: s, criterion: k, label: pass, who: ann }\n',
    [/^1 label: .*did you mean 'pass'/, /^2 by: /, /^2 who: unknown field 'who'/],
  ],
  ['lines of JSON too', 'l.jsonl', `${JSON.stringify(KIND)}\n{"conversation"\n`, [/^2 : .*\(one JSON object a line\)/]],
  ['a name that is no field', 'l.csv', 'conversation,verdict\na,pass\n', [/^1 : there is no field verdict/]],
  [
    'a field too many',
    'l.csv',
    'conversation,label\n"a\nb",pass\nc,pass,x\n',
    [/^2 by/, /^2 criterion/, /^2 suite/, /^4 : 3 fields/],
  ],
  ['a quote astray', 'l.csv', 'conversation,note\na,so "they" say\n', [/^2 : a quote stands where none may/]],
  ['a quote that never ends', 'l.csv', 'conversation,note\na,"so they say\n', [/^2 : a quote stands where none may/]],
  ['no list', 'l.json', '{}', [/^undefined : the file is not a list/]],
  ['nothing', 'l.csv', 'conversation,label\n', [/^undefined : there are no labels in it/]],
])('%s', (_, name, text, told) => {
  const { told: all } = read(name, text);

  expect(all.toSorted()).toEqual(told.map((one) => expect.stringMatching(one)));
});

test.each<[name: string, text: string]>([
  [
    'r.json',
    '[{"conversation_id": 17, "answer": true, "by": "ann"}, {"conversation_id": "b", "answer": 0, "by": "bo"}]',
  ],
  ['r.csv', 'conversation_id,answer,by\n17,1,ann\nb,False,bo\n'],
  ['r.jsonl', '{"conversation_id":"17","answer":"good"}\n{"conversation_id":"b","answer":"bad","by":"bo"}\n'],
])('reads the readings of %s', (name, text) => {
  const file = path.join(tempDirectory(), name);
  writeFileSync(file, text);

  expect(readReadings(file, { by: 'ann' })).toEqual({
    readings: [
      { conversation_id: '17', answer: 'good', by: 'ann' },
      { conversation_id: 'b', answer: 'bad', by: 'bo' },
    ],
    mistakes: [],
  });
});

test('every mistake in readings has its line', () => {
  const file = path.join(tempDirectory(), 'r.csv');
  writeFileSync(file, 'conversation_id,answer,first_wrong\na,god,\nb,2,0011\n,good,\n');
  const { mistakes } = readReadings(file, { by: 'ann' });

  expect(mistakes.map(({ line, path: where, expected }) => `${line} ${where}: ${expected}`)).toEqual([
    "2 answer: one of good, bad, cannot_tell; did you mean 'good'?",
    '3 answer: one of good, bad, cannot_tell',
    '4 conversation_id: a text or a number',
  ]);
});
