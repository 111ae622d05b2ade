import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { AssignedPartition, ConsumerHandlers, KafkaConsumer } from '../../../src/kafka/kafka-client.ts';
import { TurnSpool } from '../../../src/kafka/turn-spool.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { Lanes } from '../../../src/serve/cluster/lanes.ts';
import type { LaneName, OwnedLane } from '../../../src/store/cluster-store.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { LIMITS } from './small-lanes.ts';

const BYTES = transcodeTraces(
  Buffer.from(
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${'1'.repeat(32)}","spanId":"${'2'.repeat(16)}"}]}]}]}`,
  ),
);
const BATCH = { signal: 'traces' as const, bytes: BYTES, table: encodeTable(indexTraces(BYTES)), rows: 1 };

/** Reports whether it runs, and complains if it is started twice, like the real one. */
class FakeConsumer implements KafkaConsumer {
  starts = 0;
  handlers: ConsumerHandlers | undefined;

  start(handlers: ConsumerHandlers): void {
    if (this.handlers !== undefined) throw new Error('the consumer runs already');
    this.handlers = handlers;
    this.starts += 1;
  }

  async stop(): Promise<void> {
    this.handlers = undefined;
    await sleep(5);
  }

  commit = () => Promise.resolve();
  ends = () => Promise.resolve([]);
  pause(): void {}
  resume(): void {}
}

function partition(lane: number): AssignedPartition {
  return { topic: 'spans', partition: lane, offset: 0, metadata: '', logStart: 0, logEnd: 0 };
}

function ownedOf(name: LaneName, epoch: number): OwnedLane {
  return { ...name, epoch, time: 0, positions: {} };
}

function lanesWith(
  own: (lanes: readonly LaneName[]) => Promise<readonly OwnedLane[]>,
  forget: () => Promise<void> = () => Promise.resolve(),
  ahead: { bytes: number } = { bytes: 0 },
) {
  const consumer = new FakeConsumer();
  const store: { problem: string | undefined } = { problem: undefined };
  // Each entry has its own file, which is deleted when it is no longer needed and another has begun.
  const spool = new TurnSpool(path.join(tempDirectory(), 'spool'), { segmentBytes: 1 });
  const lanes = new Lanes({
    consumer,
    scorer: {
      turnsWaiting: 0,
      scoredTo: undefined,
      problemSince: () => (store.problem === undefined ? undefined : 1),
      own,
      filedPositions: () => Promise.resolve(new Map()),
      close: () => {},
      time: () => {},
      forget,
    },
    packer: {
      pack: () => {
        throw new Error('nothing is sent here');
      },
    },
    unscored: {
      get bytes() {
        return ahead.bytes;
      },
      add: () => {},
      passed: () => {},
    },
    spool,
    group: 'test',
    topics: ['spans'],
    limits: LIMITS,
    clockMarginMs: 0,
    spoolBytesMax: 1 << 20,
    records: { read: (_, { offset, timestamp }) => ({ offset, timestamp, batch: BATCH }) },
    onEvent: () => {},
    duty: { set: () => {} },
  });
  onTestFinished(async () => {
    await lanes.stopReading();
    await lanes.leave();
    spool.close();
  });
  lanes.start();
  return { lanes, consumer, spool, store };
}

test('a lane that was lost while the store was asked for it is not begun', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const { lanes, consumer } = lanesWith(async (names) => {
    asked.resolve();
    await answered.promise;
    return names.map((name) => ownedOf(name, 1));
  });
  const { handlers } = consumer;

  const assigned = handlers?.onAssigned({ gained: [partition(1), partition(2)], kept: [], lanes: 4 });
  await asked.promise;
  handlers?.onLost([partition(1)]);
  answered.resolve();
  await assigned;

  expect(lanes.count).toBe(1);
  await handlers?.onAssigned({ gained: [partition(1)], kept: [partition(2)], lanes: 4 });
  expect(lanes.count).toBe(2);
});

test('the group is joined once, whether a lane was fenced, the store has come back, or both', async () => {
  const { lanes, consumer, store } = lanesWith((names) => Promise.resolve(names.map((name) => ownedOf(name, 1))));
  await consumer.handlers?.onAssigned({ gained: [partition(1)], kept: [], lanes: 4 });

  store.problem = 'it is away';
  const [lane] = lanes.all;
  if (lane === undefined) throw new Error('the lane was not begun');
  lane.refused();
  while (consumer.handlers !== undefined) await sleep(1);
  store.problem = undefined;
  while (consumer.handlers === undefined) await sleep(1);
  await lanes.leave();

  expect(consumer.starts).toBe(2);
  expect(lanes.count).toBe(0);
});

test('while much waits for time to pass, only the lane that is furthest behind is read', async () => {
  const ahead = { bytes: 1 << 30 };
  const own = (names: readonly LaneName[]) => Promise.resolve(names.map((name) => ownedOf(name, 1)));
  const { consumer } = lanesWith(own, () => Promise.resolve(), ahead);
  const { handlers } = consumer;
  await handlers?.onAssigned({ gained: [partition(1), partition(2)], kept: [], lanes: 4 });
  const records = (offset: number, timestamp: number) => [
    { offset, timestamp, key: undefined, value: undefined, headers: [] },
  ];
  const read: string[] = [];
  const deliver = async (lane: number, offset: number, timestamp: number) => {
    await handlers?.onRecords({ topic: 'spans', partition: lane }, records(offset, timestamp));
    read.push(`lane ${lane} to ${timestamp}`);
  };

  await deliver(1, 0, 1000);
  const waits = deliver(1, 1, 2000);
  await sleep(50);
  expect(read).toEqual(['lane 1 to 1000']);

  await deliver(2, 0, 3000);
  await waits;
  expect(read).toEqual(['lane 1 to 1000', 'lane 2 to 3000', 'lane 1 to 2000']);

  const waitsToo = deliver(2, 1, 4000);
  await sleep(50);
  expect(read).toHaveLength(3);
  ahead.bytes = 0;
  await waitsToo;
  expect(read.at(-1)).toBe('lane 2 to 4000');
});

test('the bytes of a lane that was lost are there until nothing of it is being filed', async () => {
  const isFiled = Promise.withResolvers<void>();
  const { consumer, spool } = lanesWith(
    (names) => Promise.resolve(names.map((name) => ownedOf(name, 1))),
    () => isFiled.promise,
  );
  const { handlers } = consumer;
  await handlers?.onAssigned({ gained: [partition(1)], kept: [], lanes: 4 });
  const record = { offset: 0, timestamp: 1000, key: undefined, value: undefined, headers: [] };
  await handlers?.onRecords({ topic: 'spans', partition: 1 }, [record]);

  handlers?.onLost([partition(1)]);
  spool.append([Buffer.from('x')]);
  await sleep(1);
  expect(spool.bytes).toBe(BYTES.length + 1);

  isFiled.resolve();
  await sleep(1);
  expect(spool.bytes).toBe(1);
});

test('an instance leaves the group although an offset cannot be committed', async () => {
  const { lanes, consumer } = lanesWith((names) => Promise.resolve(names.map((name) => ownedOf(name, 1))));
  await consumer.handlers?.onAssigned({ gained: [partition(1)], kept: [], lanes: 4 });
  let commits = 0;
  consumer.commit = () => {
    commits += 1;
    return Promise.reject(new Error('not committed: spans/1 is no longer ours'));
  };

  await lanes.stopReading();
  await lanes.leave();

  expect({ commits, handlers: consumer.handlers, lanes: lanes.count }).toEqual({
    commits: 1,
    handlers: undefined,
    lanes: 0,
  });
});
