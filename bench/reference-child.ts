/**
 * The reference in a process of its own, with requests of its own from the same generator: decodes as many as it is told,
 * and answers what that took. In one process, the collector goes over what the pipeline keeps alive while the reference
 * runs as well: that doubled the reference's time where the pipeline kept much, so that keeping less did not show.
 */
import { indexTraces } from '../src/model/otlp/traces-reader.ts';
import { referenceDecoder } from './reference-decoder.ts';
import { makeWorkload, type WorkloadOptions } from './workload.ts';

// The cast holds because `reference.ts` is the only one that starts this process.
const { requests } = makeWorkload(JSON.parse(process.argv[2] ?? '') as WorkloadOptions);
const spans = requests.map((bytes) => indexTraces(bytes).spanCount);
const decode = referenceDecoder();
let next = 0;

process.on('message', (count: number) => {
  let decoded = 0;
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) {
    const request = requests[next];
    if (request === undefined || decode(request) === undefined) throw new Error(`request ${next} was not decoded`);
    decoded += spans[next] ?? 0;
    next = (next + 1) % requests.length;
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ spans: decoded, seconds: (user + system) / 1e6 });
});
process.send?.('ready');
