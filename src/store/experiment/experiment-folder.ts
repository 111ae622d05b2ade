/**
 * The folder of one experiment, as it is written:
 *
 *   experiment.json   what was tried on what; replaced as a whole
 *   runs.jsonl        a line for each run that ended
 *   spans.otlp        what the agent exported, as OTLP protobuf messages, each with its length before it in four bytes, big-endian
 *   logs.otlp         the same of log records
 *   lock, writer.json who writes
 *
 * Nothing in it says where it lies, so it can be carried elsewhere. A run is known when its line is there, down to the
 * end of the line; its spans and log records are on disk before. A crash may leave the following, which is handled when
 * the folder is opened to go on:
 *
 *   spans or log records, whole or half   and no line: cut; the run is made again
 *   a line without its end                cut, and its spans with it; the run is made again
 *   a last line that is no JSON           a disk that wrote its end first: as above. An earlier one is damage, and is said
 *   experiment.json.new                   not yet put in its place: removed, and the old one counts
 *   .new-… beside the folders             an experiment that never began: nobody reads it
 *   the lock                              the system let go of it
 *
 * Where a disk is full in the middle of a run, what was written of it is cut at once: the folder is as before, and the
 * run can be appended again.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type CaseRun, caseRunShape, type Experiment, type FileRange } from '../../model/experiment.ts';
import { experimentText } from './experiment-json.ts';
import { FILES, readExperimentFile, readRunLines, type RunContent } from './read-experiment.ts';
import { takeFolder, type TakenFolder } from './taken-folder.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const LENGTH_BYTES = 4;

/** Throws where it is there already. */
export function createExperiment(root: string, experiment: Experiment): ExperimentFolder {
  if (!ID.test(experiment.id)) throw new Error(`an experiment can't have the id ${JSON.stringify(experiment.id)}`);
  mkdirSync(root, { recursive: true });
  const folder = path.join(root, experiment.id);
  const made = mkdtempSync(path.join(root, '.new-'));
  try {
    for (const name of [FILES.runs, FILES.spans, FILES.logs]) writeSynced(path.join(made, name), '');
    writeSynced(path.join(made, FILES.experiment), experimentText(experiment));
    syncFolder(made);
    // Onto a folder that has something in it, this fails.
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw new Error(`make the folder of an experiment, ${folder}`, { cause: error });
  }
  syncFolder(root);
  return resumeExperiment(folder);
}

/** Opens it to go on where it ended. Throws where somebody else writes it, or where it is damaged. */
export function resumeExperiment(folder: string): ExperimentFolder {
  // Before anything is written into a folder that is none of ours.
  readExperimentFile(folder);
  const taken = takeFolder(folder);
  try {
    rmSync(path.join(folder, `${FILES.experiment}.new`), { force: true });
    return new ExperimentFolder(folder, taken, readExperimentFile(folder));
  } catch (error) {
    taken.release();
    throw error;
  }
}

export class ExperimentFolder {
  readonly folder: string;
  readonly #taken: TakenFolder;
  readonly #runs: CaseRun[];
  readonly #known: Set<string>;
  readonly #lines: AppendedFile;
  readonly #spans: AppendedFile;
  readonly #logs: AppendedFile;
  #experiment: Experiment;

  /** For `resumeExperiment`. */
  constructor(folder: string, taken: TakenFolder, experiment: Experiment) {
    this.folder = folder;
    this.#taken = taken;
    this.#experiment = experiment;
    const { runs, bytes } = readRunLines(folder);
    this.#runs = [...runs];
    this.#known = new Set(runs.map(keyOf));
    const opened: AppendedFile[] = [];
    const open = (name: string, end: number) => {
      const file = new AppendedFile(path.join(folder, name), end);
      opened.push(file);
      return file;
    };
    try {
      this.#spans = open(FILES.spans, Math.max(0, ...runs.map(({ spans }) => spans?.to ?? 0)));
      this.#logs = open(FILES.logs, Math.max(0, ...runs.map(({ logs }) => logs?.to ?? 0)));
      this.#lines = open(FILES.runs, bytes);
    } catch (error) {
      for (const file of opened) file.close();
      throw error;
    }
  }

  get experiment(): Experiment {
    return this.#experiment;
  }

  /** Runs known so far. */
  get runs(): readonly CaseRun[] {
    return this.#runs;
  }

  update(changed: Partial<Experiment>): void {
    const experiment = { ...this.#experiment, ...changed };
    const file = path.join(this.folder, FILES.experiment);
    writeSynced(`${file}.new`, experimentText(experiment));
    renameSync(`${file}.new`, file);
    syncFolder(this.folder);
    this.#experiment = experiment;
  }

  /** The run is durable when this returns; where it throws, it is as if it had not been called. */
  append(run: Omit<CaseRun, 'spans' | 'logs'>, content: RunContent): CaseRun {
    const key = keyOf(run);
    if (this.#known.has(key)) throw new Error(`repeat ${run.repeat} of case ${run.case} is in ${this.folder} already`);
    // The line is cut first: it must not name spans that are not there.
    const files = [this.#lines, this.#logs, this.#spans];
    const ends = files.map(({ end }) => end);
    try {
      const spans = this.#spans.append(framed(content.traces));
      const logs = this.#logs.append(framed(content.logs));
      const whole: CaseRun = { ...run, spans, logs };
      this.#lines.append(Buffer.from(`${JSON.stringify(z.encode(caseRunShape, whole))}\n`));
      this.#runs.push(whole);
      this.#known.add(key);
      return whole;
    } catch (error) {
      for (const [index, file] of files.entries()) file.cutTo(ends[index] ?? 0);
      throw new Error(`write the run of case ${run.case} to ${this.folder}`, { cause: error });
    }
  }

  close(): void {
    for (const file of [this.#spans, this.#logs, this.#lines]) file.close();
    this.#taken.release();
  }
}

/** A file whose content up to its end is durable; what is behind it is not meant to be there. */
class AppendedFile {
  readonly #descriptor: number;
  #end: number;
  #isRagged = false;
  #isOpen = true;

  constructor(name: string, end: number) {
    // May be missing if nothing is known of it.
    this.#descriptor = openSync(name, end === 0 ? 'a+' : 'r+');
    closeSync(this.#descriptor);
    this.#descriptor = openSync(name, 'r+');
    this.#end = end;
    try {
      const { size } = fstatSync(this.#descriptor);
      if (size < end)
        throw new Error(`${name} ends at ${size}, and its runs have ${end} bytes in it: it can't be gone on with`);
      if (size > end) this.#cut();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get end(): number {
    return this.#end;
  }

  append(bytes: Uint8Array): FileRange | undefined {
    if (this.#isRagged) this.#cut();
    if (bytes.length === 0) return undefined;
    const from = this.#end;
    // Until it is known to be on disk.
    this.#isRagged = true;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, from + at);
    fsyncSync(this.#descriptor);
    this.#isRagged = false;
    this.#end = from + bytes.length;
    return { from, to: this.#end };
  }

  /** Where a disk does not even do this, it is done before the next bytes are written. */
  cutTo(end: number): void {
    this.#isRagged ||= end < this.#end;
    this.#end = end;
    if (!this.#isRagged) return;
    try {
      this.#cut();
    } catch {
      // Still ragged; whoever opens the file next cuts it as well.
    }
  }

  #cut(): void {
    ftruncateSync(this.#descriptor, this.#end);
    fsyncSync(this.#descriptor);
    this.#isRagged = false;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}

function framed(messages: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    messages
      .filter(({ length }) => length > 0)
      .flatMap((message) => {
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt32BE(message.length);
        return [length, message];
      }),
  );
}

function keyOf(run: Pick<CaseRun, 'case' | 'repeat'>): string {
  return JSON.stringify([run.case, run.repeat]);
}

function writeSynced(name: string, text: string): void {
  writeFileSync(name, text, { flush: true });
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
