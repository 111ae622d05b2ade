import { describe, expect, it } from 'vitest';
import { indexLogs, type LogsIndex } from '../../src/otlp/logs-reader.ts';
import { readWireBodies } from '../fixtures/read-wire.ts';
import { otlp } from './otlp.proto.ts';

function indexOf(...logRecords: readonly object[]): LogsIndex {
  const message = otlp.LogsData.fromObject({ resourceLogs: [{ scopeLogs: [{ scope: { name: 's' }, logRecords }] }] });
  return indexLogs(Buffer.from(otlp.LogsData.encode(message).finish()));
}

describe('a log record', () => {
  it('is named by its field, else by its attribute, else not at all', () => {
    const attribute = { attributes: [{ key: 'event.name', value: { stringValue: 'by attribute' } }] };
    const index = indexOf({ eventName: 'by field', ...attribute }, attribute, {});
    expect([0, 1, 2].map((row) => index.view(row).eventName)).toEqual(['by field', 'by attribute', '']);
  });

  it('has the time it happened, else the time it was seen', () => {
    const index = indexOf({ timeUnixNano: 5e6, observedTimeUnixNano: 7e6 }, { observedTimeUnixNano: 7e6 }, {});
    expect([0, 1, 2].map((row) => index.view(row).timeMs)).toEqual([5, 7, 0]);
  });

  it('without a trace is kept, and counted as belonging to none', () => {
    const index = indexOf({ traceId: Buffer.alloc(16, 1) }, {}, { traceId: Buffer.alloc(16) });
    expect([index.recordCount, index.unjoinable, index.rejected]).toEqual([3, 2, 0]);
    expect([0, 1].map((row) => index.view(row).traceId)).toEqual(['01'.repeat(16), undefined]);
  });

  it('with the result of an evaluation belongs to no turn, whatever trace it names', () => {
    const traceId = Buffer.alloc(16, 1);
    const index = indexOf(
      { traceId, eventName: 'gen_ai.evaluation.result' },
      { traceId, eventName: 'gen_ai.evaluation' },
    );
    expect([index.recordCount, index.unjoinable]).toEqual([2, 1]);
    expect([0, 1].map((row) => index.view(row).traceId)).toEqual([undefined, '01'.repeat(16)]);
  });

  it('may have no body, an empty one, or one with content', () => {
    const index = indexOf(
      {},
      { body: {} },
      { body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: 'hi' } }] } } },
    );
    const content = Object.assign(Object.create(null), { content: 'hi' });
    expect([0, 1, 2].map((row) => index.view(row).body)).toEqual([undefined, null, content]);
  });

  it('of a real exporter carries what the model was told', () => {
    const body = readWireBodies().find(({ signal }) => signal === 'logs');
    const index = indexLogs(body?.bytes ?? Buffer.alloc(0));
    const names = Array.from({ length: index.recordCount }, (_, row) => index.view(row).eventName);
    expect(names).toContain('gen_ai.user.message');
    expect(index.unjoinable).toBe(0);
  });
});
