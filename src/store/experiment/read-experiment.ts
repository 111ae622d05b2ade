/** Reads the folders of experiments, while they are written as well: what is said of their files in `experiment-folder.ts` holds here. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  type CaseRun,
  caseRunShape,
  type Experiment,
  type ExperimentResult,
  type FileRange,
} from '../../model/experiment.ts';
import { UnreadableInput } from '../../model/unreadable-input.ts';
import { compileGlob } from '../../model/glob.ts';
import { earlyEndOf } from '../../model/until-decided.ts';
import { experimentIn } from './experiment-json.ts';
import { tryParseJson } from '../../model/json.ts';

export const FILES = {
  experiment: 'experiment.json',
  runs: 'runs.jsonl',
  spans: 'spans.otlp',
  logs: 'logs.otlp',
} as const;

/** A folder or a file of it that can't be read, in words for a person. */
export class ExperimentUnreadable extends UnreadableInput {}

/** State known by now. Throws `ExperimentUnreadable`. */
export function readExperiment(folder: string): ExperimentResult {
  // In this order: an experiment that has ended has all its runs.
  const experiment = readExperimentFile(folder);
  return { experiment, runs: readRunLines(folder).runs };
}

export interface RunContent {
  /** OTLP protobuf messages, redacted. */
  readonly traces: readonly Uint8Array[];
  readonly logs: readonly Uint8Array[];
}

export interface FoundExperiment {
  readonly folder: string;
  readonly experiment: Experiment;
}

/** The oldest first. Folders that can't be read are left out and told of. */
export function experimentsIn(root: string, onUnreadable: (problem: string) => void): readonly FoundExperiment[] {
  const found: FoundExperiment[] = [];
  for (const entry of existsSync(root) ? readdirSync(root, { withFileTypes: true }) : []) {
    const folder = path.join(root, entry.name);
    if (entry.isFile() || entry.name.startsWith('.') || !existsSync(path.join(folder, FILES.experiment))) continue;
    try {
      found.push({ folder, experiment: readExperimentFile(folder) });
    } catch (error) {
      if (!(error instanceof ExperimentUnreadable)) throw error;
      onUnreadable(error.message);
    }
  }
  return found.sort((a, b) => compare(a.experiment.startedAt, b.experiment.startedAt) || compare(a.folder, b.folder));
}

/** The experiments whose name or id matches, that began before, and that ended with all of their cases. */
export function experimentsLike(root: string, glob: string, before: string): readonly ExperimentResult[] {
  const matches = compileGlob(glob);
  return experimentsIn(root, () => {})
    .filter(({ experiment }) => matches(experiment.name) || matches(experiment.id))
    .filter(
      ({ experiment }) =>
        experiment.startedAt < before && experiment.endedAt !== undefined && earlyEndOf(experiment) === undefined,
    )
    .map(({ folder }) => readExperiment(folder));
}

const LATEST = 'latest';
const NAMED_MAX = 10;

/** The folder of an experiment by its id, its name (the last one of that name), `latest`, or its path. The error says what there is. */
export function findExperiment(root: string, reference: string): string {
  const isPath = reference.includes('/') || reference.includes(path.sep);
  const known = isPath ? [] : experimentsIn(root, () => {});
  const found = experimentNamed(known, reference);
  if (found !== undefined) return found.folder;
  if (existsSync(path.join(reference, FILES.experiment))) return reference;
  if (isPath)
    throw new ExperimentUnreadable(`${reference} is not the folder of an experiment: it has no ${FILES.experiment}`);
  const newest = known.slice(-NAMED_MAX).reverse();
  const there =
    newest.length === 0
      ? `There are none in ${root}: \`assay run\` makes one.`
      : `The newest in ${root} are:\n${newest.map(({ experiment: { id, name } }) => `  ${id}  ${name}`).join('\n')}`;
  throw new ExperimentUnreadable(`no experiment has the id or name ${JSON.stringify(reference)}. ${there}`);
}

/** Finds it by its id, its name (the last one of that name), or `latest`. A reference is never taken for a path. */
export function experimentNamed(known: readonly FoundExperiment[], reference: string): FoundExperiment | undefined {
  const byId = known.find(({ experiment }) => experiment.id === reference);
  if (byId !== undefined) return byId;
  return reference === LATEST ? known.at(-1) : known.findLast(({ experiment }) => experiment.name === reference);
}

/** Runs that are kept, without reading what they say. */
export function countRuns(folder: string): number {
  const file = path.join(folder, FILES.runs);
  const content = attempt(file, () => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0)));
  let count = 0;
  for (let at = content.indexOf(NEW_LINE); at !== -1; at = content.indexOf(NEW_LINE, at + 1)) count += 1;
  return count;
}

/**
 * Spans and log records that the agent exported in a run. Throws `ExperimentUnreadable` where it is not there any more.
 */
export function readSpansOf(folder: string, run: Pick<CaseRun, 'spans' | 'logs'>): RunContent {
  return {
    traces: messagesIn(path.join(folder, FILES.spans), run.spans),
    logs: messagesIn(path.join(folder, FILES.logs), run.logs),
  };
}

export function readExperimentFile(folder: string): Experiment {
  const file = path.join(folder, FILES.experiment);
  return attempt(file, () => experimentIn(readFileSync(file, 'utf8')));
}

const NEW_LINE = 10;

/** The runs whose lines are whole, and the bytes that these are. */
export function readRunLines(folder: string): { readonly runs: readonly CaseRun[]; readonly bytes: number } {
  const file = path.join(folder, FILES.runs);
  const content = attempt(file, () => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0)));
  const runs: CaseRun[] = [];
  let from = 0;
  for (let at = content.indexOf(NEW_LINE); at !== -1; at = content.indexOf(NEW_LINE, from)) {
    const json = tryParseJson(content.toString('utf8', from, at));
    const isLast = content.indexOf(NEW_LINE, at + 1) === -1;
    if (json === undefined && isLast) break;
    const place = `${file}:${runs.length + 1}`;
    if (json === undefined) throw new ExperimentUnreadable(`${place} is no JSON: the file is damaged`);
    runs.push(attempt(place, () => caseRunShape.parse(json)));
    from = at + 1;
  }
  return { runs, bytes: from };
}

const LENGTH_BYTES = 4;

function messagesIn(file: string, range: FileRange | undefined): readonly Uint8Array[] {
  if (range === undefined) return [];
  const bytes = attempt(file, () => readRange(file, range));
  const messages: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.length - at < LENGTH_BYTES ? 0 : bytes.readUInt32BE(at);
    if (length === 0 || at + LENGTH_BYTES + length > bytes.length)
      throw new ExperimentUnreadable(`${file}: no message begins at ${range.from + at}: the file is damaged`);
    messages.push(bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length));
    at += LENGTH_BYTES + length;
  }
  return messages;
}

function readRange(file: string, { from, to }: FileRange): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(to - from);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(descriptor, bytes, at, bytes.length - at, from + at);
      if (read === 0) throw new Error(`it ends at ${from + at}, and the run's are the bytes from ${from} to ${to}`);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ExperimentUnreadable(`read ${what}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'not right'}`;
  }
  return error instanceof Error ? error.message : String(error);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
