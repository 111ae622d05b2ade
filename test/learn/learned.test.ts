import { expect, test } from 'vitest';
import { choicesOf } from '../../src/learn/choices.ts';
import { certificateWords, isCertified } from '../../src/model/certificate.ts';
import { randomFrom } from '../../src/model/random.ts';
import { type LearnedCriterion, learnedFrom } from '../../src/learn/learned.ts';
import { checksOf, conditionsOf } from '../../src/learn/expressions.ts';
import { holdsOn, rowsOf } from '../../src/learn/fires.ts';
import type { ReadCase } from '../../src/learn/read-case.ts';
import { vocabularyOf } from '../../src/learn/vocabulary.ts';
import { forFile } from '../for-file.ts';
import { casesOf, shop } from './shop.ts';

const shared = forFile(async () => ({ cases: await casesOf(shop(150, 3)) }));
const AT = '2026-11-29T10:00:00.000Z';
const learn = (cases: readonly ReadCase[]) =>
  learnedFrom(cases, { at: AT, traffic: cases.map(({ conversation }) => conversation) });
const bestOf = (cases: readonly ReadCase[], kind: string) => learn(cases).find((one) => one.kind === kind)?.criteria[0];

test('planted rules are found in the words in which they were planted, and certified', () => {
  const { cases } = shared();

  const blind = bestOf(cases, 'refunds without looking');
  const late = bestOf(cases, 'cancels what has left');

  expect(blind?.check).toBe("size(tools('refund_order')) == 0 || size(tools('get_order')) > 0");
  expect(late?.when ?? late?.check).toContain('cancel_order');
  for (const found of [blind, late]) {
    expect(found?.certificate && isCertified(found.certificate)).toBe(true);
    expect(found?.certificate?.precision.value).toBe(1);
    const fails = cases.flatMap(({ kind }, at) => (kind === found?.certificate?.kind ? at : []));
    expect(found?.failsOn).toEqual(fails);
  }
});

test('what rests on no tool, argument, result or ending is said to be of this sample, and the rest is not', async () => {
  const said = Array.from({ length: 60 }, (_, at) => ({
    ...{ id: `long-${at}`, user: `user-${at}`, kind: at % 4 === 0 ? 'drags on' : undefined },
    messages: Array.from({ length: at % 4 === 0 ? 2 : 1 }, () => [
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: 'Here.' },
    ]).flat(),
  }));
  const words = (criterion: ReturnType<typeof bestOf>) =>
    criterion?.certificate === undefined ? '' : certificateWords(criterion.certificate);

  const found = bestOf(await casesOf(said), 'drags on');

  expect(found?.check).toBe('size(turns) <= 1');
  expect(words(found)).toMatch(/^Certified: .*so it may hold in this sample alone\.$/);
  expect(words(bestOf(shared().cases, 'refunds without looking'))).not.toContain('this sample alone');
});

const criterion = (failsOn: readonly number[], share: number): LearnedCriterion => ({
  ...{ name: 'new', question: '', when: undefined, check: '', foundIn: 5, failsOn },
  certificate: {
    ...{ at: AT, readings: 9, fired: 9, precision: { value: 1, lower: 0.9, upper: 1 }, bad: 0.3, missed: 0, added: 0 },
    ...{ applies: 1, fails: 0.1, like: { criterion: 'own/old', share } },
  },
});

test.each([
  ['one that is not alike', 'x', 0.7, ['own/old'], true, 'written'],
  ['one that is alike, and certified', 'x', 0.8, ['own/old'], true, 'left out'],
  ['one that is alike, where the old one has no certificate', 'x', 0.8, ['own/old'], false, 'written'],
  ['one that is alike, of no kind', undefined, 0.8, ['own/old'], false, 'left out'],
  ['one that is alike, where the old one misses a conversation of the kind', 'x', 0.9, [], true, 'written'],
] as const)('%s', (_, kind, share, failed, isOldCertified, is) => {
  const [one] = shared().cases;
  const cases = one === undefined ? [] : [{ ...one, isBad: true, kind, failed }];
  const learned = [{ kind, readings: 9, notes: [], criteria: [criterion([0], share)] }];

  expect(choicesOf(learned, cases, () => isOldCertified)).toMatchObject([{ is, kind }]);
});

test('a kind without a certified criterion is left out, and says so', () => {
  expect(choicesOf([{ kind: 'x', readings: 4, notes: [], criteria: [] }], [], () => false)).toEqual([
    { is: 'left out', kind: 'x', because: 'no criterion is certified' },
  ]);
});

test('a value that alone is right is asked for in plain words', () => {
  const field = { name: 'city', values: ['Porto'], limits: [], isNamed: false };
  const said = { asked: [], said: [], tools: [] };
  const words = checksOf({
    ...said,
    fields: [
      { ...field, tool: 'book_room', of: 'args' },
      { ...field, tool: 'search_faq', of: 'result', name: 'found', values: ['true'] },
    ],
  }).map((one) => one.words);

  expect(words).toContain('book_room is called only with city Porto');
  expect(words).toContain('search_faq gives found true, and nothing else');
});

test('a call that comes too early is told by its order, where both calls are always there', async () => {
  const random = randomFrom(9);
  const said = Array.from({ length: 60 }, (_, at) => {
    const isEarly = at % 4 === 0;
    const callsOf = (names: readonly string[]) =>
      names.flatMap((name, of) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `c-${of}`, type: 'function', function: { name, arguments: `{"n":${random()}}` } }],
        },
        { role: 'tool', tool_call_id: `c-${of}`, content: '{"done":true}' },
      ]);
    return {
      ...{ id: `early-${at}`, user: `user-${at}`, kind: isEarly ? 'pays first' : undefined },
      messages: [
        { role: 'user', content: 'Pay my bill.' },
        ...callsOf(isEarly ? ['pay', 'look_up', 'notify'] : ['look_up', 'pay', 'notify']),
        { role: 'assistant', content: 'It is paid.' },
      ],
    };
  });

  const found = bestOf(await casesOf(said), 'pays first');

  expect(found?.question).toBe('Is it true that pay is called only after look_up?');
  expect(found?.failsOn).toEqual(said.flatMap(({ kind }, at) => (kind === undefined ? [] : at)));
  expect(found?.certificate && isCertified(found.certificate)).toBe(true);
});

test('a fault of one user alone is not certified, nor is one that nobody was chosen by lot to read', () => {
  const { cases } = shared();
  const isBlind = (one: ReadCase) => one.kind === 'refunds without looking';

  const ofOne = bestOf(
    cases.map((one) => (isBlind(one) ? { ...one, cluster: 'one' } : one)),
    'refunds without looking',
  );
  const byChoice = bestOf(
    cases.map((one) => (isBlind(one) ? { ...one, weight: 0 } : one)),
    'refunds without looking',
  );

  expect(ofOne).toBeUndefined();
  expect(byChoice?.certificate).toBeUndefined();
});

test('with kinds permuted at random hardly anything is found, and nothing certified', () => {
  const { cases } = shared();
  const random = randomFrom(8);
  let found = 0;
  for (let run = 0; run < 20; run += 1) {
    const kinds = cases
      .map(({ kind }) => ({ kind, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ kind }) => kind);
    const permuted = cases.map((one, at) => ({ ...one, kind: kinds[at], isBad: kinds[at] !== undefined }));
    const criteria = learn(permuted).flatMap((one) => one.criteria);
    found += Number(criteria.length > 0);
    expect(criteria.filter(({ certificate }) => certificate !== undefined && isCertified(certificate))).toEqual([]);
  }
  expect(found).toBeLessThanOrEqual(2);
});

test('kinds that are permuted among the failures are told by nothing that is certified', () => {
  const { cases } = shared();
  const random = randomFrom(5);
  let certified = 0;
  for (let run = 0; run < 20; run += 1) {
    const bad = cases.filter(({ isBad }) => isBad);
    const kinds = bad
      .map(({ kind }) => ({ kind, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ kind }) => kind);
    const kindOf = new Map(bad.map((one, at) => [one, kinds[at]]));
    const all = learn(cases.map((one) => ({ ...one, kind: kindOf.get(one) })));
    certified += Number(
      all.some(({ criteria }) => criteria.some((one) => one.certificate && isCertified(one.certificate))),
    );
  }
  expect(certified).toBeLessThanOrEqual(2);
});

test('kinds with the same letters, and with none, have names of their own', () => {
  const { cases } = shared();
  const named: Record<string, string> = { 'refunds without looking': '確認なし', 'cancels what has left': '発送後' };

  const other = learn(cases.map((one) => ({ ...one, kind: one.kind && named[one.kind] })));
  const alike = learn(cases.map((one, at) => ({ ...one, kind: one.kind && (at % 2 === 0 ? 'a fee' : 'a: fee') })));

  for (const learned of [other, alike]) {
    const names = learned.flatMap(({ criteria }) => criteria.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  }
});

test('criteria that the suites have already are named, with how alike they are', () => {
  const { cases } = shared();
  const failing = cases.map((one) => ({
    ...one,
    failed: one.kind === 'refunds without looking' ? ['own/looks_first'] : [],
  }));

  expect(bestOf(failing, 'refunds without looking')?.certificate?.like).toEqual({
    criterion: 'own/looks_first',
    share: 1,
  });
});

test('the same readings give the same, and too few give nothing', () => {
  const { cases } = shared();

  expect(learn(cases)).toEqual(learn([...cases]));
  expect(learn(cases.filter(({ isBad }) => !isBad))).toEqual([]);
});

test('every expression can be asked of any conversation, whatever tools and values are called', async () => {
  const hostile = ["it's", 'a"b', '*', '__proto__', 'constructor', 'tool\n', '$x', 'drop\u0000', 'fine'].map(
    (name, at) => ({
      id: `h-${at}`,
      user: `u-${at}`,
      kind: at % 2 === 0 ? 'hostile' : undefined,
      messages: [
        { role: 'user', content: `Do ${name} ' " \\ \u202e` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name, arguments: JSON.stringify({ [name]: name, ok: "x'y" }) } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: JSON.stringify({ [name]: [name], __proto__: name }) },
        { role: 'assistant', content: `Done ${name}` },
      ],
    }),
  );
  const cases = await casesOf(
    Array.from({ length: 5 }, (_, round) => hostile.map((one) => ({ ...one, id: `${one.id}-${round}` }))).flat(),
  );
  const conversations = cases.map(({ conversation }) => conversation);
  const vocabulary = vocabularyOf(conversations);

  expect(conversations).toHaveLength(45);
  const expressions = [...checksOf(vocabulary), ...conditionsOf(vocabulary)];
  expect(rowsOf(expressions, conversations).length).toBeGreaterThan(0);
  for (const one of expressions) expect(one.cel).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(() => learn(cases)).not.toThrow();
});

test('an expression holds where the code of suites says so', () => {
  const { cases } = shared();
  const conversations = cases.map(({ conversation }) => conversation);
  const cel = "size(tools('cancel_order')) > 0";

  const holds = holdsOn({ cel, words: '', size: 1 }, conversations);

  const byHand = conversations.map(({ turns }) =>
    Number(turns.some(({ toolCalls }) => toolCalls.some(({ name }) => name === 'cancel_order'))),
  );
  expect([...holds]).toEqual(byHand);
});
