import { isUnsupported } from '../../src/model/judging.ts';
import { expect, test } from 'vitest';
import { answerSchema, parseJudgeAnswer } from '../../src/model/judge-answer.ts';

const MATERIAL = [
  '<data-1>',
  JSON.stringify({ item: 'request', text: 'Where is my  order?' }),
  JSON.stringify({ item: 'tool', name: 'find_order', result: '{"status":"shipped","by":"DHL"}' }),
  JSON.stringify({ item: 'answer', text: 'It’s on its way:\nwith DHL.' }),
  '</data-1>',
].join('\n');
const CRITERIA = [
  { name: 'helpful', question: 'Is it helpful?' },
  { name: 'polite', question: 'Is it polite?' },
];
const REQUEST = { criteria: CRITERIA, material: MATERIAL };

const YES = { quotes: [], reason: 'It says where it is.', answer: true };
const GOOD = { helpful: YES, polite: { ...YES, answer: false } };

function problemOf(text: string): string {
  const read = parseJudgeAnswer(text, REQUEST);
  if (read.is !== 'problem') throw new Error(`it was taken for an answer: ${JSON.stringify(read.answers)}`);
  return read.problem;
}

function quotesKept(...quotes: string[]): readonly string[] | undefined {
  const read = parseJudgeAnswer(JSON.stringify({ ...GOOD, helpful: { ...YES, quotes } }), REQUEST);
  return read.is === 'answers' ? read.answers[0]?.quotes : undefined;
}

test('an answer of the form that was asked for is read, in the order of the criteria', () => {
  const text = `\n ${JSON.stringify({ polite: GOOD.polite, helpful: GOOD.helpful }, null, 2)} \n`;

  expect(parseJudgeAnswer(text, REQUEST)).toEqual({
    is: 'answers',
    answers: [
      { criterion: 'helpful', pass: true, reason: 'It says where it is.', quotes: [] },
      { criterion: 'polite', pass: false, reason: 'It says where it is.', quotes: [] },
    ],
  });
});

const good = JSON.stringify(GOOD);
test.each<[string, string, string]>([
  ['nothing', '', 'empty'],
  ['white space', ' \n', 'empty'],
  ['a word', 'yes', 'not JSON alone'],
  ['prose before it', `Here you are: ${good}`, 'not JSON alone'],
  ['prose after it', `${good}\nI hope that helps.`, 'text after it'],
  ['a second answer after it', `${good}${good}`, 'text after it'],
  ['a fence of Markdown', `\`\`\`json\n${good}\n\`\`\``, 'not JSON alone'],
  ['an answer cut short', good.slice(0, -1), 'broken JSON'],
  ['an answer cut inside a text', good.slice(0, 30), 'broken JSON'],
  ['a list', `[${good}]`, 'no JSON object'],
  ['true', 'true', 'no JSON object'],
  ['null', 'null', 'no JSON object'],
  ['an empty object', '{}', 'lacks helpful'],
  ['one criterion only', JSON.stringify({ helpful: YES }), 'lacks polite'],
  ['a criterion that nobody asked about', JSON.stringify({ ...GOOD, score: YES }), 'more than was asked'],
  ['a criterion of another case', JSON.stringify({ helpful: YES, Polite: YES }), 'lacks polite'],
  ['a prototype for a criterion', `{"helpful":${JSON.stringify(YES)},"__proto__":{"polite":true}}`, 'lacks polite'],
  ['a bare boolean', JSON.stringify({ ...GOOD, polite: true }), 'polite is no object'],
  ['yes as a text', JSON.stringify({ ...GOOD, polite: { ...YES, answer: 'true' } }), 'neither true nor false'],
  ['yes as a number', JSON.stringify({ ...GOOD, polite: { ...YES, answer: 1 } }), 'neither true nor false'],
  ['no answer', JSON.stringify({ ...GOOD, polite: { quotes: [], reason: 'x' } }), 'lacks answer'],
  ['null for an answer', JSON.stringify({ ...GOOD, polite: { ...YES, answer: null } }), 'neither true nor false'],
  ['an empty reason', JSON.stringify({ ...GOOD, polite: { ...YES, reason: ' ' } }), 'has no reason'],
  ['a reason that is a list', JSON.stringify({ ...GOOD, polite: { ...YES, reason: ['x'] } }), 'has no reason'],
  ['quotes that are a text', JSON.stringify({ ...GOOD, polite: { ...YES, quotes: 'x' } }), 'no list of texts'],
  ['quotes that are numbers', JSON.stringify({ ...GOOD, polite: { ...YES, quotes: [1] } }), 'no list of texts'],
  ['a member too many', JSON.stringify({ ...GOOD, polite: { ...YES, confidence: 1 } }), 'more than was asked'],
  [
    'a criterion twice',
    good.replace('"polite"', '"helpful":{"quotes":[],"reason":"x","answer":false},"polite"'),
    'twice',
  ],
  ['an answer twice', good.replace('"answer":true', '"answer":false,"answer":true'), 'twice'],
  ['an answer twice, once escaped', good.replace('"answer":true', '"\\u0061nswer":false,"answer":true'), 'twice'],
  ['an answer without end', `${good.slice(0, -2)},"reason":"${'x'.repeat(300_000)}"}}`, 'more than'],
  ['brackets without end', '['.repeat(100_000), 'not JSON alone'],
])('%s is a problem, never an answer', (_what, text, problem) => {
  expect(problemOf(text)).toContain(problem);
});

test('what looks like keys inside of texts is no key', () => {
  const reason = 'It says "answer": true and {"answer": false, "answer": true}.';

  const read = parseJudgeAnswer(JSON.stringify({ ...GOOD, helpful: { ...YES, reason } }), REQUEST);

  expect(read).toMatchObject({ is: 'answers', answers: [{ reason }, {}] });
});

test('a problem has nothing of the text that caused it', () => {
  expect(problemOf('{"helpful": PLANTED}')).not.toContain('PLANTED');
  expect(problemOf(JSON.stringify({ ...GOOD, PLANTED: YES }))).not.toContain('PLANTED');
});

test('quotes stay where they are in the material, however they are spaced, quoted and escaped', () => {
  const quotes = [
    'Where is my order?',
    "It's on its way: with DHL.",
    '{"status":"shipped"',
    '{\\"status\\":\\"shipped\\"',
    '“shipped”',
  ];

  expect(quotesKept(...quotes)).toEqual(quotes);
});

test('an invented quote is dropped, and the answer stands', () => {
  expect(quotesKept('It was delivered.', 'with DHL', '', '  ', '<data-1>')).toEqual(['with DHL']);
  expect(quotesKept('It was delivered.')).toEqual([]);
});

test('reasons and quotes are bounded and well formed', () => {
  const read = parseJudgeAnswer(
    JSON.stringify({
      ...GOOD,
      helpful: { ...YES, reason: `${'x'.repeat(999)}\u{1f600}`, quotes: Array(9).fill('DHL') },
    }),
    REQUEST,
  );

  if (read.is !== 'answers') throw new Error(read.problem);
  const [answer] = read.answers;
  expect(answer?.reason).toBe(`${'x'.repeat(999)}\ufffd`);
  expect(answer?.quotes).toHaveLength(5);
});

test('the schema asks for every criterion, the decision last, and nothing else', () => {
  expect(answerSchema(REQUEST)).toMatchObject({
    type: 'object',
    required: ['helpful', 'polite'],
    additionalProperties: false,
    properties: {
      helpful: {
        description: 'Is it helpful?',
        required: ['quotes', 'reason', 'answer'],
        additionalProperties: false,
        properties: { answer: { type: 'boolean' }, reason: { type: 'string' }, quotes: { type: 'array' } },
      },
      polite: {},
    },
  });
});

test.each([
  [['It was delivered.', 'with DHL'], 1, false],
  [['It was delivered.', 'By pigeon.'], 2, true],
  [['', ' '], undefined, false],
  [[], undefined, false],
] as const)('of the quotes %j, %j are invented; unsupported: %j', (quotes, invented, unsupported) => {
  const read = parseJudgeAnswer(JSON.stringify({ ...GOOD, helpful: { ...YES, quotes } }), REQUEST);
  const answer = (read.is === 'answers' ? read.answers[0] : undefined) ?? expect.unreachable();

  expect(answer.invented).toBe(invented);
  expect(isUnsupported(answer)).toBe(unsupported);
});

test('a reason holds nothing that a terminal or a browser obeys', () => {
  const reason = 'It is\u009b31m fine\u202e\u200b \u{e0041}here.';
  const read = parseJudgeAnswer(JSON.stringify({ ...GOOD, helpful: { ...YES, reason } }), REQUEST);

  expect(read.is === 'answers' ? read.answers[0]?.reason : undefined).toBe('It is 31m fine   here.');
});
