/**
 * Files of golden traces, found by the references of a suite: files, and folders whose YAML files are all read. They are read at
 * once, while suites are loaded; nothing of them is read later.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Mistake } from '../../model/mistake.ts';
import type { GoldenTrace } from './golden-trace.ts';
import { readGolden } from './read-golden.ts';

export interface LoadedGolden {
  readonly traces: readonly GoldenTrace[];
  readonly mistakes: readonly Mistake[];
  /** References that lead nowhere, by their place in the list, with what is wrong with each. */
  readonly unread: ReadonlyMap<number, string>;
  /** Another one whenever anything in the files is. */
  readonly fingerprint: string;
}

/** Reads what references lead to, relative to wherever it was made for. */
export type GoldenFiles = (references: readonly string[]) => LoadedGolden;

const YAML_FILE = /\.ya?ml$/;
const FILE_BYTES_MAX = 1024 * 1024;
const TRACES_MAX = 1000;

export function goldenFilesIn(directory: string, shownAs: (file: string) => string = (file) => file): GoldenFiles {
  return (references) => {
    const traces: GoldenTrace[] = [];
    const mistakes: Mistake[] = [];
    const unread = new Map<number, string>();
    const files = new Set<string>();
    references.forEach((reference, index) => {
      const found = filesOf(path.resolve(directory, reference));
      if (typeof found === 'string') unread.set(index, found);
      else for (const file of found) files.add(file);
    });
    const hash = createHash('sha256');
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      hash.update(JSON.stringify(text));
      const read = readGolden(text, shownAs(file));
      traces.push(...read.traces);
      mistakes.push(...read.mistakes);
    }
    mistakes.push(...sharedNames(traces));
    return { traces: traces.slice(0, TRACES_MAX), mistakes, unread, fingerprint: hash.digest('hex') };
  };
}

function filesOf(place: string): readonly string[] | string {
  try {
    const found = statSync(place);
    const files = found.isDirectory()
      ? readdirSync(place)
          .filter((name) => YAML_FILE.test(name))
          .sort()
          .map((name) => path.join(place, name))
      : [place];
    if (files.length === 0) return `the folder ${place} holds no YAML files`;
    const large = files.find((file) => statSync(file).size > FILE_BYTES_MAX);
    return large === undefined ? files : `${large} has more than ${FILE_BYTES_MAX} bytes`;
  } catch {
    return `there is no file ${place} that can be read`;
  }
}

/** Names that two traces share. A trace is found by its id and by its scenario, so both must be unique. */
function sharedNames(traces: readonly GoldenTrace[]): readonly Mistake[] {
  const firsts = new Map<string, GoldenTrace>();
  const mistakes: Mistake[] = [];
  const claim = (trace: GoldenTrace, key: string, what: string) => {
    const first = firsts.get(key);
    firsts.set(key, first ?? trace);
    if (first === undefined) return;
    const problem = `${what} is that of a trace in ${first.file}:${first.line ?? 1} too`;
    mistakes.push({ file: trace.file, line: trace.line, column: undefined, path: '', problem, expected: 'its own' });
  };
  for (const trace of traces) {
    claim(trace, `id ${trace.id}`, `the id '${trace.id}'`);
    if (trace.scenario !== trace.id && !trace.draft) {
      claim(trace, `scenario ${trace.scenario}`, `the scenario '${trace.scenario}'`);
    }
  }
  if (traces.length > TRACES_MAX) {
    const problem = `there are ${traces.length} golden traces`;
    const file = traces.at(-1)?.file ?? '';
    mistakes.push({ file, line: undefined, column: undefined, path: '', problem, expected: `at most ${TRACES_MAX}` });
  }
  return mistakes;
}
