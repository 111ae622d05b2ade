import { expect, test } from 'vitest';
import { KafkaError, type KafkaProducer, type RecordToSend } from '../../../src/kafka/kafka-client.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { KafkaSink } from '../../../src/serve/cluster/kafka-sink.ts';
import type { ReceivedBatch } from '../../../src/receive/sink.ts';

const SPAN = { spanId: '1'.repeat(16), name: 'span' };

function batchOf(...traces: readonly string[]): ReceivedBatch {
  const spans = traces.map((trace) => ({ ...SPAN, traceId: trace.repeat(32) }));
  const bytes = transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })));
  const index = indexTraces(bytes);
  return { signal: 'traces', bytes, table: encodeTable(index), rows: index.spanCount };
}

/** Accepts what `accepts` allows, and remembers what was sent. */
class TestProducer implements KafkaProducer {
  readonly calls: string[][] = [];
  readonly #fail: (keys: readonly string[]) => KafkaError | undefined;

  constructor(fail: (keys: readonly string[]) => KafkaError | undefined = () => undefined) {
    this.#fail = fail;
  }

  async send(topic: string, records: readonly RecordToSend[]): Promise<void> {
    const keys = records.map(({ key }) => `${topic} ${String(key).slice(0, 1)}`);
    this.calls.push(keys);
    await new Promise(setImmediate);
    const error = this.#fail(keys);
    if (error !== undefined) throw error;
  }

  async stop(): Promise<void> {}
}

function sinkOf(producer: KafkaProducer) {
  return new KafkaSink({ producer, topics: { traces: 'spans', logs: undefined }, recordBytesMax: 1_000_000 });
}

test('a request is split by trace and admitted once it is there', async () => {
  const producer = new TestProducer();

  expect(await sinkOf(producer).accept(batchOf('a', 'b'))).toEqual({ admitted: true });
  expect(producer.calls).toEqual([['spans a', 'spans b']]);
});

test('brokers that are away mean: send it again', async () => {
  const producer = new TestProducer(() => new KafkaError('no broker answers', { retriable: true }));

  expect(await sinkOf(producer).accept(batchOf('a'))).toEqual({
    admitted: false,
    reason: 'kafka: no broker answers',
    retryAfterSeconds: 1,
  });
});

test('what will never be taken is rejected, and takes nothing else with it', async () => {
  const producer = new TestProducer((keys) =>
    keys.includes('spans b')
      ? new KafkaError('topic spans: a record of 2 MB is too large', { retriable: false })
      : undefined,
  );
  const sink = sinkOf(producer);

  expect(await sink.accept(batchOf('a', 'b', 'c'))).toEqual({
    admitted: true,
    rejected: { reason: 'too_large', records: 1, message: 'kafka: topic spans: a record of 2 MB is too large' },
  });
  expect(producer.calls).toEqual([['spans a', 'spans b', 'spans c'], ['spans a'], ['spans b'], ['spans c']]);
});

test('records of a signal without a topic are taken and let go', async () => {
  const producer = new TestProducer();

  expect(await sinkOf(producer).accept({ ...batchOf('a'), signal: 'logs' })).toEqual({ admitted: true });
  expect(producer.calls).toEqual([]);
});
