/**
 * Removes runs from experiments whose spans are about a conversation or a user.
 *
 * States, and what a crash does there:
 *   overwritten   the run's spans and log records are zeros    its line is there; the next time finds it by its line
 *   removed       the line is gone, by a rename                nobody reads the bytes that it named
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { CaseRun, FileRange } from '../../model/experiment.ts';
import { syncFolder } from './experiment-folder.ts';
import { experimentsIn, ExperimentUnreadable, FILES, readRunLines, readSpansOf } from './read-experiment.ts';
import { takeFolder } from './taken-folder.ts';

interface Wanted {
  readonly about: { readonly conversation: string | undefined };
  readonly matcher: { tracesIn(traces: Uint8Array): ReadonlySet<unknown> };
  readonly dryRun: boolean;
}

/** Returns how many there are. Throws where a run that is meant cannot be removed, because somebody writes its folder. */
export async function forgetRuns(root: string, wanted: Wanted): Promise<number> {
  let count = 0;
  for (const { folder } of experimentsIn(root, () => {})) {
    const meant = new Set<number>();
    for (const [index, run] of readRunLines(folder).runs.entries()) {
      if (isMeant(folder, run, wanted)) meant.add(index);
      await nextTick();
    }
    count += meant.size;
    if (meant.size > 0 && !wanted.dryRun) removeRuns(folder, meant);
  }
  return count;
}

function isMeant(folder: string, run: CaseRun, { about, matcher }: Wanted): boolean {
  if (run.conversationId === about.conversation) return true;
  try {
    const { traces } = readSpansOf(folder, run);
    // Overwritten, and the line is still there.
    return traces.some((message) => matcher.tracesIn(message).size > 0);
  } catch (error) {
    // Zeros are no messages: somebody was about to remove the run.
    if (error instanceof ExperimentUnreadable) return isBlank(folder, run.spans);
    throw error;
  }
}

function isBlank(folder: string, range: FileRange | undefined): boolean {
  if (range === undefined) return false;
  const bytes = readFileSync(path.join(folder, FILES.spans)).subarray(range.from, range.to);
  return bytes.length > 0 && bytes.every((byte) => byte === 0);
}

function removeRuns(folder: string, meant: ReadonlySet<number>): void {
  const taken = takeFolder(folder);
  try {
    const { runs, bytes } = readRunLines(folder);
    for (const index of meant) {
      overwrite(path.join(folder, FILES.spans), runs[index]?.spans);
      overwrite(path.join(folder, FILES.logs), runs[index]?.logs);
    }
    const file = path.join(folder, FILES.runs);
    const lines = readFileSync(file).subarray(0, bytes).toString('utf8').split('\n').slice(0, -1);
    const kept = lines.filter((_, index) => !meant.has(index)).map((line) => `${line}\n`);
    writeFileSync(`${file}.new`, kept.join(''), { flush: true });
    renameSync(`${file}.new`, file);
    syncFolder(folder);
  } finally {
    taken.release();
  }
}

function overwrite(file: string, range: FileRange | undefined): void {
  if (range === undefined) return;
  const descriptor = openSync(file, 'r+');
  try {
    const zeros = Buffer.alloc(range.to - range.from);
    for (let at = 0; at < zeros.length; ) at += writeSync(descriptor, zeros, at, zeros.length - at, range.from + at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
