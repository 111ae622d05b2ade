import { expect, test } from 'vitest';
import type { SuiteOutline } from '../../../../src/engine/suite-outline.ts';
import { chosenSuite, liveSuites } from '../../../../src/serve/api/v1/chosen-suite.ts';
import { Refusal } from '../../../../src/serve/api/v1/v1-read.ts';

/** The cast holds because nothing else of it is read. */
const suite = (name: string, about: SuiteOutline['about']) => ({ name, about }) as SuiteOutline;
const SUITES = [
  suite('form-1', 'form'),
  suite('rules', 'rules'),
  suite('shadow:next', 'task'),
  suite('task-1', 'task'),
  suite('form-2', 'form'),
  suite('task-2', 'task'),
];

test('the suite that says most about the task comes first, and equals stay in the order of the configuration', () => {
  expect(liveSuites(SUITES).map(({ name }) => name)).toEqual(['task-1', 'task-2', 'rules', 'form-1', 'form-2']);
  expect(chosenSuite(SUITES, undefined)).toMatchObject({ name: 'task-1' });
  expect(chosenSuite(SUITES, 'form-2')).toMatchObject({ name: 'form-2' });
  expect(chosenSuite(SUITES, 'shadow:next')).toBeInstanceOf(Refusal);
  expect(chosenSuite([], undefined)).toBeInstanceOf(Refusal);
});
