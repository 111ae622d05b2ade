/** Reads one topic to its end with one consumer, in a process of its own: node kafka-client-child.ts <reader> <brokers> <topic> <records>. */
import { randomUUID } from 'node:crypto';
import { READERS } from './kafka-client-readers.ts';

const [name = '', brokers = '', topic = '', records = ''] = process.argv.slice(2);
const start = READERS[name];
if (start === undefined) throw new Error(`no reader ${name}`);

const done = Promise.withResolvers<void>();
let left = Number(records);
let bytes = 0;
let peakRss = 0;
const watching = setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 20);
const cpuBefore = process.cpuUsage();
const before = performance.now();
const stop = await start({
  brokers: brokers.split(','),
  group: randomUUID(),
  topic,
  onRecords: (_, count, size) => {
    bytes += size;
    left -= count;
    if (left <= 0) done.resolve();
  },
});
await done.promise;
const { user, system } = process.cpuUsage(cpuBefore);
const wallMs = performance.now() - before;
clearInterval(watching);
console.log(JSON.stringify({ bytes, cpuMs: (user + system) / 1000, wallMs, peakRssMb: peakRss / 1e6 }));
await stop();
