/**
 * The reference in a process of its own, with its own requests from the same generator: decodes the requested number,
 * and reports the time. In one process the garbage collector would also traverse what the pipeline keeps alive while
 * the reference runs. That doubled the reference's time when the pipeline kept much, so the benefit of keeping less was
 * not visible.
 */
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { referenceDecoder } from './reference-decoder.ts';
import { makeLoad } from './workload.ts';

const [, , load, seed, traces] = process.argv;
const { requests } = makeLoad(load === 'plain' ? 'plain' : 'hard', { seed: Number(seed), traces: Number(traces) });
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
