/**
 * npm run bench:kafka-client [-- --mb 60 --readers ours,kafkajs] [--small]
 *
 * The cost of a consumer by itself: processor time and memory to fetch and drop, by size of record and compression; and
 * how long a partition is not read while members join and leave. Starts a broker of its own.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { KafkajsProducer } from '../src/kafka/kafkajs/producer.ts';
import { freshName, KafkaCluster } from '../test/outside/kafka/broker.ts';
import { randomFrom } from '../test/random.ts';
import { READERS } from './kafka-client-readers.ts';

const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    mb: { type: 'string', default: '60' },
    readers: { type: 'string', default: Object.keys(READERS).join(',') },
  },
});
const readers = values.readers.split(',');
const { small } = values;
const totalBytes = small ? 500_000 : Number(values.mb) * 1_000_000;

const PARTITIONS = 12;
const SIZES = small ? [1_000] : [1_000, 10_000, 100_000];
const ROUNDS = small ? 1 : 3;
const WATCH_MS = small ? 500 : 4_000;
const CODECS = ['none', 'lz4', 'zstd'] as const;
const CHILD = path.join(import.meta.dirname, 'kafka-client-child.ts');

const WORDS =
  'gen_ai.request.model gen_ai.usage.input_tokens llm.input_messages the user asks for a flight to Lisbon on Friday tool_call search_flights result is null {"role":"assistant","content": } span trace attributes stringValue and then it answers politely'.split(
    ' ',
  );

interface Measured {
  readonly bytes: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakRssMb: number;
}

const kafka = await KafkaCluster.start({ heap: '512m' });
try {
  for (const codec of small ? (['lz4'] as const) : CODECS) for (const size of SIZES) await measureReading(codec, size);
  for (const reader of readers) await measureRebalance(reader);
} finally {
  await kafka.close();
}

async function measureReading(codec: (typeof CODECS)[number], size: number): Promise<void> {
  const topic = freshName('bench');
  await kafka.createTopic(topic, PARTITIONS);
  const producer = new KafkajsProducer({ connection: { brokers: kafka.brokers }, compression: codec });
  const text = wordsOf(2_000_000);
  const random = randomFrom(size);
  const count = Math.round(totalBytes / size);
  for (let sent = 0; sent < count; ) {
    const records = [];
    for (; records.length * size < 4_000_000 && sent < count; sent++) {
      const at = Math.floor(random() * (text.length - size));
      records.push({ key: undefined, value: text.subarray(at, at + size), partition: sent % PARTITIONS });
    }
    await producer.send(topic, records);
  }
  await producer.stop();
  // Alternating, and three times, so that other load on the machine affects all of them.
  const runs = new Map<string, Measured[]>(readers.map((reader) => [reader, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const reader of readers) {
      const args = [CHILD, reader, kafka.brokers.join(','), topic, String(count)];
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
      runs.get(reader)?.push(JSON.parse(stdout) as Measured);
    }
  for (const [reader, measured] of runs) {
    const best = (of: (one: Measured) => number) => Math.min(...measured.map(of));
    const mb = (measured[0]?.bytes ?? 0) / 1e6;
    console.log(
      `${reader.padEnd(12)} ${codec.padEnd(5)} ${String(size / 1000).padStart(4)} KB  cpu ${(best((one) => one.cpuMs) / mb).toFixed(2)} ms/MB  ` +
        `wall ${(best((one) => one.wallMs) / mb).toFixed(2)} ms/MB  rss ${best((one) => one.peakRssMb).toFixed(0)} MB`,
    );
  }
}

/** The longest time that any partition was not read by any member, while a third member joins, and while it leaves. */
async function measureRebalance(reader: string): Promise<void> {
  const start = READERS[reader];
  if (start === undefined) return;
  const topic = freshName('bench');
  await kafka.createTopic(topic, PARTITIONS);
  const readAt = Array.from({ length: PARTITIONS }, () => 0);
  let gaps = Array.from({ length: PARTITIONS }, () => 0);
  const source = {
    brokers: kafka.brokers,
    group: freshName('bench'),
    topic,
    onRecords: (partition: number) => {
      const now = performance.now();
      const since = now - (readAt[partition] ?? now);
      gaps[partition] = Math.max(gaps[partition] ?? 0, since);
      readAt[partition] = now;
    },
  };
  const producer = new KafkajsProducer({ connection: { brokers: kafka.brokers } });
  let sending = true;
  const pumping = (async () => {
    for (; sending; await sleep(10)) {
      const records = readAt.map((_, partition) => ({ key: undefined, value: Buffer.from('x'), partition }));
      await producer.send(topic, records);
    }
  })();
  const stops = [await start(source), await start(source)];
  const longest = async (what: string, change: () => Promise<void>) => {
    await sleep(WATCH_MS);
    gaps = gaps.map(() => 0);
    await change();
    await sleep(WATCH_MS);
    const sorted = [...gaps].sort((a, b) => a - b);
    console.log(
      `${reader.padEnd(12)} ${what}: a partition is not read for ${sorted[PARTITIONS / 2]?.toFixed(0)} ms (median), ${sorted.at(-1)?.toFixed(0)} ms (most)`,
    );
  };
  await longest('nothing happens  ', () => Promise.resolve());
  await longest('a third one joins', async () => {
    stops.push(await start(source));
  });
  await longest('it leaves again  ', async () => {
    await stops.pop()?.();
  });
  sending = false;
  await pumping;
  await producer.stop();
  for (const stop of stops) await stop();
}

/** Text that compresses about as spans do. */
function wordsOf(length: number): Buffer {
  const random = randomFrom(1);
  const words: string[] = [];
  for (let made = 0; made < length; ) {
    const word =
      random() < 0.3 ? Math.floor(random() * 2 ** 40).toString(36) : (WORDS[Math.floor(random() * WORDS.length)] ?? '');
    words.push(word);
    made += word.length + 1;
  }
  return Buffer.from(words.join(' '));
}
