/**
 * The crash test: a real process under load is killed at random moments and restarted, and afterwards the books must
 * balance.
 *
 * Clients behave like an SDK with endless patience: they send a batch until it is acknowledged, then the next. The test
 * compares acknowledged spans with stored ones (each span in exactly one turn), counters with the store and with a
 * scrape, and all of it with an uninterrupted run over the same spans.
 *
 * Some requests have a span of a conversation that somebody asks to be forgotten (`decoys.ts`), at any moment.
 *
 * While the process is dead, retention sometimes deletes everything that is scored by then: redelivered spans of it
 * must change nothing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadSettings } from '../../src/config/settings.ts';
import { BatchTable, encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import type { RecordedBatch } from '../../src/engine/recorded/recorded-batch.ts';
import { toEvaluationJson } from '../../src/model/evaluation-json.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { prune, type Retention } from '../../src/store/sqlite/retention.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { randomFrom } from '../random.ts';
import { type AssayProcess, freeListenPorts, startAssay } from './process.ts';
import { QUALITY_METRICS } from '../../src/report/metrics/quality-metrics.ts';
import { parseMetrics, scrapeMismatches, netOf } from './scraped-totals.ts';
import { Decoys, filesWithDecoys } from './decoys.ts';
import { exportRequest, type TrafficConversation, type TrafficSpan, traffic } from './traffic.ts';

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  readonly clients: number;
  readonly onProgress?: (line: string) => void;
}

export interface CrashReport {
  readonly kills: number;
  readonly conversations: number;
  /** Acknowledged spans. */
  readonly spans: number;
  /** Acknowledged, and in no turn. */
  readonly lost: number;
  /** In more than one turn, or in one turn twice. */
  readonly duplicated: number;
  /** Series that differ between scrape, store, and the uninterrupted run. */
  readonly counter_mismatches: number;
  /** Evaluations that differ from those of the uninterrupted run, are missing, or are superfluous. */
  readonly evaluation_mismatches: number;
  /** Evaluations that detection has observed twice, or never. */
  readonly observation_mismatches: number;
  /** Conversations that retention deleted while the process was dead. */
  readonly pruned: number;
  /** Conversations that were forgotten while the process was killed again and again. */
  readonly forgotten: number;
  /** Files with the text of something forgotten. */
  readonly unforgotten_files: number;
  /** Batches that were retried because no answer came. */
  readonly resent: number;
}

/** A kill and a start on a busy machine take seconds. They must not be taken for the end of a conversation. */
const ENV = { ASSAY_TURN_SETTLE: '300ms', ASSAY_TURN_IDLE: '20s', ASSAY_CONVERSATION_IDLE: '15s' };
const SUITES = ['default', 'response-clarity', 'error-recovery'];
const BUILTIN = path.resolve(import.meta.dirname, '../../suites');
const DAY_MS = 86_400_000;
/** The share of kills after which retention runs while the process is dead. */
const PRUNED_SHARE = 0.5;
/** The share of requests with a span of a conversation that is to be forgotten. */
const DECOY_SHARE = 0.05;
const RESEND_AFTER_MS = 50;
const REQUEST_TIMEOUT_MS = 5000;

export async function crashTest(options: CrashOptions): Promise<CrashReport> {
  const random = randomFrom(options.seed);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-crash-'));
  const configFile = `${dataDir}.yaml`;
  // With so short a history there is a round of detection every 200 ms, so that some kills interrupt one.
  writeFileSync(configFile, `suites: [${SUITES.join(', ')}]\ndetection: { learn_history: 1200ms }\n`);
  const ports = await freeListenPorts();
  const say = options.onProgress ?? (() => {});
  const sent = new Map<string, TrafficSpan>();
  const requests: string[] = [];
  const counts = { resent: 0, conversations: 0, pruned: 0 };
  /** Spans and evaluations of deleted conversations, as they were stored. */
  const deleted: Kept = { spans: new Map(), evaluations: new Set() };
  const decoys = new Decoys(`http://127.0.0.1:${ports.http}`, randomFrom(options.seed + 1));
  let running = true;
  let assay = await start();

  function start(): Promise<AssayProcess> {
    return startAssay({ dataDir, ports, env: ENV, arguments: ['--config', configFile] });
  }

  const source = traffic({
    seed: options.seed,
    conversations: Number.MAX_SAFE_INTEGER,
    withoutId: 0.2,
    endMarks: 'multi-turn',
  });

  async function client(number: number): Promise<void> {
    const choose = randomFrom(options.seed * 1000 + number);
    while (running) {
      const next = source.next();
      if (next.done === true) return;
      counts.conversations += 1;
      await sendConversation(next.value, choose);
    }
  }

  async function sendConversation(conversation: TrafficConversation, choose: () => number): Promise<void> {
    for (const turn of conversation.turns) {
      for (let from = 0; from < turn.length; ) {
        const size = 1 + Math.floor(choose() * turn.length);
        const spans = turn.slice(from, from + size);
        requests.push(exportRequest(spans, conversation.agentVersion));
        const withDecoy = choose() < DECOY_SHARE ? [...spans, decoys.next()] : spans;
        const request = exportRequest(withDecoy, conversation.agentVersion);
        const asJson = choose() < 0.3;
        const body = asJson ? request : transcodeTraces(Buffer.from(request));
        while (!(await post(body, asJson))) {
          counts.resent += 1;
          await new Promise((resolve) => setTimeout(resolve, RESEND_AFTER_MS));
        }
        for (const span of spans) sent.set(span.spanId, span);
        from += size;
      }
    }
  }

  async function post(body: string | Uint8Array, asJson: boolean): Promise<boolean> {
    try {
      const response = await fetch(`http://127.0.0.1:${ports.otlpHttp}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': asJson ? 'application/json' : 'application/x-protobuf' },
        // The cast is for the types alone: the bytes are not shared with another thread.
        body: body as string | Uint8Array<ArrayBuffer>,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (response.status === 400) throw new Error('a generated request was refused as malformed');
      return response.ok;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('a generated')) throw error;
      return false;
    }
  }

  try {
    const clients = Array.from({ length: options.clients }, (_, number) => client(number));
    const forgetting = decoys.forgetSome(() => running);
    for (let kill = 1; kill <= options.kills; kill += 1) {
      // Short lifetimes as well as longer ones: in the middle of recovery, of a sync, of a commit.
      const lifeMs = random() < 0.3 ? random() * 60 : random() * 1200;
      await new Promise((resolve) => setTimeout(resolve, lifeMs));
      await assay.kill();
      say(`kill ${kill} of ${options.kills} after ${Math.round(lifeMs)} ms; ${sent.size} spans acknowledged`);
      if (random() < PRUNED_SHARE) counts.pruned += pruneSome(dataDir, deleted, random);
      assay = await start();
    }
    running = false;
    await Promise.all([...clients, forgetting]);
    say('waiting until everything is scored');
    await untilQuiet(assay, say);
    await decoys.forgetAll();
    const scraped = await (await fetch(`${assay.http}/metrics`)).text();
    await assay.stop();
    const unforgotten = filesWithDecoys(dataDir);
    for (const file of unforgotten) say(`${file} has the text of a conversation that was forgotten`);
    const books = await balance({ dataDir, deleted, sent, requests, scraped, counts, kills: options.kills, say });
    return { ...books, forgotten: decoys.forgotten, unforgotten_files: unforgotten.length };
  } finally {
    running = false;
    await assay.kill();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(configFile, { force: true });
  }
}

/** No turn is open, nothing is pending, and no conversation is still to be scored. */
async function untilQuiet(assay: AssayProcess, say: (line: string) => void): Promise<void> {
  let observed = 0;
  for (let quiet = 0; quiet < 8; ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const metrics = parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
    const open = metrics.get('assay_open_turns') ?? 0;
    const queued = metrics.get('assay_scoring_queue_length') ?? 0;
    const response = await fetch(`${assay.http}/api/conversations?limit=1000`);
    // The cast holds for this API.
    const page = (await response.json()) as { conversations: readonly { waiting_for: string | null }[] };
    const waiting = page.conversations.filter(({ waiting_for }) => waiting_for !== null).length;
    const observedBefore = observed;
    observed = metrics.get('assay_detection_observations') ?? 0;
    quiet = open + queued + waiting === 0 && observed === observedBefore ? quiet + 1 : 0;
    if (quiet === 0) say(`${open} turns open, ${queued} queued, ${waiting} conversations waiting`);
  }
}

async function balance(books: {
  readonly dataDir: string;
  readonly deleted: Kept;
  readonly sent: ReadonlyMap<string, TrafficSpan>;
  readonly requests: readonly string[];
  readonly scraped: string;
  readonly counts: { readonly resent: number; readonly conversations: number; readonly pruned: number };
  readonly kills: number;
  readonly say: (line: string) => void;
}): Promise<Omit<CrashReport, 'forgotten' | 'unforgotten_files'>> {
  const { say } = books;
  const reader = StoreReader.open(path.join(books.dataDir, 'assay.db'));
  const left = keptBy(reader);
  const stored = new Map(books.deleted.spans);
  for (const [spanId, count] of left.spans) stored.set(spanId, (stored.get(spanId) ?? 0) + count);
  const lost = [...books.sent.keys()].filter((spanId) => !stored.has(spanId));
  const duplicated = [...stored].filter(([, count]) => count > 1);
  const totals = new Map(reader.totals().map(({ metric, labels, value }) => [`${metric} ${labels}`, value]));
  const notScraped = scrapeMismatches(parseMetrics(books.scraped), reader.totals(), say);
  reader.close();

  const { settings } = loadSettings({ flags: {}, env: ENV, cwd: tmpdir() });
  const { suites } = await loadSuites(SUITES, { baseDir: tmpdir(), builtinDir: BUILTIN });
  const reference = await scoreRecorded({ batches: recorded(books.requests), suites, settings });
  const expected = reference.evaluations.map((evaluation) => JSON.stringify(toEvaluationJson(evaluation)));
  const evaluationMismatches = differences(
    new Set(expected),
    left.evaluations.union(books.deleted.evaluations),
    say,
    'evaluation',
  );
  const expectedTotals = new Map(reference.totals.map(({ metric, labels, value }) => [`${metric} ${labels}`, value]));
  const observationMismatches = Math.abs(
    observedIn(books.scraped) - netOf(reference.totals, QUALITY_METRICS.evaluations),
  );
  if (observationMismatches > 0)
    say(`${observedIn(books.scraped)} observed, ${netOf(reference.totals, QUALITY_METRICS.evaluations)} evaluated`);
  let counterMismatches = notScraped;
  for (const key of new Set([...totals.keys(), ...expectedTotals.keys()])) {
    const [now, should] = [totals.get(key) ?? 0, expectedTotals.get(key) ?? 0];
    if (now === should) continue;
    counterMismatches += 1;
    if (counterMismatches <= 10) say(`counter ${key} is ${now}, uninterrupted ${should}`);
  }
  return {
    kills: books.kills,
    conversations: books.counts.conversations,
    spans: books.sent.size,
    lost: lost.length,
    duplicated: duplicated.length,
    counter_mismatches: counterMismatches,
    evaluation_mismatches: evaluationMismatches,
    observation_mismatches: observationMismatches,
    pruned: books.counts.pruned,
    resent: books.counts.resent,
  };
}

/** Content of a store: how often each span occurs, and the evaluations. */
interface Kept {
  readonly spans: Map<string, number>;
  readonly evaluations: Set<string>;
}

function keptBy(reader: StoreReader): Kept {
  const spans = new Map<string, number>();
  for (const { content } of reader.allContent()) {
    const table = BatchTable.read(encodeTable(indexTraces(content.traces)));
    for (let row = 0; row < table.rowCount; row += 1) {
      const spanId = table.spanId(row) ?? '';
      spans.set(spanId, (spans.get(spanId) ?? 0) + 1);
    }
  }
  const evaluations = [...reader.allEvaluations()].map((evaluation) => JSON.stringify(toEvaluationJson(evaluation)));
  return { spans, evaluations: new Set(evaluations) };
}

const KEPT = { maxBytes: Number.MAX_SAFE_INTEGER, keepMs: DAY_MS, keepFailedMs: DAY_MS, reopenMs: DAY_MS };

/** By the age of all, by the age of successful ones, by age with the youngest kept, or by bytes. */
function retentionAtRandom(random: () => number): Retention {
  const way = random();
  if (way < 0.25) return { ...KEPT, keepMs: -DAY_MS, keepFailedMs: -DAY_MS };
  if (way < 0.5) return { ...KEPT, keepMs: -DAY_MS };
  if (way < 0.75) return { ...KEPT, keepMs: random() * 5000, keepFailedMs: random() * 5000 };
  return { ...KEPT, maxBytes: random() * 1_000_000 };
}

/** Deletes scored conversations, and records their content. */
function pruneSome(dataDir: string, deleted: Kept, random: () => number): number {
  const file = path.join(dataDir, 'assay.db');
  const kept = () => {
    const reader = StoreReader.open(file);
    try {
      return keptBy(reader);
    } finally {
      reader.close();
    }
  };
  const store = Store.open(file);
  try {
    const before = kept();
    store.begin();
    const { conversations } = prune(store, retentionAtRandom(random));
    store.commit();
    store.traces.removeEmptyFiles();
    const after = kept();
    for (const [spanId, count] of before.spans) {
      const gone = count - (after.spans.get(spanId) ?? 0);
      if (gone > 0) deleted.spans.set(spanId, (deleted.spans.get(spanId) ?? 0) + gone);
    }
    for (const line of before.evaluations.difference(after.evaluations)) deleted.evaluations.add(line);
    return conversations;
  } finally {
    store.close();
  }
}

function observedIn(scraped: string): number {
  return parseMetrics(scraped).get('assay_detection_observations') ?? 0;
}

function differences(
  expected: ReadonlySet<string>,
  found: ReadonlySet<string>,
  say: (line: string) => void,
  what: string,
): number {
  const missing = [...expected.difference(found)];
  const extra = [...found.difference(expected)];
  for (const line of missing.slice(0, 3)) say(`missing ${what}: ${line.slice(0, 400)}`);
  for (const line of extra.slice(0, 3)) say(`unexpected ${what}: ${line.slice(0, 400)}`);
  return missing.length + extra.length;
}

function* recorded(requests: readonly string[]): Generator<RecordedBatch> {
  for (const request of requests) {
    const bytes = transcodeTraces(Buffer.from(request));
    const index = indexTraces(bytes);
    yield {
      signal: 'traces',
      bytes,
      table: encodeTable(index),
      rows: index.spanCount,
      rejected: index.rejected,
      logTime: 0,
    };
  }
}
