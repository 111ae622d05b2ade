/** Holds a given number of open turns, and prints the memory they take. See memory.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadSettings } from '../src/config/settings.ts';
import { Journal } from '../src/journal/journal.ts';
import { encodeTable } from '../src/model/otlp/batch-table.ts';
import { indexTraces } from '../src/model/otlp/traces-reader.ts';
import { turnLimits } from '../src/engine/engine-settings.ts';
import { ConversationNotes } from '../src/engine/conversation-notes.ts';
import { Intake } from '../src/engine/intake.ts';
import { makeWorkload } from './workload.ts';

const turns = Number(process.argv[2]);
const TRACES_PER_STEP = 500;

const directory = mkdtempSync(path.join(tmpdir(), 'assay-memory-'));
const { settings } = loadSettings({ flags: {}, env: {}, cwd: directory });
const notes = new ConversationNotes(settings.conversation.idKeys);
const intake = new Intake(turnLimits(settings), { closed: () => {}, released: () => {} });
const { journal } = await Journal.open({
  directory: path.join(directory, 'journal'),
  segmentBytes: settings.journal.segmentBytes,
  maxBytes: Number.MAX_SAFE_INTEGER,
  floor: { position: 0, logTime: 0 },
  onEvent: () => {},
});
// All at one time, so that nothing closes.
journal.deliverTo({ take: (entry) => intake.take({ ...entry, logTime: 0 }) });

async function fill(target: number, firstSeed: number): Promise<number> {
  let bytes = 0;
  for (let seed = firstSeed; intake.turns.turnCount < target; seed += 1) {
    const traces = Math.min(TRACES_PER_STEP, Math.max(4, target - intake.turns.turnCount));
    const workload = makeWorkload({ seed, traces, spansPerRequest: 300, concurrent: 100 });
    for (const request of workload.requests) {
      const index = indexTraces(request);
      const batch = { signal: 'traces' as const, bytes: request, table: encodeTable(index), rows: index.spanCount };
      notes.note(batch);
      await journal.append(batch);
    }
    bytes += workload.bytes;
  }
  return bytes;
}

function rss(): number {
  // Twice, because finalizers keep some objects alive the first time.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

// The generator and the compiled code are not part of the measurement: they are warmed up before it begins.
await fill(Math.min(200, turns), 1_000_000);
const before = rss();
const turnsBefore = intake.turns.turnCount;
const wireBytes = await fill(turns + turnsBefore, 1);
const after = rss();
process.stdout.write(
  JSON.stringify({ rssBytes: Math.max(0, after - before), wireBytes, spans: intake.turns.rowCount }),
);
await journal.stop();
rmSync(directory, { recursive: true, force: true });
