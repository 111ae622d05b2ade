import { expect, test } from 'vitest';
import { z } from 'zod';
import { mistakesAnswer } from '../../src/report/http/answer.ts';

const query = z.strictObject({ limit: z.coerce.number().min(1).max(1000).default(50), kind: z.enum(['a', 'b']) });
const label = z.strictObject({ suite: z.string(), note: z.string().optional() });
const body = z.preprocess((one) => (Array.isArray(one) ? one : [one]), z.array(label));

function problemsOf(what: 'query' | 'body', schema: z.ZodType, given: unknown): unknown {
  const { error } = schema.safeParse(given);
  if (error === undefined) return expect.unreachable();
  // The cast holds for what mistakes are answered with.
  return (JSON.parse(String(mistakesAnswer(what, error, given).body)) as { problems: unknown }).problems;
}

test.each<[what: 'query' | 'body', schema: z.ZodType, given: unknown, problem: string]>([
  ['query', query, { limit: 'x', kind: 'a' }, "limit: 'x' is not a number"],
  ['query', query, { limit: '0', kind: 'a' }, "limit: '0' is too small: at least 1"],
  ['query', query, { limit: '1001', kind: 'a' }, "limit: '1001' is too large: at most 1000"],
  ['query', query, { kind: 'c' }, "kind: 'c' is not one of a, b"],
  ['query', query, { kind: 'a', agnet: 'x' }, "query: unknown field 'agnet'"],
  ['body', body, {}, 'suite: it is missing'],
  ['body', body, [{ suite: 's' }, { suite: 4 }], "1.suite: '4' is not a text"],
  ['body', body, 'text', "body: 'text' is not an object"],
])('in the %s', (what, schema, given, problem) => {
  expect(problemsOf(what, schema, given)).toEqual([problem]);
});
