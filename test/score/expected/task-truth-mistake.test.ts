import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { taskTruthMistake } from '../../../src/score/expected/expected-actions.ts';

test.each<[string, Json, string, string]>([
  ['a text', { actions: 'x' }, 'truth.actions is no list', '[{name, args}]'],
  ['a mapping', { actions: { name: 'pay' } }, 'truth.actions is no list', '[{name, args}]'],
  ['a list of texts', { actions: ['pay'] }, 'truth.actions[0] names no tool', '{name, args}'],
  ['arguments of another name', { actions: [{ name: 'pay', arg: {} }] }, 'truth.actions[0].arg is not read', 'args'],
  [
    'arguments that are no JSON',
    { actions: [{ name: 'pay', arguments: '{' }] },
    'truth.actions[0].arguments is a text that is no JSON',
    'a mapping',
  ],
  ['`action` with a call', { action: [{ name: 'pay' }] }, 'truth.action is not read', 'actions'],
  ['`action` beside outputs', { action: 'pay', outputs: ['30'] }, 'truth.action is not read', 'actions'],
  ['`output`', { actions: [], output: '30' }, 'truth.output is not read', 'outputs'],
  [
    'an output that is a mapping',
    { actions: [], outputs: [{}] },
    'truth.outputs[0] is neither a text nor a number',
    'what an answer has to have in it',
  ],
  [
    'an order of one tool',
    { actions: [], order: ['pay'] },
    'truth.order is neither true nor a list of tools',
    'true, or at least two tools',
  ],
  [
    'a text for `complete`',
    { actions: [], complete: 'yes' },
    'truth.complete is neither true nor false',
    'true, or no such key',
  ],
])('a truth of a task with %s is named by its field, with what is expected', (_what, truth, problem, expected) => {
  expect(taskTruthMistake(truth)).toEqual({ problem, expected });
});

test.each<[string, Json]>([
  ['well formed', { actions: [{ name: 'pay', args: { order: 17 } }], outputs: ['30'], order: true }],
  ['without actions', { participants: ['ana'], order: 'alphabetical', outputs: { a: 1 } }],
  ['with an action in words', { action: 'cancel' }],
  ['a list', ['ana']],
  ['a text', 'ana'],
  ['nothing', null],
])('a truth that is %s has no mistake of a task', (_what, truth) => {
  expect(taskTruthMistake(truth)).toBeUndefined();
});
