/**
 * npm run bench -- dialects [--json]
 *
 * The cost of understanding real spans, by framework: normalizing, building turns, and reading the fields that most
 * criteria use (question, answer, tool calls with arguments and results, errors, tokens), compared with protobufjs
 * decoding the same bytes.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { buildTurns } from '../src/assemble/build-turns.ts';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { normalize, type TraceSource } from '../src/normalize/normalize.ts';
import { readRecording } from '../src/offline/recording.ts';
import { tracesIn } from '../src/engine/recorded/understand-recording.ts';
import { referenceDecoder } from './reference-decoder.ts';
import type { BenchRow } from './row.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../test/fixtures');

export interface DialectsBenchOptions {
  /** The number of frameworks, the first by name; all if undefined. */
  readonly frameworks?: number;
  readonly rounds: number;
}

export async function benchDialects(options: DialectsBenchOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const decode = referenceDecoder();
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  let sink = 0;
  for (const folder of frameworkFolders().slice(0, options.frameworks)) {
    const sources = await sourcesOf(folder);
    const spans = sources.reduce((count, { traces }) => count + indexTraces(traces).spanCount, 0);
    const bytes = sources.reduce((sum, { traces }) => sum + traces.length, 0);
    let [ours, reference] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // Alternating, so that a disturbance of the machine affects both; the best of each counts.
    for (let round = 0; round < options.rounds; round += 1) {
      ours = Math.min(
        ours,
        secondsFor(() => {
          for (const source of sources) sink += understand(source);
        }),
      );
      reference = Math.min(
        reference,
        secondsFor(() => {
          for (const { traces } of sources) sink += decode(traces) === undefined ? 1 : 0;
        }),
      );
    }
    const name = path.basename(folder);
    const micros = (seconds: number) => Math.round((seconds / spans) * 1e7) / 10;
    rows.push({
      name: `${name}: µs a span understood (reference: protobufjs decodes it)`,
      ours: micros(ours),
      reference: micros(reference),
      ratio: Math.round((reference / ours) * 1000) / 1000,
    });
    notes.push(`${name}: ${spans} spans, ${Math.round(bytes / spans)} bytes each`);
  }
  return { rows, notes: [...notes, `sink ${sink}`] };
}

function frameworkFolders(): readonly string[] {
  return ['recorded', 'captured'].flatMap((kind) =>
    readdirSync(path.join(FIXTURES, kind))
      .filter((name) => name.includes('@'))
      .map((name) => path.join(FIXTURES, kind, name)),
  );
}

async function sourcesOf(folder: string): Promise<readonly TraceSource[]> {
  const sources: TraceSource[] = [];
  for (const file of readdirSync(folder)) {
    if (file.endsWith('.expected.json') || file.endsWith('.logs.json')) continue;
    const logs = `${file.slice(0, -'.json'.length)}.logs.json`;
    const files = readdirSync(folder).includes(logs) ? [file, logs] : [file];
    for await (const source of tracesIn(readAll(files.map((name) => path.join(folder, name))))) sources.push(source);
  }
  return sources;
}

async function* readAll(files: readonly string[]) {
  for (const file of files) yield* readRecording(file);
}

function understand(source: TraceSource): number {
  let read = 0;
  for (const turn of buildTurns(normalize(source))) {
    read += turn.userInput.text.length + turn.finalAnswer.text.length + turn.flags.length;
    read += (turn.usage?.inputTokens ?? 0) + (turn.error === undefined ? 0 : 1);
    for (const { args, result, error } of turn.toolCalls) {
      read += args.json === null ? 0 : 1;
      read += result.json === null ? 0 : 1;
      read += error === undefined ? 0 : 1;
    }
  }
  return read;
}

function secondsFor(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}
