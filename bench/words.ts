/**
 * npm run bench -- words [--json] [--traces 24000]
 *
 * The price of the index of words: two whole pipelines take the same requests slice by slice in turn, one with the index
 * and one without. Charged is all CPU time of the process. Texts of one to four kilobytes are more than most agents and
 * users say. Beside it, how much larger the store is, and how fast a rare and a common word are found.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { StoreReader } from '../src/store/sqlite/store-reader.ts';
import { sliceRequests, startPipeline } from './pipeline.ts';
import type { BenchRow } from './row.ts';
import { makeWorkload } from './workload.ts';

interface WordsBenchOptions {
  readonly traces: number;
  readonly rounds: number;
}

const SIDES = ['with', 'without'] as const;
type Side = (typeof SIDES)[number];
const WARM_UP_SHARE = 1 / 3;

export async function benchWords({ traces, rounds }: WordsBenchOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const workload = makeWorkload({ seed: 1, traces, spansPerRequest: 300, concurrent: 200 });
  const slices = sliceRequests(workload, rounds);
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-bench-'));
  const folders = { with: path.join(directory, 'with'), without: path.join(directory, 'without') };
  const pipelines = {
    with: await startPipeline(folders.with, { words: true }),
    without: await startPipeline(folders.without, { words: false }),
  };
  const seconds = { with: 0, without: 0 };
  let spans = 0;
  const take = async (side: Side, slice: readonly Uint8Array[], index: number) => {
    const before = process.cpuUsage();
    await pipelines[side].take(slice, index === slices.length - 1);
    const { user, system } = process.cpuUsage(before);
    if (index >= slices.length * WARM_UP_SHARE) seconds[side] += (user + system) / 1e6;
  };
  for (const [index, slice] of slices.entries()) {
    if (index >= slices.length * WARM_UP_SHARE)
      spans += slice.reduce((sum, bytes) => sum + indexTraces(bytes).spanCount, 0);
    // The first one pays for what the other finds in caches.
    const order = index % 2 === 0 ? SIDES : SIDES.toReversed();
    for (const side of order) await take(side, slice, index);
  }
  for (const side of SIDES) await pipelines[side].stop();
  const bytes = (side: Side) => statSync(path.join(folders[side], 'assay.db')).size;
  const notes = [
    `${spans} spans measured; the database ${megabytes(bytes('with'))} with the index, ${megabytes(bytes('without'))} without`,
    ...(await searches(path.join(folders.with, 'assay.db'))),
  ];
  rmSync(directory, { recursive: true, force: true });
  const perSpan = (side: Side) => Math.round((seconds[side] / spans) * 1e7) / 10;
  return {
    rows: [
      {
        name: 'words: the whole pipeline with the index of words, against without (CPU microseconds a span)',
        ours: perSpan('with'),
        reference: perSpan('without'),
        ratio: Math.round((seconds.with / seconds.without) * 1000) / 1000,
      },
    ],
    notes,
  };
}

async function searches(file: string): Promise<readonly string[]> {
  const reader = StoreReader.open(file);
  const notes: string[] = [];
  for (const words of [['thursday'], ['nowhere'], ['alice', 'budget', 'con']]) {
    const before = performance.now();
    const { rows } = await reader.pages.search({ order: 'latest', limit: 50, words });
    notes.push(`search for ${words.join(' ')}: ${rows.length} shown, ${(performance.now() - before).toFixed(1)} ms`);
  }
  reader.close();
  return notes;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
