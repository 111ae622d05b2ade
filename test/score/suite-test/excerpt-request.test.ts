/** The spans of a test's conversation: their size grows with the conversation, and not with its square. */
import { expect, test } from 'vitest';
import type { Excerpt } from '../../../src/model/excerpt.ts';
import { excerptRequest } from '../../../src/score/suite-test/excerpt-request.ts';

function excerptOf(calls: number): Excerpt {
  const call = { tool: 'find', args: { id: 1 }, result: { ok: true }, error: undefined };
  return {
    is: 'excerpt',
    agent: 'a',
    version: undefined,
    environment: undefined,
    attributes: new Map(),
    state: undefined,
    turns: [
      {
        user: 'the question',
        answer: 'the answer',
        error: undefined,
        state: undefined,
        finish: 'stop',
        calls: Array.from({ length: calls }, () => [call]),
      },
    ],
  };
}

/** Messages that each model call was given. */
function inputsOf(calls: number): readonly (readonly { readonly role: string }[])[] {
  const written = excerptRequest(excerptOf(calls), undefined);
  // The casts hold: it has just been written.
  const request = JSON.parse(written) as {
    resourceSpans: { scopeSpans: { spans: { attributes: { key: string; value: { stringValue: string } }[] }[] }[] }[];
  };
  const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans
    .flatMap(({ attributes }) => attributes.filter(({ key }) => key === 'gen_ai.input.messages'))
    .map(({ value }) => JSON.parse(value.stringValue));
}

test('a model call repeats all messages up to a hundred, then those of late and the question', () => {
  const inputs = inputsOf(200);

  expect(inputs.slice(0, 50).map(({ length }) => length)).toEqual(Array.from({ length: 50 }, (_, at) => 1 + 2 * at));
  expect(inputs.slice(50).every(({ length }) => length === 21)).toBe(true);
  expect(inputs.every(([first]) => first?.role === 'user')).toBe(true);
});

test('four times as many calls are about four times as many bytes', () => {
  const [few, many] = [1_000, 4_000].map((calls) => excerptRequest(excerptOf(calls), undefined).length);

  expect((many ?? 0) / (few ?? 1)).toBeLessThan(4.5);
});
