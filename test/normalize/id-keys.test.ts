import { expect, test } from 'vitest';
import { idKeysOf } from '../../src/normalize/id-keys.ts';
import { normalize } from '../../src/normalize/normalize.ts';
import { traceOf } from './support/otlp.ts';

const KEYS = ['app.chat', 'app.room'];

function idOf(attributes: Record<string, unknown>, resource: Record<string, unknown> = {}) {
  const [step] = normalize(traceOf({ id: '1', attributes, resource }), idKeysOf(KEYS));
  return [step?.conversationId, step?.rules.get('conversationId')];
}

test('keys that the user named come before those of the conventions, in their order', () => {
  const conventional = { 'gen_ai.conversation.id': 'c', 'session.id': 's' };

  expect(idOf({ ...conventional, 'app.room': 'r', 'app.chat': 'chat' })).toEqual(['chat', 'configured:app.chat']);
  expect(idOf({ ...conventional, 'app.room': 'r' })).toEqual(['r', 'configured:app.room']);
  expect(idOf(conventional)).toEqual(['c', 'gen_ai.conversation.id']);
});

test('the resource may hold them, after the span', () => {
  expect(idOf({}, { 'app.chat': 'of the host' })).toEqual(['of the host', 'configured:resource:app.chat']);
  expect(idOf({ 'app.room': 'r' }, { 'app.chat': 'of the host' })).toEqual(['r', 'configured:app.room']);
});

test('an empty value says nothing', () => {
  expect(idOf({ 'app.chat': '', 'session.id': 's' })).toEqual(['s', 'session.id']);
});
