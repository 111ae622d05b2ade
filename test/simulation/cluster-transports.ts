/** The ways by which records come into the topics: straight from a producer, or as OTLP through a Collector. */
import { CompressionTypes, Kafka, logLevel, type Message } from 'kafkajs';
import { transcodeLogs, transcodeTraces } from '../../src/model/otlp/json-transcoder.ts';
import type { Transport } from './cluster-producer.ts';
import type { TimedRecord } from './cluster-traffic.ts';

export interface Topics {
  readonly spans: string;
  readonly logs: string;
}

/** Each record as it is, by its trace id; acknowledged by all replicas. */
export function straightTo(brokers: readonly string[], topics: Topics): Transport {
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId: 'traffic',
    logLevel: logLevel.NOTHING,
    requestTimeout: 15_000,
    retry: { retries: 8, initialRetryTime: 100, maxRetryTime: 2000 },
  });
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 8 } });
  let batches = 0;
  return {
    connect: () => producer.connect(),
    disconnect: () => producer.disconnect(),
    send: async (records) => {
      const topicMessages = (['spans', 'logs'] as const)
        .map((signal) => ({
          topic: topics[signal],
          messages: records
            .filter((record) => record.signal === signal)
            .map(({ traceId, value }): Message => ({ key: traceId, value })),
        }))
        .filter(({ messages }) => messages.length > 0);
      batches += 1;
      const compression = batches % 3 === 0 ? CompressionTypes.GZIP : CompressionTypes.None;
      await producer.sendBatch({ acks: -1, topicMessages, compression, timeout: 10_000 });
    },
  };
}

const REQUEST_BYTES_MAX = 1 << 20;

/** As requests of many traces at once: it is the Collector that takes them apart. */
export function throughCollector(otlpHttp: string): Transport {
  const post = async (path: string, messages: readonly Uint8Array[]) => {
    const response = await fetch(`${otlpHttp}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      // Messages of one type behind each other are one message with what all of them hold.
      body: Buffer.concat(messages),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the Collector answered ${response.status}: ${text}`);
  };
  return {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    send: async (records) => {
      for (const [signal, of] of Map.groupBy(records, (record) => record.signal)) {
        const path = signal === 'spans' ? '/v1/traces' : '/v1/logs';
        for (const request of requestsOf(of)) await post(path, request);
      }
    },
  };
}

function requestsOf(records: readonly TimedRecord[]): Uint8Array[][] {
  const requests: Uint8Array[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { signal, value } of records) {
    const transcode = signal === 'spans' ? transcodeTraces : transcodeLogs;
    const message = value[0] === 0x7b ? transcode(value) : value;
    if (bytes + message.length > REQUEST_BYTES_MAX) {
      requests.push([]);
      bytes = 0;
    }
    bytes += message.length;
    requests.at(-1)?.push(message);
  }
  return requests;
}
