/**
 * Attacks every route of a real service, made from the tables of routes: each with its worst requests, in loops, by
 * clients that read slowly, that read nothing and that leave. A row for each route says what it cost, beside its bounds.
 *
 *   calibrated   each request once: the one whose answer is longest, the one that costs the receiving thread most, and
 *                the one that costs the process most
 *   looped       these, by one client and by four
 *   unread       many at once, by clients that read slowly or nothing
 *   left         many at once, by clients that go away as soon as they have asked
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttackedService, startAttacked, type Usage } from './attacked-service.ts';
import { type Bounds, placeOf, SENT_MIB_MS } from './bounds.ts';
import { GRPC_TARGETS } from './grpc-targets.ts';
import { HTTP_TARGETS } from './otlp-targets.ts';
import { abandoned, exchanged, type RawAnswer, type RawRequest, trickled, unread } from './raw-request.ts';
import { requestsOf, unfinished } from './requests-of.ts';

interface AttackOptions {
  readonly conversations: number;
  readonly memoryBytes: number;
  /** Length of each loop. */
  readonly loopMs: number;
  /** Clients at once that read nothing, or leave. */
  readonly crowd: number;
  /** Whether another client sends spans meanwhile, whose latency is reported. */
  readonly withSender: boolean;
  /** Only routes whose name matches. */
  readonly only?: RegExp | undefined;
  readonly onRoute: (row: RouteReport) => void;
}

export interface RouteReport {
  readonly route: string;
  readonly place: string;
  /** Legal requests that were answered with success. Without any, nothing was attacked. */
  readonly succeeded: number;
  readonly requests: number;
  readonly answer_bytes: number;
  /** Bytes of the answer for each of the request. */
  readonly amplification: number;
  readonly receiving_ms: number;
  /** Growth of memory. */
  readonly memory_mib: number;
  /** Highest memory of the process. */
  readonly rss_mib: number;
  readonly after_leaving_ms: number;
  readonly calm_p99_ms: number | undefined;
  readonly attacked_p99_ms: number | undefined;
  readonly bounds: Bounds;
  /** Bounds that it passed. */
  readonly passed: readonly string[];
}

export interface AttackReport {
  readonly survived: boolean;
  readonly memory_limit: 'cgroup' | 'none';
  readonly rss_mib_max: number;
  readonly routes: readonly RouteReport[];
  /** Served routes that are in no table. */
  readonly without_bounds: readonly string[];
}

/** One thing to attack: a route of HTTP, or a way of OTLP. */
export interface Target {
  readonly name: string;
  readonly place: string;
  readonly port: keyof AttackedService['ports'];
  readonly bounds: Bounds;
  readonly legal: readonly RawRequest[];
  readonly illegal: readonly RawRequest[];
  /** Requests that keep the service waiting. */
  readonly unfinished: readonly RawRequest[];
  /** Whether an answer goes on until the client leaves. */
  readonly isEndless?: boolean;
}

export async function attack(options: AttackOptions): Promise<AttackReport> {
  const service = await startAttacked(options);
  let rssMax = 0;
  try {
    const { targets, withoutBounds } = await targetsOf(service);
    const idle = await idleRate(service);
    const reports: RouteReport[] = [];
    for (const target of targets.filter(({ name }) => options.only?.test(name) ?? true)) {
      const report = await attackOne(service, target, { ...options, idle });
      rssMax = Math.max(rssMax, report.rss_mib);
      reports.push(report);
      options.onRoute(report);
      if (report.rss_mib === 0) break;
    }
    return {
      survived: service.peakMiB() > 0,
      memory_limit: service.memoryLimit,
      rss_mib_max: rssMax,
      routes: reports,
      without_bounds: withoutBounds,
    };
  } finally {
    await service.stop();
  }
}

/** Routes as the service itself lists them, so that none is left out. */
async function targetsOf({
  ports,
}: AttackedService): Promise<{ targets: readonly Target[]; withoutBounds: readonly string[] }> {
  const listed = await (await fetch(`http://127.0.0.1:${ports.http}/`)).text();
  const served = listed.split('\n').flatMap((line) => {
    const [, method, path] = /^(GET|PUT|POST|DELETE) (\/\S*)/.exec(line) ?? [];
    return method === undefined || path === undefined ? [] : [{ method, path }];
  });
  if (served.length < 20) throw new Error(`the list of routes could not be read:\n${listed}`);
  const targets: Target[] = [];
  const withoutBounds: string[] = [];
  for (const { method, path } of served) {
    const found = placeOf(method, path);
    if (found === undefined) withoutBounds.push(`${method} ${path}`);
    else {
      const { place, row, bounds } = found;
      const isEndless = row.path === '/api/v1/live';
      targets.push({
        name: `${method} ${row.path}`,
        place,
        port: 'http',
        bounds,
        isEndless,
        ...requestsOf(row),
        unfinished: method === 'GET' ? [] : [unfinished(row)],
      });
    }
  }
  return { targets: [...targets, ...HTTP_TARGETS, ...GRPC_TARGETS], withoutBounds };
}

/** A client takes an answer that has no end for so long. */
const ENDLESS_MS = 200;

interface Idle {
  readonly receiving: number;
  readonly whole: number;
}

/** Processor time for each millisecond in which nobody asks for anything. */
async function idleRate(service: AttackedService): Promise<Idle> {
  const before = await service.usage();
  await sleep(1_000);
  const after = await service.usage();
  return {
    receiving: (after.receivingMs - before.receivingMs) / 1_000,
    whole: (after.wholeMs - before.wholeMs) / 1_000,
  };
}

async function attackOne(
  service: AttackedService,
  target: Target,
  { idle, ...options }: AttackOptions & { readonly idle: Idle },
): Promise<RouteReport> {
  const port = service.ports[target.port];
  const ask = (request: RawRequest) => exchanged(port, request, target.isEndless === true ? ENDLESS_MS : undefined);
  const before = service.peakMiB();
  const sender = options.withSender ? new Sender(service.ports.otlp_http) : undefined;
  const calm = await sender?.latencies(1_500);

  const tried: Tried[] = [];
  for (const request of [...target.legal, ...target.illegal]) {
    const isLegal = target.legal.includes(request);
    const began = performance.now();
    const { answer, receivingMs, ...cost } = await measured(service, () => ask(request));
    const wholeMs = cost.wholeMs - idle.whole * (performance.now() - began);
    tried.push({
      request,
      answer,
      receivingMs,
      wholeMs,
      isSuccess: isLegal && answer.status >= 200 && answer.status < 400,
    });
  }
  const worst = worstOf(tried);
  const attacked = sender?.latencies(2 * options.loopMs * worst.length);
  let receiving = 0;
  let answerBytes = Math.max(...tried.map(({ answer }) => answer.bytesOut));
  for (const { request } of worst) {
    for (const clients of [1, 4]) {
      const looped = await loop(service, { ask, request, clients, forMs: options.loopMs });
      const background = idle.receiving * looped.tookMs + (sender === undefined ? 0 : sender.costMs(looped.tookMs));
      receiving = Math.max(receiving, (looped.receivingMs - background) / looped.answers);
      answerBytes = Math.max(answerBytes, looped.bytesMax);
    }
  }
  const attackedLatencies = await attacked;
  await unreadByMany(port, [...worst.map(({ request }) => request), ...target.unfinished], options.crowd);
  const afterLeaving = await leftByMany(service, { port, worst, crowd: options.crowd, idle });
  const peak = service.peakMiB();
  const amplification = Math.max(...tried.map(({ request, answer }) => answer.bytesOut / request.bytes.length));
  const figures = {
    answer_bytes: answerBytes,
    receiving_ms: rounded(receiving),
    memory_mib: Math.max(0, peak - before),
    after_leaving_ms: Math.round(afterLeaving),
  };
  return {
    route: target.name,
    place: target.place,
    succeeded: tried.filter(({ isSuccess }) => isSuccess).length,
    requests: tried.length,
    ...figures,
    amplification: Math.round(amplification),
    calm_p99_ms: calm === undefined ? undefined : p99(calm),
    attacked_p99_ms: attackedLatencies === undefined ? undefined : p99(attackedLatencies),
    bounds: target.bounds,
    passed: passedBy(figures, target.bounds),
    rss_mib: peak,
  };
}

interface Tried {
  readonly request: RawRequest;
  readonly answer: RawAnswer;
  readonly receivingMs: number;
  readonly wholeMs: number;
  readonly isSuccess: boolean;
}

function worstOf(tried: readonly Tried[]): readonly Tried[] {
  const by = (of: (one: Tried) => number) => tried.toSorted((one, other) => of(other) - of(one)).slice(0, 1);
  return [
    ...new Set([
      ...by(({ answer }) => answer.bytesOut),
      ...by(({ receivingMs }) => receivingMs),
      ...by(({ wholeMs }) => wholeMs),
    ]),
  ];
}

async function measured<T>(service: AttackedService, run: () => Promise<T>): Promise<Usage & { readonly answer: T }> {
  const before = await service.usage();
  const answer = await run();
  const after = await service.usage();
  return { answer, receivingMs: after.receivingMs - before.receivingMs, wholeMs: after.wholeMs - before.wholeMs };
}

interface Loop {
  readonly ask: (request: RawRequest) => Promise<RawAnswer>;
  readonly request: RawRequest;
  readonly clients: number;
  readonly forMs: number;
}

async function loop(service: AttackedService, { ask, request, clients, forMs }: Loop) {
  const began = performance.now();
  let answers = 0;
  let bytesMax = 0;
  const client = async () => {
    do {
      const { bytesOut } = await ask(request);
      answers += 1;
      bytesMax = Math.max(bytesMax, bytesOut);
    } while (performance.now() - began < forMs);
  };
  const { receivingMs } = await measured(service, () => Promise.all(Array.from({ length: clients }, client)));
  return { answers, bytesMax, receivingMs, tookMs: performance.now() - began };
}

/** Half of the crowd reads nothing, the other half a little. */
async function unreadByMany(port: number, requests: readonly RawRequest[], crowd: number): Promise<void> {
  const ends = requests.flatMap((request) =>
    Array.from({ length: crowd }, (_none, client): { end(): void } => {
      if (client % 2 === 0) return trickled(port, request);
      const socket = unread(port, request);
      return { end: () => socket.destroy() };
    }),
  );
  await sleep(600);
  for (const one of ends) one.end();
}

interface Leaving {
  readonly port: number;
  readonly worst: readonly Tried[];
  readonly crowd: number;
  readonly idle: Idle;
}

const SETTLE_MS = 50;
const LEFT_MS_MAX = 30_000;

/** Processor time of the process from when the crowd has gone until it does nothing more. */
async function leftByMany(service: AttackedService, { port, worst, crowd, idle }: Leaving): Promise<number> {
  await Promise.all(
    worst.flatMap(({ request }) => Array.from({ length: crowd }, (_none, n) => abandoned(port, request, n % 20))),
  );
  const gone = performance.now();
  const before = await service.usage();
  let last = before;
  let quiet = 0;
  while (quiet < 4 && performance.now() - gone < LEFT_MS_MAX) {
    await sleep(SETTLE_MS);
    const now = await service.usage();
    // Half of what a busy thread would use.
    quiet = now.wholeMs - last.wholeMs < SETTLE_MS / 2 ? quiet + 1 : 0;
    last = now;
  }
  return Math.max(0, last.wholeMs - before.wholeMs - idle.whole * (performance.now() - gone));
}

function passedBy(
  figures: Pick<RouteReport, 'answer_bytes' | 'receiving_ms' | 'memory_mib' | 'after_leaving_ms'>,
  bounds: Bounds,
): readonly string[] {
  return [
    ...(figures.answer_bytes > bounds.answerBytes ? ['bytes of an answer'] : []),
    ...(figures.receiving_ms > bounds.receivingMs + (figures.answer_bytes / 2 ** 20) * SENT_MIB_MS
      ? ['time of the receiving thread']
      : []),
    ...(figures.memory_mib > bounds.memoryMiB ? ['memory'] : []),
    ...(figures.after_leaving_ms > bounds.afterLeavingMs ? ['work after the clients left'] : []),
  ];
}

/** Another client, as an exporter is: small requests, one after the other. */
class Sender {
  readonly #port: number;
  #sent = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async latencies(forMs: number): Promise<readonly number[]> {
    const taken: number[] = [];
    const until = performance.now() + forMs;
    while (performance.now() < until) {
      const began = performance.now();
      this.#sent += 1;
      await fetch(`http://127.0.0.1:${this.#port}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: smallRequest(this.#sent),
        signal: AbortSignal.timeout(30_000),
      }).then((response) => response.arrayBuffer());
      taken.push(performance.now() - began);
      await sleep(10);
    }
    return taken;
  }

  /** At most what its own requests cost the receiving thread. */
  costMs(tookMs: number): number {
    return tookMs / 15;
  }
}

function smallRequest(number: number): string {
  const span = {
    traceId: number.toString(16).padStart(32, '7'),
    spanId: number.toString(16).padStart(16, '7'),
    name: 'invoke_agent booking',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
}

function p99(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((one, other) => one - other);
  return rounded(sorted[Math.min(Math.ceil(sorted.length * 0.99), sorted.length) - 1] ?? Number.NaN);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
