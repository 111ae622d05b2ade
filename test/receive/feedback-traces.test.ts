/** Log records of feedback: which of them belong to a trace, and which are an evaluator's. */
import { expect, test } from 'vitest';
import { BatchTable } from '../../src/otlp/batch-table.ts';
import { feedbackIn } from '../../src/normalize/feedback.ts';
import { understandRequest } from '../../src/receive/understand-request.ts';

const TRACE = 'a'.repeat(32);
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

function received(...records: readonly object[]) {
  const bytes = Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] }));
  const understood = understandRequest({ signal: 'logs', format: 'json', bytes }, undefined);
  if ('malformed' in understood) throw new Error(understood.malformed);
  const table = BatchTable.read(understood.batch.table);
  const traces = Array.from({ length: table.rowCount }, (_, row) => table.traceId(row));
  const carried = feedbackIn({ traces: new Uint8Array(), logs: understood.batch.bytes }, undefined);
  return { traces, carried };
}

const own = (more: object = {}) => ({
  eventName: 'assay.feedback',
  attributes: [attribute('session.id', 'c1'), attribute('assay.feedback.label', 'up')],
  ...more,
});
const result = (name: string, more: object = {}) => ({
  eventName: 'gen_ai.evaluation.result',
  attributes: [
    attribute('gen_ai.evaluation.explanation', 'user_feedback says gen_ai.evaluation.name'),
    attribute('gen_ai.evaluation.name', name),
    attribute('gen_ai.evaluation.score.label', 'bad'),
    attribute('session.id', 'c1'),
  ],
  ...more,
});

test('feedback without a trace gets one of its own, the same for the same record', () => {
  const { traces, carried } = received(own(), own(), own({ timeUnixNano: '5' }), { body: { stringValue: 'x' } });

  expect(traces[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(traces[1]).toBe(traces[0]);
  expect(traces[2]).not.toBe(traces[0]);
  expect(traces[3]).toBeUndefined();
  expect(carried.map(({ named, polarity, way }) => [named, polarity, way])).toEqual(
    Array.from({ length: 3 }, () => ['c1', 'positive', 'log']),
  );
  expect(carried[0]?.id).toBe(carried[1]?.id);
});

test('a trace that the record has stays, and a wrong one is none', () => {
  const { traces } = received(own({ traceId: TRACE }), own({ traceId: '0'.repeat(32) }));

  expect(traces[0]).toBe(TRACE);
  expect(traces[1]).toMatch(/^[0-9a-f]{32}$/);
  expect(traces[1]).not.toBe('0'.repeat(32));
});

test.each([
  ['user_feedback', true],
  ['user_feedback.csat', true],
  ['user_feedbacks', false],
  ['relevance', false],
])('the result of an evaluator named %s is feedback: %s', (name, isFeedback) => {
  const { traces, carried } = received(result(name, { traceId: TRACE }));

  expect(traces).toEqual([isFeedback ? TRACE : undefined]);
  expect(carried.map((one) => [one.name, one.polarity])).toEqual(isFeedback ? [[name, 'negative']] : []);
});

test('a comment that is too long says that it was cut, and is counted in characters', () => {
  const said = (comment: string) =>
    received(own({ attributes: [attribute('session.id', 'c1'), attribute('assay.feedback.comment', comment)] }))
      .carried[0]?.comment;
  const longest = '😀'.repeat(10_000);

  expect(said(longest)).toBe(longest);
  expect(said(`${longest}x`)).toBe(`${'😀'.repeat(9_999)}…`);
  expect(said('x'.repeat(30_000))).toBe(`${'x'.repeat(9_999)}…`);
});

test.each([
  [{ 'scale.min': '5', 'scale.max': '1' }],
  [{ 'scale.min': '1', 'scale.max': '1' }],
  [{ 'scale.min': '1' }],
  [{ 'scale.max': 'five' }],
])('a score with the scale %j is no number of stars', (scale) => {
  const fields = Object.entries({ score: '5', ...scale }).map(([key, value]) =>
    attribute(`assay.feedback.${key}`, value),
  );
  const [carried] = received(own({ attributes: [attribute('session.id', 'c1'), ...fields] })).carried;

  expect(carried).toMatchObject({
    score: 5,
    polarity: 'neutral',
    unclear: 'a score of 5 means nothing, since its scale cannot be read',
  });
  expect(carried).not.toHaveProperty('scale');
});
