/**
 * The workloads of the benchmarks. `hard`: requests as a Collector would send them, eight to twelve spans per trace,
 * questions and answers of one to four kilobytes, spans of many conversations mixed, and a quarter of the turns fails
 * something. `plain`: healthy agents in five dialects (plain-traffic.ts).
 */
import { transcodeTraces } from '../src/otlp/json-transcoder.ts';
import { randomFrom } from '../test/random.ts';
import { plainRequests } from './plain-traffic.ts';
import { exportRequest, type TrafficSpan, traffic } from '../test/simulation/traffic.ts';

export interface Workload {
  readonly requests: readonly Uint8Array[];
  readonly spans: number;
  readonly traces: number;
  readonly bytes: number;
}

export interface WorkloadOptions {
  readonly seed: number;
  readonly traces: number;
  readonly spansPerRequest: number;
  /** Number of conversations whose spans are mixed. */
  readonly concurrent: number;
}

export type Load = 'hard' | 'plain';

/** The plain load has its own sizes. */
export function makeLoad(load: Load, size: { readonly seed: number; readonly traces: number }): Workload {
  if (load === 'hard') return makeWorkload({ ...size, spansPerRequest: 300, concurrent: 200 });
  const requests: Uint8Array[] = [];
  let spans = 0;
  for (const request of plainRequests(size)) {
    requests.push(transcodeTraces(Buffer.from(request.json)));
    spans += request.spans;
  }
  const bytes = requests.reduce((sum, { length }) => sum + length, 0);
  return { requests, spans, traces: size.traces, bytes };
}

export function makeWorkload(options: WorkloadOptions): Workload {
  const random = randomFrom(options.seed);
  const source = traffic({
    seed: options.seed,
    conversations: Number.MAX_SAFE_INTEGER,
    calls: [3, 5],
    messageBytes: [1000, 4000],
    resultBytes: [200, 800],
    endMarks: 'all',
    turnsMax: 3,
  });
  const active: TrafficSpan[][] = [];
  const requests: Uint8Array[] = [];
  let batch: TrafficSpan[] = [];
  let traces = 0;
  let spans = 0;
  const flush = () => {
    if (batch.length > 0) requests.push(transcodeTraces(Buffer.from(exportRequest(batch, 'v1'))));
    batch = [];
  };
  while (traces < options.traces || active.length > 0) {
    while (active.length < options.concurrent && traces < options.traces) {
      const next = source.next();
      if (next.done === true) break;
      traces += next.value.turns.length;
      // The turns of a conversation follow one another.
      active.push(next.value.turns.flat());
    }
    const at = Math.floor(random() * active.length);
    const queue = active[at];
    const span = queue?.shift();
    if (span !== undefined) {
      batch.push(span);
      spans += 1;
    }
    if (queue === undefined || queue.length === 0) active.splice(at, 1);
    if (batch.length >= options.spansPerRequest) flush();
  }
  flush();
  return { requests, spans, traces, bytes: requests.reduce((sum, { length }) => sum + length, 0) };
}
