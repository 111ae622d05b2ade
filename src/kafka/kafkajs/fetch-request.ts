/**
 * The Fetch request, version 11 (Kafka 2.3 and newer), and its answer by partition: one that failed does not hide the others.
 *
 *   answer     = throttle ms i32, error i16, session i32, topics
 *   topic      = name string, partitions
 *   partition  = partition i32, error i16, high watermark i64, last stable offset i64, log start i64,
 *                aborted transactions (producer id i64, first offset i64), preferred replica i32, record batches (length i32)
 */
import type { TopicPartition } from '../kafka-client.ts';
import { type ProtocolRequest, requestOfVersion } from './internals.ts';
import type { AbortedTransaction } from './record-batches.ts';

interface PartitionToFetch extends TopicPartition {
  readonly offset: number;
}

export interface FetchedPartition extends TopicPartition {
  readonly errorCode: number;
  readonly batches: Buffer;
  readonly aborted: readonly AbortedTransaction[];
}

interface FetchLimits {
  readonly waitMs: number;
  readonly bytesMax: number;
  readonly partitionBytesMax: number;
}

/** A batch that is larger than the limits is sent by the broker all the same. */
export function fetchRequest(partitions: readonly PartitionToFetch[], limits: FetchLimits): ProtocolRequest {
  const { request, requestTimeout } = requestOfVersion(11, 'Fetch', {
    replicaId: -1,
    isolationLevel: READ_COMMITTED,
    maxWaitTime: limits.waitMs,
    minBytes: 1,
    maxBytes: limits.bytesMax,
    topics: byTopic(partitions, limits.partitionBytesMax),
    rackId: '',
  });
  return {
    request,
    response: { decode: (payload) => Promise.resolve(decodeAnswer(payload)), parse: (answer) => answer },
    ...(requestTimeout !== undefined && { requestTimeout }),
  };
}

export interface FetchAnswer {
  readonly clientSideThrottleTime: number;
  readonly partitions: readonly FetchedPartition[];
}

const READ_COMMITTED = 1;

/** The broker fills its answer in the order of the request, so that is another each time. */
function byTopic(partitions: readonly PartitionToFetch[], maxBytes: number) {
  const first = Math.floor(Math.random() * partitions.length);
  const topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[] = [];
  for (let index = 0; index < partitions.length; index++) {
    const partition = partitions[(first + index) % partitions.length];
    if (partition === undefined) continue;
    let topic = topics.at(-1);
    if (topic?.topic !== partition.topic) {
      topic = { topic: partition.topic, partitions: [] };
      topics.push(topic);
    }
    topic.partitions.push({ partition: partition.partition, fetchOffset: String(partition.offset), maxBytes });
  }
  return topics;
}

function decodeAnswer(bytes: Buffer): FetchAnswer {
  let at = 10;
  const int16 = () => {
    at += 2;
    return bytes.readInt16BE(at - 2);
  };
  const int32 = () => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  const int64 = () => {
    at += 8;
    return bytes.readBigInt64BE(at - 8);
  };
  const partitions: FetchedPartition[] = [];
  for (let topics = int32(); topics > 0; topics--) {
    const nameLength = int16();
    const topic = bytes.toString('utf8', at, at + nameLength);
    at += nameLength;
    for (let left = int32(); left > 0; left--) {
      const partition = int32();
      const errorCode = int16();
      at += 24;
      const aborted: AbortedTransaction[] = [];
      for (let transactions = int32(); transactions > 0; transactions--)
        aborted.push({ producerId: int64(), firstOffset: Number(int64()) });
      at += 4;
      const length = Math.max(0, int32());
      partitions.push({ topic, partition, errorCode, aborted, batches: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  return { clientSideThrottleTime: bytes.readInt32BE(0), partitions };
}
