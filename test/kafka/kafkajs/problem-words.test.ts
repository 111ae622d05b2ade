import { expect, test } from 'vitest';
import { KafkaError } from '../../../src/kafka/kafka-client.ts';
import { kafkaError, problemWords } from '../../../src/kafka/kafkajs/problem-words.ts';
import { ClientProblems } from '../../../src/kafka/kafkajs/problems.ts';

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  ['text', 'text'],
  [{}, 'no reason'],
  [{ type: 7, message: {} }, 'no reason'],
  [new Error('odd'), 'odd'],
  [new KafkaError('as it is', { retriable: true }), 'as it is'],
])('there are words for %o', (error, said) => {
  expect(problemWords(error, { doing: 'read' })).toContain(said);
  expect(kafkaError(error, { doing: 'read' })).toBeInstanceOf(KafkaError);
});

test('problems are told when they change, each once, and as none when all are over', () => {
  const told: (string | undefined)[] = [];
  const problems = new ClientProblems((problem) => told.push(problem));

  problems.set('a', 'first');
  problems.set('a', 'first');
  problems.set('b', 'first');
  problems.set('c', 'second');
  problems.clear('c');
  problems.clear('a');
  problems.clear('b');
  problems.clear('b');

  expect(told).toEqual(['first', 'first; second', 'first', undefined]);
});
