import { describe, expect, test } from 'vitest';
import { notApplicable } from '../../../src/score/define-suite.ts';
import { order, type OrderCheck } from '../../../src/score/order/order.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import type { Turn } from '../../../src/model/turn.ts';
import {
  aConversation,
  aFailedCall,
  aStep,
  aToolCall,
  aTurn,
  content,
  REDACTED,
  ROOT_SPAN,
  spanId,
} from '../conversations.ts';

/**
 * Calls as a line of text: `a b|c d` is a, then b and c side by side, then d. `a!` failed. Their span ids are 1, 2, … as they stand.
 */
function turnOf(text: string, parts: Partial<Turn> = {}): Turn {
  let number = 0;
  const toolCalls = text
    .split(' ')
    .filter(Boolean)
    .flatMap((group, at) =>
      group.split('|').map((name) => {
        number += 1;
        const timed = {
          spanId: spanId(number),
          requestedBy: undefined,
          startedAtMs: at * 10_000,
          endedAtMs: at * 10_000 + 5000,
          args: content({ at }),
        };
        return name.endsWith('!') ? aFailedCall(name.slice(0, -1), 'no', timed) : aToolCall(name, timed);
      }),
    );
  return aTurn({
    steps: [
      aStep({
        kind: 'agent',
        name: 'clerk',
        spanId: ROOT_SPAN,
        parentSpanId: undefined,
        startedAtMs: 0,
        endedAtMs: 1e6,
      }),
    ],
    toolCalls,
    ...parts,
  });
}

function ask(check: OrderCheck, text: string, parts: Partial<Turn> = {}): string {
  const answer = check(subjectOf(aConversation([turnOf(text, parts)]), undefined));
  if (typeof answer === 'boolean') throw new Error('an order check gives a reason');
  if ('notApplicable' in answer) return `n/a: ${answer.notApplicable}`;
  const spans = (answer.evidence ?? []).map((id) => (id === undefined ? '-' : Number.parseInt(id, 16))).join(' ');
  return `${answer.pass ? 'pass' : 'fail'}: ${answer.reason}${spans === '' ? '' : ` [${spans}]`}`;
}

test.each<[string, OrderCheck, string, string]>([
  ['before', order.before('look', 'book'), 'look book', 'pass: look came before book.'],
  ['before, each time', order.before('look', 'book'), 'look book book', 'pass: look came before book, all 2 times.'],
  [
    'before, the wrong way round',
    order.before('look', 'book'),
    'book look',
    'fail: book came before look, which should have come first. [1 2]',
  ],
  [
    'before, the first of several',
    order.before('look', 'book'),
    'book look book',
    'fail: book (1 of 2) came before look, which should have come first. [1 2]',
  ],
  [
    'before, without any',
    order.before('look', 'book'),
    'other book',
    'fail: book came without look before it: there was none. [2]',
  ],
  [
    'before, side by side',
    order.before('look', 'book'),
    'look|book',
    'fail: book and look ran side by side; look should have come first. [2 1]',
  ],
  ['before, one of them certainly', order.before('look', 'book'), 'look look|book', 'pass: look came before book.'],
  ['before, what never came', order.before('look', 'book'), 'look', 'n/a: There was no book.'],
  [
    'before, the same selector',
    order.before('book', 'book'),
    'book book',
    'fail: book (1 of 2) came before book (2 of 2), which should have come first. [1 2]',
  ],
  ['immediately before', order.immediatelyBefore('ask', 'pay'), 'look ask pay', 'pass: ask came just before pay.'],
  [
    'immediately before, with something between',
    order.immediatelyBefore('ask', 'pay'),
    'ask look pay',
    'fail: look came just before pay; it should have been ask. [3 2]',
  ],
  [
    'immediately before, with something between that does not count',
    order.immediatelyBefore('ask', 'pay', { among: { tool: ['ask', 'pay'] } }),
    'ask look pay',
    'pass: ask came just before pay.',
  ],
  [
    'immediately before, either of two',
    order.immediatelyBefore('ask*', 'pay'),
    'ask1|ask2 pay',
    'pass: ask* came just before pay.',
  ],
  [
    'immediately before, perhaps',
    order.immediatelyBefore('ask', 'pay'),
    'ask look|pay',
    'fail: look ran beside pay and may have come just before it; it should have been ask. [3 2]',
  ],
  [
    'immediately before, as the first',
    order.immediatelyBefore('ask', 'pay'),
    'pay ask',
    'fail: pay came before ask, which should have come first. [1 2]',
  ],
  ['never', order.never('drop_*'), 'look', 'pass: drop_* never came.'],
  ['never, and it came', order.never('drop_*'), 'look drop_all', 'fail: drop_* came once; it must never come. [2]'],
  ['never after', order.neverAfter('pay', 'cancel'), 'pay cancel', 'pass: pay never came after cancel.'],
  [
    'never after, and it did',
    order.neverAfter('pay', 'cancel'),
    'pay cancel pay',
    'fail: pay (2 of 2) came after cancel; it must not. [3 2]',
  ],
  [
    'never after, perhaps',
    order.neverAfter('pay', 'cancel'),
    'pay|cancel',
    'fail: pay and cancel ran side by side, so that pay may have come after; it must not. [1 2]',
  ],
  ['never after what never was', order.neverAfter('pay', 'cancel'), 'pay', 'n/a: There was no cancel.'],
  ['exactly', order.exactly(1, 'pay'), 'pay', 'pass: pay came once.'],
  [
    'exactly, too often',
    order.exactly(1, 'pay'),
    'pay pay pay',
    'fail: pay came 3 times; it should come exactly once. [2 3]',
  ],
  ['exactly, none', order.exactly(2, 'pay'), 'look', 'fail: pay never came; it should come exactly 2 times.'],
  ['at least', order.atLeast(2, 'look'), 'look', 'fail: look came once; it should come at least 2 times.'],
  ['at most', order.atMost(1, 'look'), 'look look', 'fail: look came 2 times; it should come at most once. [2]'],
  [
    'within steps',
    order.within('2 steps', 'book', 'tell'),
    'book look tell',
    'pass: tell followed book within 2 steps.',
  ],
  [
    'within steps, too late',
    order.within('1 step', 'book', 'tell'),
    'book look tell',
    'fail: book was followed by tell, but not certainly within 1 step. [1 3]',
  ],
  [
    'within steps, either of two',
    order.within('1 step', 'book', 'tell'),
    'book tell|tell',
    'pass: tell followed book within 1 step.',
  ],
  [
    'within steps, never',
    order.within('1 step', 'book', 'tell'),
    'tell book',
    'fail: book was not followed by tell: the last, tell, came before it. [2 1]',
  ],
  ['within a time', order.within('5s', 'book', 'tell'), 'book tell', 'pass: tell followed book within 5s.'],
  [
    'within a time, too late',
    order.within('4.9s', 'book', 'tell'),
    'book tell',
    'fail: book was followed by tell, but not certainly within 4.9s. [1 2]',
  ],
  ['responds to', order.respondsTo('tell', 'book'), 'book look tell', 'pass: tell followed book.'],
  [
    'responds to, not the last',
    order.respondsTo('tell', 'book'),
    'book tell book',
    'fail: book (2 of 2) was not followed by tell: the last, tell, came before it. [3 2]',
  ],
  [
    'responds to, side by side',
    order.respondsTo('tell', 'book'),
    'book|tell',
    'fail: book and tell ran side by side; tell should have come after it. [1 2]',
  ],
  ['first', order.first('login'), 'login look', 'pass: login came first.'],
  [
    'first, and another was',
    order.first('login'),
    'look login',
    'fail: look came first; it should have been login. [1 2]',
  ],
  [
    'first, perhaps',
    order.first('login'),
    'look|login pay',
    'fail: look ran beside login and may have come first; it should have been login. [1 2]',
  ],
  ['first of nothing', order.first('login'), '', 'n/a: There was no step to come first.'],
  ['last', order.last('logout'), 'look logout', 'pass: logout came last.'],
  [
    'last, and another was',
    order.last('logout'),
    'logout look',
    'fail: look came last; it should have been logout. [2 1]',
  ],
  [
    'between',
    order.between('pay', 'open', 'close'),
    'open pay pay close',
    'pass: pay came between open and close, all 2 times.',
  ],
  [
    'between, too early',
    order.between('pay', 'open', 'close'),
    'pay open close',
    'fail: pay came before open, which should have come first. [1 2]',
  ],
  [
    'between, too late',
    order.between('pay', 'open', 'close'),
    'open close pay',
    'fail: pay was not followed by close: the last, close, came before it. [3 2]',
  ],
])('%s', (_what, check, text, expected) => {
  expect(ask(check, text)).toBe(expected);
});

describe('put together', () => {
  const looked = order.before('look', 'book');
  const paid = order.exactly(1, 'pay');

  test.each<[string, OrderCheck, string, string]>([
    ['all', order.all(looked, paid), 'look book pay', 'pass: look came before book. pay came once.'],
    [
      'all, and one does not hold',
      order.all(looked, paid),
      'look book',
      'fail: pay never came; it should come exactly once.',
    ],
    ['all, leaving out what does not apply', order.all(looked, paid), 'pay', 'pass: pay came once.'],
    ['all, and none applies', order.all(looked), 'pay', 'n/a: There was no book.'],
    ['any', order.any(looked, paid), 'book pay', 'pass: pay came once.'],
    [
      'any, and none holds',
      order.any(looked, paid),
      'book',
      'fail: book came without look before it: there was none. pay never came; it should come exactly once. [1]',
    ],
    ['not', order.not(looked), 'book look', 'pass: book came before look, which should have come first. [1 2]'],
    ['not, and it holds', order.not(looked), 'look book', 'fail: It must not be, and is: look came before book.'],
    [
      'not, and nobody knows',
      order.not(looked),
      'look|book',
      'fail: book and look ran side by side; look should have come first. [2 1]',
    ],
    [
      'either way, where nobody knows which',
      order.any(looked, order.not(looked)),
      'look|book',
      'fail: book and look ran side by side; look should have come first. [2 1 2 1]',
    ],
  ])('%s', (_what, check, text, expected) => {
    expect(ask(check, text)).toBe(expected);
  });
});

describe('selectors', () => {
  test.each<[string, OrderCheck, string]>([
    ['a glob', order.exactly(2, { tool: 'l*' }), 'look list pay'],
    ['several', order.exactly(2, { tool: ['look', 'pay'] }), 'look list pay'],
    ['that succeeded', order.exactly(1, { tool: 'pay', ok: true }), 'pay! pay'],
    ['that failed', order.exactly(1, { tool: 'pay', ok: false }), 'pay! pay'],
    ['a kind', order.exactly(1, { kind: 'agent' }), 'pay'],
    ['a kind and a name', order.exactly(0, { kind: 'agent', name: 'x*' }), 'pay'],
    ['an agent', order.exactly(2, { kind: ['tool', 'llm'], agent: 'sched*' }), 'pay pay'],
    ['arguments like a pattern', order.exactly(1, { tool: '*', argsMatch: '"at":\\s*1' }), 'pay pay'],
    ['a result like a pattern', order.exactly(1, { tool: '*', resultMatch: '^do' }), 'pay pay!'],
    ['an expression', order.exactly(1, { tool: '*', where: 'call.args.at == 1' }), 'pay pay'],
    ['an expression over what is absent', order.never({ tool: '*', where: 'call.args.nothing == 1' }), 'pay'],
    ['an expression over all else', order.exactly(2, { tool: '*', where: 'size(tool_calls) == 2' }), 'pay pay'],
    ['a function', order.exactly(1, { tool: '*', where: ({ call }) => call?.error !== undefined }), 'pay pay!'],
    ['nothing but names', order.exactly(1, { name: 'clerk' }), 'pay'],
  ])('%s', (_what, check, text) => {
    expect(ask(check, text)).toMatch(/^pass/);
  });

  test.each([
    [
      'an expression',
      order.never({ tool: 'pay', where: 'call.args.at == 1' }),
      'n/a: The arguments of pay is redacted.',
    ],
    ['a pattern', order.never({ tool: 'pay', argsMatch: 'x' }), 'n/a: The arguments of pay is redacted.'],
    ['neither', order.never({ tool: 'pay', ok: false }), 'pass: pay that failed never came.'],
  ])('where content was not recorded, %s says so', (_what, check, expected) => {
    expect(ask(check, '', { toolCalls: [aToolCall('pay', { args: REDACTED })] })).toBe(expected);
  });

  test('a text that was cut can show that it matches', () => {
    const cut = content('DROP TABLE x', 'truncated');
    const toolCalls = [aToolCall('query', { args: cut })];

    expect(ask(order.never({ tool: 'query', argsMatch: '(?i)drop' }), '', { toolCalls })).toMatch(/^fail/);
    expect(ask(order.never({ tool: 'query', argsMatch: '(?i)delete' }), '', { toolCalls })).toMatch(/^n\/a/);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'an expression that does not compile',
      () => order.never({ tool: 'a', where: 'cal.args' }),
      /Unknown variable: cal[\s\S]*did you mean 'call'/,
    ],
    ['a pattern that does not', () => order.never({ tool: 'a', argsMatch: '(' }), /argsMatch: .*missing closing/],
    ['a limit that is none', () => order.within('3', 'a', 'b'), /"3" is no limit/],
    ['a number of times that is none', () => order.exactly(1.5, 'a'), /1\.5 is no number of times/],
  ])('%s is thrown when the suite is loaded', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

describe('what was not recorded', () => {
  const partial = { flags: ['partial-trace'], lacksParents: true } as const;

  test.each<[string, OrderCheck, string, string]>([
    [
      'a step that is missing may be among it',
      order.before('look', 'book'),
      'book',
      'n/a: book came without look before it: there was none. But the trace is partial: steps are missing.',
    ],
    [
      'so may one that is too few',
      order.atLeast(2, 'look'),
      'look',
      'n/a: look came once; it should come at least 2 times. But the trace is partial: steps are missing.',
    ],
    [
      'a step too much is there',
      order.atMost(1, 'look'),
      'look look',
      'fail: look came 2 times; it should come at most once. [2]',
    ],
    [
      'what came after is there',
      order.neverAfter('pay', 'cancel'),
      'cancel pay',
      'fail: pay came after cancel; it must not. [2 1]',
    ],
  ])('%s', (_what, check, text, expected) => {
    expect(ask(check, text, partial)).toBe(expected);
  });
});

test('what to answer where the step never came is for the author to say', () => {
  expect(ask(order.before('look', 'book', { whenAbsent: 'pass' }), '')).toBe('pass: There was no book.');
  expect(ask(order.before('look', 'book', { whenAbsent: 'fail' }), '')).toBe('fail: There was no book.');
});

test('a check of order can be called within another check', () => {
  const looked = order.before('look', 'book');
  const check = (text: string) => {
    const subject = subjectOf(aConversation([turnOf(text)]), undefined);
    return subject.tools('book').length > 1 ? notApplicable('It booked twice.') : looked(subject);
  };

  expect(check('look book')).toMatchObject({ pass: true });
  expect(check('book book')).toEqual({ notApplicable: 'It booked twice.' });
});

test('an answer is the same each time, though an expression has looked at other steps in between', () => {
  const check = order.all(
    order.never({ tool: '*', where: 'call.args.at == 7' }),
    order.exactly(1, { tool: '*', where: 'call.args.at == 1' }),
  );
  const subject = subjectOf(aConversation([turnOf('a b c')]), undefined);

  expect(check(subject)).toEqual(check(subject));
});
