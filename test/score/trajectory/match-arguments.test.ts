import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import {
  argumentsFor,
  compareArguments,
  differences,
  pointsIn,
} from '../../../src/score/trajectory/match-arguments.ts';
import { argumentScopeOf } from '../../../src/score/trajectory/assess-run.ts';
import { readGolden } from '../../../src/score/trajectory/read-golden.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { aRun } from './ticket-agent.ts';

function matcher(step: string) {
  const { traces, mistakes } = readGolden(`id: x\ninput: ''\nsteps: [{ tool: t, ${step} }]`, 'x.yaml');
  const args = traces[0]?.steps[0]?.args;
  if (args === undefined) throw new Error(formatMistakes(mistakes));
  return args;
}

const scope = argumentScopeOf(subjectOf(aRun([], { asked: 'account ACC-1 please' }), undefined));

test.each<[what: string, step: string, given: Json, score: number]>([
  ['the same values', 'args: { a: x, n: 3 }', { a: 'x', n: 3 }, 1],
  ['a number as text', 'args: { a: x, n: 3 }', { a: 'x', n: '3' }, 0.5],
  ['a number with a point as text', 'args: { a: x, n: 3 }', { a: 'x', n: '3.0' }, 0.5],
  ['text as a number', "args: { a: x, n: '3' }", { a: 'x', n: 3 }, 0.5],
  ['true as text', 'args: { a: x, n: true }', { a: 'x', n: 'True' }, 0.5],
  ['only a value of the wrong type', 'args: { n: 3 }', { n: '3' }, 0.5],
  ['another value beside a right one', 'args: { a: x, n: 3 }', { a: 'x', n: 4 }, 0.5],
  ['nothing right', 'args: { a: x, n: 3 }', { a: 'y', n: 4 }, 0],
  ['an argument that is missing', 'args: { a: x, n: 3 }', { a: 'x' }, 0.5],
  ['an argument that nobody expected', 'args: { a: x }', { a: 'x', b: 1 }, 0.5],
  ['an argument that is ignored', 'args: { a: x }, ignore: [b]', { a: 'x', b: 1 }, 1],
  ['a critical argument that is wrong', 'args: { a: x, n: 3 }, critical: [n]', { a: 'x', n: 4 }, 0],
  ['a critical argument that is missing', 'args: { a: x, n: 3 }, critical: [n]', { a: 'x' }, 0],
  ['a critical argument of the wrong type', 'args: { a: x, n: 3 }, critical: [n]', { a: 'x', n: '3' }, 0.5],
  ['what a glob matches', 'args: { id: TKT-* }', { id: 'TKT-4' }, 1],
  ['what a glob does not match', 'args: { id: TKT-* }', { id: 'ACC-4' }, 0],
  ['a star where it is meant', "args: { id: { $exact: 'a*' } }", { id: 'a*' }, 1],
  ['what a star would have matched', "args: { id: { $exact: 'a*' } }", { id: 'ab' }, 0],
  ['what an expression holds for', "args: { n: { $cel: 'value > 3' } }", { n: 4 }, 1],
  ['what it does not hold for', "args: { n: { $cel: 'value > 3' } }", { n: 3 }, 0],
  ['what it can not be worked out for', "args: { n: { $cel: 'value.x > 3' } }", { n: 3 }, 0],
  ['an expression over the request', "args: { id: { $cel: 'user_input.contains(value)' } }", { id: 'ACC-1' }, 1],
  ['an expression over other arguments', "args: { n: { $cel: 'value == args.m' }, m: 2 }", { n: 2, m: 2 }, 1],
  ['a number within the tolerance', 'args: { n: { $near: 30, $within: 0.5 } }', { n: 30.5 }, 1],
  ['a number beyond it', 'args: { n: { $near: 30, $within: 0.5 } }', { n: 30.6 }, 0],
  ['a number within it, as text', 'args: { n: { $near: 30, $within: 0.5 } }', { n: '30.2' }, 0.5],
  ['an object with the same members', 'args: { f: { s: open, t: T-* } }', { f: { t: 'T-1', s: 'open' } }, 1],
  ['an object with another member', 'args: { f: { s: open } }', { f: { s: 'open', t: 1 } }, 0],
  ['an object of which a subset is wanted', 'args: { f: { $subset: { s: open } } }', { f: { s: 'open', t: 1 } }, 1],
  ['a list of which a subset is wanted', 'args: { l: { $subset: [b, a] } }', { l: ['a', 'c', 'b'] }, 1],
  ['a list that lacks one', 'args: { l: { $subset: [a, a] } }', { l: ['a', 'c'] }, 0],
  ['the same list', 'args: { l: [1, 2] }', { l: [1, 2] }, 1],
  ['the list in another order', 'args: { l: [1, 2] }', { l: [2, 1] }, 0],
  ['a list as the text of its JSON', 'args: { l: [1, 2] }', { l: '[1, 2]' }, 0.5],
  ['a subset of all arguments', 'args: { $subset: { a: x } }', { a: 'x', b: 1, c: 2 }, 1],
  ['whatever it is', 'args: { a: { $any: true } }', { a: { deep: [null] } }, 1],
  ['a text, by a star alone', "args: { a: '*' }", { a: '' }, 1],
  ['a number, by a star alone', "args: { a: '*' }", { a: 21.5 }, 1],
  ['a list, by a star alone', "args: { a: '*' }", { a: [1] }, 1],
  ['a member, by a star alone', "args: { f: { a: '*' } }", { f: { a: 3 } }, 1],
  ['nothing, by a star alone', "args: { a: '*' }", {}, 0],
  ['a number, by a star beside text', "args: { a: '2*' }", { a: 21 }, 0.5],
  ['whatever it is, and it is not there', 'args: { a: { $any: true } }', {}, 0],
  ['no arguments, and none expected', 'args: {}', {}, 1],
  ['text that is no object', 'args: { a: x }', 'a: x', 0],
  ['a name of every object', 'args: { constructor: x }', { constructor: 'x' }, 1],
  ['a name of every object that is not given', 'args: { toString: x }', {}, 0],
])('%s', (_, step, given, score) => {
  const expected = matcher(step);

  expect(pointsIn(compareArguments(expected, argumentsFor(expected, given), scope)) / 2).toBe(score);
});

test('what differs is said for each argument, on one line', () => {
  const notes = differences(matcher('args: { a: x, n: 3, m: 1 }'), { a: 'y\n\u001b[31m', n: '3', b: 1 }, scope);

  expect(notes).toEqual([
    'a is "y\\n\\u001b[31m", expected "x"',
    'n is "3", expected 3 (the type differs)',
    'm is missing (expected 1)',
    'b was not expected',
  ]);
});
