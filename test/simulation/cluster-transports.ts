/** The transports into the topics: straight from a producer, or as OTLP through a Collector. */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkajsProducer } from '../../src/kafka/kafkajs/producer.ts';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import type { Transport } from './cluster-producer.ts';
import type { TimedRecord } from './cluster-traffic.ts';

export interface Topics {
  readonly spans: string;
  readonly logs: string;
}

/**
 * Writes each record as it is, by its trace id, acknowledged by all replicas. It does not use kafkajs's producer, which
 * loses records: if a partition's leader moves between two attempts to a broker that has already answered for others,
 * it takes the partition for sent.
 */
export function straightTo(brokers: readonly string[], topics: Topics): Transport {
  const connection = { brokers, clientId: 'traffic' };
  const producers = (['none', 'gzip', 'zstd'] as const).map(
    (compression) => new KafkajsProducer({ connection, compression }),
  );
  let batches = 0;
  return {
    connect: () => Promise.resolve(),
    disconnect: async () => {
      await Promise.all(producers.map((producer) => producer.stop()));
    },
    send: async (records) => {
      const producer = producers[batches % producers.length];
      batches += 1;
      await Promise.all(
        [...Map.groupBy(records, ({ signal }) => signal)].map(([signal, of]) =>
          producer?.send(
            topics[signal],
            of.map(({ traceId, value }) => ({ key: traceId, value })),
          ),
        ),
      );
    },
  };
}

const PRODUCERS = 5;
/** Delays of the producers, which are not equally fast. */
const BEHIND_MAX_MS = 200;

/**
 * As if each turn came from a separate process: simultaneous records are spread over several producers, each with its
 * own delay.
 */
export function severalTo(brokers: readonly string[], topics: Topics): Transport {
  const connection = { brokers, clientId: 'traffic' };
  const producers = Array.from({ length: PRODUCERS }, () => new KafkajsProducer({ connection }));
  let dealt = 0;
  return {
    connect: () => Promise.resolve(),
    disconnect: async () => {
      await Promise.all(producers.map((producer) => producer.stop()));
    },
    send: async (records) => {
      const parts = Map.groupBy(records, () => {
        dealt += 1;
        return dealt % PRODUCERS;
      });
      await Promise.all(
        [...parts].map(async ([number, part]) => {
          await sleep((BEHIND_MAX_MS * ((number * 2 + dealt) % PRODUCERS)) / (PRODUCERS - 1));
          const values = part.map(({ traceId, value }) => ({ key: traceId, value }));
          await producers[number]?.send(topics.spans, values);
        }),
      );
    },
  };
}

const REQUEST_BYTES_MAX = 1 << 20;

/** As requests of many traces at once: the Collector splits them. */
export function throughCollector(otlpHttp: string): Transport {
  const post = async (path: string, messages: readonly Uint8Array[]) => {
    const response = await fetch(`${otlpHttp}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      // Concatenated messages of one type are one message with the content of all of them.
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
