import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readOutcomes } from '../../src/offline/outcome-labels.ts';
import { tempDirectory } from '../temp-directory.ts';

type Options = NonNullable<Parameters<typeof readOutcomes>[1]>;

function read(name: string, text: string, options: Options = {}) {
  const file = path.join(tempDirectory(), name);
  writeFileSync(file, text);
  return readOutcomes(file, options);
}

/** `a+ b-` for a good, b bad. */
function told(name: string, text: string, options: Options = {}): string {
  const result = read(name, text, options);
  if ('mistakes' in result) throw new Error(JSON.stringify(result.mistakes));
  return [...result.read.outcomes].map(([id, { isGood }]) => `${id}${isGood ? '+' : '-'}`).join(' ');
}

const from = (limit: number): Options => ({ good: { is: 'from', limit } });

test.each<[why: string, name: string, text: string, options: Options, told: string]>([
  ['words', 'o.csv', 'conversation_id,came\na,good\nb,BAD\nc, True \nd,false\n', {}, 'a+ b- c+ d-'],
  ['1 and 0, however they are written', 'o.csv', 'conversation_id,reward\na,1\nb,0\nc,1.0\nd,0.0\n', {}, 'a+ b- c+ d-'],
  ['a limit from below', 'o.csv', 'conversation_id,csat\na,5\nb,4\nc,3.9\nd,1\n', from(4), 'a+ b+ c- d-'],
  [
    'a limit from above',
    'o.csv',
    'conversation_id,contacts\na,0\nb,2\nc,3\n',
    { good: { is: 'up-to', limit: 2 } },
    'a+ b+ c-',
  ],
  [
    'JSON lines, with ids that are numbers',
    'o.jsonl',
    '{"conversation_id": 17, "ok": true}\n\n{"conversation_id": "b", "ok": 0, "case": 3}\n{"conversation_id": "c", "ok": "good"}\n',
    {},
    '17+ b- c+',
  ],
  ['a column that is asked for', 'o.csv', 'conversation_id,at,reopened,csat\na,x,true,1\n', { label: 'csat' }, 'a+'],
  [
    'semicolons, as spreadsheets of many countries write them',
    'o.csv',
    'conversation_id;csat\na;5\n"b;c";1\n',
    from(4),
    'a+ b;c-',
  ],
  ['tabs', 'o.csv', 'conversation_id\tcsat\na\t5\n', from(4), 'a+'],
  [
    'JSON lines, whatever the file is called',
    'o.txt',
    '{"conversation_id": "a", "ok": true}\n{"conversation_id": "b", "ok": false}\n',
    {},
    'a+ b-',
  ],
  ['fields in quotes', 'o.csv', '"conversation_id","csat"\r\n"a, ""b""",5\r\n', from(4), 'a, "b"+'],
])('reads %s', (_, name, text, options, expected) => {
  expect(told(name, text, options)).toBe(expected);
});

test('counts what is empty, repeated and contradicted', () => {
  const text = 'conversation_id,csat,case\na,5,x\na,4,x\nb,5,x\nb,1,x\nc,,x\nd,2,\n';

  expect(read('o.csv', text, from(4))).toEqual({
    read: {
      label: 'csat',
      entries: 6,
      outcomes: new Map([
        ['a', { isGood: true, value: '5', case: 'x' }],
        ['d', { isGood: false, value: '2', case: undefined }],
      ]),
      empty: 1,
      repeated: 1,
      contradicted: ['b'],
    },
  });
});

test.each<[why: string, name: string, text: string, options: Options, told: readonly RegExp[]]>([
  [
    'a number without a limit',
    'o.csv',
    'conversation_id,csat\na,1\nb,4\n',
    {},
    [/^3 csat: "4" .*--good-from 4 .*--good-up-to 2/],
  ],
  [
    'a word that says nothing',
    'o.csv',
    'conversation_id,csat\na,fine\n',
    {},
    [/^2 csat: "fine" .*good or bad, true or false/],
  ],
  ['a list as an outcome', 'o.jsonl', '{"conversation_id": "a", "ok": [1]}\n', {}, [/^1 ok: \[1\] is neither/]],
  [
    'several columns',
    'o.csv',
    'conversation_id,csat,reopened\na,1,0\n',
    {},
    [/: 2 names .*--label with one of csat, reopened/],
  ],
  [
    'a column that is not there',
    'o.csv',
    'conversation_id,csat\na,1\n',
    { label: 'nps' },
    [/called nps .*--label .* csat/],
  ],
  ['no ids', 'o.csv', 'id,csat\na,1\n', {}, [/nothing in it is called conversation_id/]],
  ['an empty id', 'o.csv', 'conversation_id,csat\n,1\n', {}, [/nothing in it is called conversation_id/]],
  [
    'one id missing',
    'o.csv',
    'conversation_id,csat\n,1\nb,1\n',
    {},
    [/^2 conversation_id: the conversation is not named/],
  ],
  ['no outcome', 'o.csv', 'conversation_id,case\na,1\n', {}, [/no outcome is in it/]],
  ['nothing', 'o.csv', 'conversation_id,csat\n', {}, [/there are no outcomes in it/]],
  ['a line that is no JSON', 'o.jsonl', '{"conversation_id"\n', {}, [/^1 : .*one JSON object a line/]],
  [
    'more mistakes than one reads',
    'o.csv',
    `conversation_id,csat\n${Array.from({ length: 12 }, (_, at) => `c${at},7\n`).join('')}`,
    {},
    [...Array.from({ length: 10 }, () => /csat: "7"/), /2 mistakes more/],
  ],
])('refuses %s', (_, name, text, options, expected) => {
  const result = read(name, text, options);

  const mistakes = 'mistakes' in result ? result.mistakes : [];
  expect(mistakes.map((one) => `${one.line} ${one.path}: ${one.problem} ${one.expected}`)).toEqual(
    expected.map((one) => expect.stringMatching(one)),
  );
});

test('a file that is not there is a mistake', () => {
  expect(readOutcomes(path.join(tempDirectory(), 'none.csv'))).toMatchObject({ mistakes: [{ line: undefined }] });
});

test('a column that is there twice is a mistake, since one would be taken for the other', () => {
  const result = read('o.csv', 'conversation_id,csat,csat\na,5,1\n', from(4));

  expect(result).toMatchObject({ mistakes: [{ line: 1, problem: 'two columns are called "csat"' }] });
});
