/**
 * npm run bench -- pipeline [--json] [--traces 36000]: the hard load, then the plain one
 *
 * The whole path of a span in one process, compared with bare decoding by protobufjs of the same kind of requests in
 * another. The path is: check and index, redact, journal with sync, open turns, read back, normalize, build turns,
 * score with the default suites, store with sync, totals. Both alternate, slice by slice, and are charged all CPU time
 * of their process (garbage collection and I/O threads included).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setGarbageFlags } from '../src/model/garbage-collection.ts';
import type { ClosedTurn } from '../src/assemble/open-turns.ts';
import { loadSettings } from '../src/config/settings.ts';
import { Journal } from '../src/journal/journal.ts';
import { JournalReader } from '../src/journal/journal-reader.ts';
import { encodeTable } from '../src/otlp/batch-table.ts';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { UNWATCHED } from '../src/engine/check-watch.ts';
import { Engine } from '../src/engine/engine.ts';
import { ConversationNotes } from '../src/engine/conversation-notes.ts';
import { engineSettings, turnLimits } from '../src/engine/engine-settings.ts';
import { ArrivalReader } from '../src/engine/arrival.ts';
import { Intake } from '../src/engine/intake.ts';
import { offlineRedaction } from '../src/engine/redaction-rules.ts';
import { RequestRedactor } from '../src/redact/request-redactor.ts';
import { loadSuites } from '../src/score/load-suites.ts';
import { Store } from '../src/store/sqlite/store.ts';
import { type Reference, startReference } from './reference.ts';
import type { BenchRow } from './row.ts';
import { StageCpu } from './stage-cpu.ts';
import { type Load, makeLoad, type Workload } from './workload.ts';

export interface PipelineBenchOptions {
  readonly load: Load;
  readonly traces: number;
  readonly rounds: number;
}

/** Log time between two requests; with the settle time it decides how many turns are open at once. */
const REQUEST_EVERY_MS = 500;
const TURNS_PER_COMMIT = 256;
/**
 * The benchmark measures a service that has been running: neither side counts during compilation. Code that runs once
 * per turn is compiled late: after 120,000 spans compiling still took 5 to 8 µs a span, after 360,000 it takes 2.
 */
const WARM_UP_SHARE = 1 / 4;
const WARM_UP_SLICES_MIN = 4;
const STAGES_EVERY = 4;
const BUILTIN = path.resolve(import.meta.dirname, '../suites');

export async function benchPipeline(
  options: PipelineBenchOptions,
): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  const { load, rounds } = options;
  const size = { seed: 1, traces: options.traces };
  const reference = await startReference(load, size);
  try {
    return await measurePipeline(load, makeLoad(load, size), reference, rounds);
  } finally {
    reference.stop();
  }
}

async function measurePipeline(
  load: Load,
  workload: Workload,
  reference: Reference,
  rounds: number,
): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  const warmUp = Math.max(WARM_UP_SLICES_MIN, Math.ceil((rounds * WARM_UP_SHARE) / (1 - WARM_UP_SHARE)));
  const slices = sliceRequests(workload, rounds + warmUp);
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-bench-'));
  const pipeline = await startPipeline(directory);
  const measured = { ours: 0, spans: 0, faults: 0, reference: 0, decoded: 0 };
  const staged = { total: 0, main: 0, spans: 0 };
  for (const [index, slice] of slices.entries()) {
    const spans = slice.reduce((sum, bytes) => sum + indexTraces(bytes).spanCount, 0);
    // Reading CPU time costs a few microseconds per span, so the slices that measure the stages are not the ones that
    // count.
    const showsStages = index >= warmUp && index % STAGES_EVERY === 0;
    pipeline.cpu.isOn = showsStages;
    const decoded = await reference.decode(slice.length);
    const before = process.cpuUsage();
    const mainBefore = process.threadCpuUsage();
    const faultsBefore = process.resourceUsage().minorPageFault;
    await pipeline.take(slice, index === slices.length - 1);
    const ours = seconds(process.cpuUsage(before));
    if (index < warmUp) continue;
    if (showsStages) {
      staged.total += ours;
      staged.main += seconds(process.threadCpuUsage(mainBefore));
      staged.spans += spans;
    } else {
      measured.ours += ours;
      measured.spans += spans;
      measured.reference += decoded.seconds;
      measured.decoded += decoded.spans;
      measured.faults += process.resourceUsage().minorPageFault - faultsBefore;
    }
  }
  const result = await pipeline.stop();
  rmSync(directory, { recursive: true, force: true });
  const rows = [
    {
      name: `pipeline, ${load} load: decode, journal, normalize, assemble, score, store (spans per CPU second)`,
      ours: Math.round(measured.spans / measured.ours),
      reference: Math.round(measured.decoded / measured.reference),
      ratio: round(measured.spans / measured.ours / (measured.decoded / measured.reference)),
    },
  ];
  const notes = [
    `${workload.spans} spans in ${workload.traces} traces, ${workload.requests.length} requests, ${Math.round(workload.bytes / workload.spans)} bytes a span`,
    `${result.turns} turns stored, ${result.evaluations} evaluations; ${round(measured.faults / measured.spans)} page faults a span`,
    ...pipeline.cpu.lines({ spans: staged.spans, totalSeconds: staged.total, mainSeconds: staged.main }),
  ];
  return { rows, notes };
}

/** The whole pipeline, with a store in this folder. */
export async function startPipeline(directory: string, { words }: { readonly words?: boolean } = {}) {
  setGarbageFlags();
  const { settings } = loadSettings({ flags: {}, env: {}, cwd: directory });
  const { suites } = await loadSuites(settings.suites, { baseDir: directory, builtinDir: BUILTIN });
  const store = Store.open(path.join(directory, 'assay.db'));
  const reader = new JournalReader(path.join(directory, 'journal'));
  const cpu = new StageCpu();
  const rules = offlineRedaction(settings);
  const redactor = rules === undefined ? undefined : new RequestRedactor(rules);
  const engine = new Engine({
    settings: { ...engineSettings(settings), words: words ?? true },
    suites,
    store,
    watch: UNWATCHED,
    onEvent: () => {},
    timed: (stage, work) => cpu.timed(stage, work),
  });
  const arrivals = new ArrivalReader((position, length) => reader.read(position, length));
  const notes = new ConversationNotes(settings.conversation.idKeys);
  let turns = 0;
  let logTime = Date.now();
  const closed: ClosedTurn[] = [];
  const intake = new Intake(turnLimits(settings), {
    closed: (turn) => closed.push(turn),
    released: (position, rows) => journal.release(position, rows),
  });
  const { journal } = await Journal.open({
    directory: path.join(directory, 'journal'),
    segmentBytes: settings.journal.segmentBytes,
    maxBytes: settings.journal.maxBytes,
    floor: { position: 0, logTime: 0 },
    onEvent: () => {},
  });
  journal.deliverTo({
    take: (entry) => {
      logTime += REQUEST_EVERY_MS;
      cpu.timed('open turns', () => intake.take({ ...entry, logTime }));
    },
  });

  const commit = () => {
    cpu.timed('commit (synced)', () => store.commit());
    store.begin();
  };
  const drain = () => {
    for (const turn of closed.splice(0)) {
      reader.completeTo(turn.position);
      const arrival = cpu.timed('putting bytes together', () => arrivals.arrivalOf(turn));
      cpu.timed('closing turns, the rest', () => engine.arrive(arrival));
      intake.release(turn);
      turns += 1;
      if (turns % TURNS_PER_COMMIT === 0) commit();
    }
  };
  store.begin();
  return {
    cpu,
    take: async (requests: readonly Uint8Array[], isLast: boolean) => {
      for (const bytes of requests) {
        // Nothing in the workload is a secret, so nothing is rewritten.
        if (cpu.timed('redact', () => redactor?.redact('traces', bytes)) !== undefined) throw new Error('a secret');
        const table = cpu.timed('check and index', () => {
          const index = indexTraces(bytes);
          return { bytes: encodeTable(index), rows: index.spanCount };
        });
        cpu.timed('noting conversations', () => notes.note({ signal: 'traces', bytes, table: table.bytes }));
        await journal.append({ signal: 'traces', bytes, table: table.bytes, rows: table.rows });
        drain();
      }
      if (isLast) {
        intake.advance(logTime + 3_600_000);
        drain();
        engine.advance(logTime + 86_400_000);
        commit();
      }
    },
    stop: async () => {
      store.commit();
      const evaluations = store.count('evaluations');
      await journal.stop();
      reader.close();
      store.close();
      return { turns, evaluations };
    },
  };
}

export function sliceRequests(workload: Workload, count: number): Uint8Array[][] {
  const size = Math.ceil(workload.requests.length / count);
  const slices: Uint8Array[][] = [];
  for (let from = 0; from < workload.requests.length; from += size)
    slices.push(workload.requests.slice(from, from + size));
  return slices;
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
