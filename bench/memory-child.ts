/**
 * Holds a given number of open turns, closes all of them by one jump of time, and prints the memory and the longest stop.
 * With `write` it writes them to a journal instead, and with `restart` it reads that again, as a start does. See memory.ts.
 */
import { loadSettings } from '../src/config/settings.ts';
import { ConversationNotes } from '../src/engine/conversation-notes.ts';
import { turnLimits } from '../src/engine/engine-settings.ts';
import { Intake } from '../src/engine/intake.ts';
import { Journal } from '../src/journal/journal.ts';
import { inSlices } from '../src/model/in-slices.ts';
import { BatchTable, encodeTable } from '../src/otlp/batch-table.ts';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { JournalLog } from '../src/serve/one-machine/journal-log.ts';
import { TurnPacker } from '../src/serve/scoring/turn-packer.ts';
import { makeWorkload } from './workload.ts';

const [turnsAsked = '0', mode = 'hold', directory = ''] = process.argv.slice(2);
const TRACES_OF_TEMPLATE = 500;
const LARGE_JUMP = 86_400_000;

const { settings } = loadSettings({ flags: {}, env: {}, cwd: directory });
const turns = Number(turnsAsked);
const limits = turnLimits(settings, Math.max(1_000_000, 2 * turns));
const notes = new ConversationNotes(settings.conversation.idKeys);

interface Batch {
  readonly table: Uint8Array;
  readonly rows: number;
  readonly wireBytes: number;
}

const template = makeWorkload({
  seed: 1,
  traces: Math.min(TRACES_OF_TEMPLATE, turns),
  spansPerRequest: 300,
  concurrent: 100,
});
const batches = template.requests.map((request): Batch => {
  const index = indexTraces(request);
  const batch = { signal: 'traces' as const, bytes: request, table: encodeTable(index), rows: index.spanCount };
  notes.note(batch);
  return { table: batch.table, rows: batch.rows, wireBytes: request.length };
});

/** The batches of as many traces again, with ids of their own. */
function* copies(round: number): Generator<Batch> {
  for (const { table, ...batch } of batches) {
    const copy = Buffer.from(table);
    const rows = BatchTable.read(copy);
    for (let row = 0; row < rows.rowCount; row += 1) {
      // The first bytes of a row are the trace id (batch-table.ts).
      const at = copy.length - ((rows.rowCount - row) * (copy.length - tableHead(rows))) / rows.rowCount;
      copy.writeUInt32BE((copy.readUInt32BE(at) ^ Math.imul(round, 0x9e37_79b1)) >>> 0, at);
      const conversation = rows.conversationHash(row);
      if (conversation !== 0) rows.noteConversation(row, 1 + ((conversation + round * 7919) % (2 ** 30 - 1)));
    }
    yield { ...batch, table: copy };
  }
}

function tableHead({ groupCount }: BatchTable): number {
  return 16 + 16 * groupCount;
}

interface Memory {
  readonly rss: number;
  /** The heap, and the buffers outside it. */
  readonly live: number;
}

function memory(): Memory {
  // Twice, because finalizers keep some objects alive the first time.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, live: heapUsed + external };
}

/** RSS alone would hide memory that was free before and is used now. */
function grownSince({ rss, live }: Memory): number {
  const now = memory();
  return Math.max(0, now.rss - rss, now.live - live);
}

/** The longest time in which nothing else could run while this was done. */
async function longestStop(work: () => Promise<void>): Promise<{ readonly stopMs: number; readonly tookMs: number }> {
  const startedAt = performance.now();
  let stopMs = 0;
  let last = startedAt;
  let isDone = false;
  const look = () => {
    const now = performance.now();
    stopMs = Math.max(stopMs, now - last);
    last = now;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  const now = performance.now();
  return { stopMs: Math.max(stopMs, now - last), tookMs: now - startedAt };
}

async function hold(): Promise<object> {
  let closed = 0;
  const count = () => {
    closed += 1;
  };
  const intake = new Intake(limits, { closed: count, released: () => {} });
  let position = 0;
  let wireBytes = 0;
  const fill = (target: number, firstRound: number) => {
    for (let round = firstRound; intake.turns.turnCount < target; round += 1) {
      for (const { table, wireBytes: length } of copies(round)) {
        // All at one time, so that nothing closes.
        const at = { position, nextPosition: position + length, payloadPosition: position + table.length };
        intake.take({ signal: 'traces', logTime: 1, table, ...at });
        position += length;
        wireBytes += length;
      }
    }
  };
  // The generator and the compiled code are not part of the measurement: they are warmed up before it begins.
  fill(1, 1_000_000);
  const before = memory();
  const turnsBefore = intake.turns.turnCount;
  const spansBefore = intake.turns.rowCount;
  const wireBefore = wireBytes;
  fill(turns + turnsBefore, 1);
  const bytes = grownSince(before);
  const held = intake.turns.turnCount - turnsBefore;
  const spans = intake.turns.rowCount - spansBefore;
  const closing = await longestStop(() => inSlices(intake.advancing(LARGE_JUMP)));
  if (closed !== held + turnsBefore) throw new Error(`${closed} turns closed of ${held + turnsBefore}`);
  return { held, bytes, wireBytes: wireBytes - wireBefore, spans, ...closing };
}

const JOURNAL = {
  directory,
  segmentBytes: settings.journal.segmentBytes,
  maxBytes: Number.MAX_SAFE_INTEGER,
  floor: { position: 0, logTime: 0 },
  onEvent: () => {},
};

async function write(): Promise<object> {
  const { journal } = await Journal.open(JOURNAL);
  journal.deliverTo({ take: () => {} });
  // Open turns read no payload, and a start only its checksum: a page of it stands for them.
  const bytes = Buffer.alloc(4096);
  for (let round = 1; (round - 1) * template.traces < turns; round += 1) {
    await Promise.all([...copies(round)].map((batch) => journal.append({ signal: 'traces', bytes, ...batch })));
  }
  await journal.stop();
  return {};
}

async function restart(): Promise<object> {
  const before = memory();
  const startedAt = performance.now();
  const { journal, recovered } = await Journal.open(JOURNAL);
  const openedMs = performance.now() - startedAt;
  const scorer = {
    oldestWaiting: undefined,
    floor: { position: 0, logTime: 0, readFrom: 0, logEnd: 0 },
    close: () => {},
    time: () => {},
    stop: async () => {},
    filedPositions: async () => new Map(),
  };
  const log = new JournalLog({ journal, packer: new TurnPacker(directory), limits, notes, scorer });
  const reading = await longestStop(() => log.read(recovered));
  const liveBytes = memory().live - before.live;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const held = log.openTurns;
  await log.stop();
  return { held, liveBytes, peakBytes, openedMs, ...reading };
}

const modes: Readonly<Record<string, () => Promise<object>>> = { hold, write, restart };
process.stdout.write(JSON.stringify(await modes[mode]?.()));
