/**
 * Offers a real process several times what it can score, for a while, and checks its promises under overload: clients
 * are told to wait (503 with Retry-After), memory stays flat, and everything accepted is scored in the end.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatchTable, encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { freeListenPorts, startAssay } from './process.ts';
import { parseMetrics } from './scraped-totals.ts';
import { exportRequest, type TrafficSpan, traffic } from './traffic.ts';

export interface OverloadOptions {
  readonly seconds: number;
  readonly clients: number;
  /** Small, so that it is full soon. */
  readonly journalBytes: number;
  readonly onProgress?: (line: string) => void;
}

export interface OverloadReport {
  readonly accepted_requests: number;
  readonly refused_requests: number;
  /** Refusals other than 503 with Retry-After. */
  readonly wrong_refusals: number;
  readonly turns_accepted: number;
  readonly turns_scored: number;
  readonly spans_per_second_accepted: number;
  readonly rss_mib_after_warm_up: number;
  readonly rss_mib_max: number;
}

const WARM_UP_SHARE = 0.3;

export async function overload(options: OverloadOptions): Promise<OverloadReport> {
  const say = options.onProgress ?? (() => {});
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-overload-'));
  const configFile = `${dataDir}.yaml`;
  writeFileSync(configFile, `suites: [default]\njournal: { max_bytes: ${options.journalBytes} }\n`);
  const ports = await freeListenPorts();
  const env = { ASSAY_TURN_SETTLE: '1s', ASSAY_LOG_LEVEL: 'info' };
  const assay = await startAssay({ dataDir, ports, env, arguments: ['--config', configFile] });
  const templates = makeTemplates();
  const counts = { accepted: 0, refused: 0, wrong: 0, turns: 0, spans: 0 };
  const endsAt = Date.now() + options.seconds * 1000;
  const rss: number[] = [];
  const sampler = setInterval(() => {
    rss.push(rssMiB(assay.pid));
    say(`${counts.accepted} accepted, ${counts.refused} refused, RSS ${rss.at(-1)} MiB`);
  }, 1000);

  async function client(number: number): Promise<void> {
    for (let round = 0; Date.now() < endsAt; round += 1) {
      const template = templates[(number + round) % templates.length];
      if (template === undefined) return;
      const body = withFreshIds(template, number * 1_000_000 + round);
      for (;;) {
        const response = await fetch(`${assay.otlpHttp}/v1/traces`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-protobuf' },
          body,
        });
        await response.arrayBuffer();
        if (response.ok) break;
        counts.refused += 1;
        const wait = Number(response.headers.get('retry-after'));
        if (response.status !== 503 || !(wait >= 1)) counts.wrong += 1;
        // Less patient than requested, as clients are under overload.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      counts.accepted += 1;
      counts.turns += template.turns;
      counts.spans += template.spans;
    }
  }

  try {
    await Promise.all(Array.from({ length: options.clients }, (_, number) => client(number)));
    say('draining');
    for (let settled = 0; settled < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const metrics = parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
      const pending = (metrics.get('assay_open_turns') ?? 0) + (metrics.get('assay_scoring_queue_length') ?? 0);
      settled = pending === 0 ? settled + 1 : 0;
    }
    const metrics = parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
    const scored = [...metrics].filter(([series]) => series.startsWith('assay_evaluations_total{suite="default"'));
    const warm = rss.slice(Math.ceil(rss.length * WARM_UP_SHARE));
    return {
      accepted_requests: counts.accepted,
      refused_requests: counts.refused,
      wrong_refusals: counts.wrong,
      turns_accepted: counts.turns,
      turns_scored: scored.reduce((sum, [, value]) => sum + value, 0),
      spans_per_second_accepted: Math.round(counts.spans / options.seconds),
      rss_mib_after_warm_up: warm[0] ?? 0,
      rss_mib_max: Math.max(...rss),
    };
  } finally {
    clearInterval(sampler);
    await assay.kill();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(configFile, { force: true });
  }
}

interface Template {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The positions of the trace ids. */
  readonly idsAt: readonly number[];
  readonly turns: number;
  readonly spans: number;
}

/** Requests of whole turns without conversation ids, so that each turn is one evaluation. */
function makeTemplates(): Template[] {
  const templates: Template[] = [];
  let spans: TrafficSpan[] = [];
  let turns = 0;
  for (const { turns: all } of traffic({
    seed: 1,
    conversations: 800,
    withoutId: 1,
    calls: [3, 5],
    messageBytes: [300, 1200],
    resultBytes: [200, 800],
  })) {
    spans.push(...all.flat());
    turns += all.length;
    if (spans.length < 300) continue;
    const bytes = new Uint8Array(transcodeTraces(Buffer.from(exportRequest(spans, 'v1'))));
    const table = BatchTable.read(encodeTable(indexTraces(bytes)));
    // A span begins with its trace id: tag, length, sixteen bytes.
    const idsAt = Array.from({ length: table.rowCount }, (_, row) => table.start(row) + 2);
    templates.push({ bytes, idsAt, turns, spans: spans.length });
    spans = [];
    turns = 0;
  }
  return templates;
}

function withFreshIds(template: Template, number: number): Uint8Array<ArrayBuffer> {
  const bytes = template.bytes.slice();
  const view = new DataView(bytes.buffer);
  for (const at of template.idsAt) view.setUint32(at, view.getUint32(at) ^ number);
  return bytes;
}

function rssMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
