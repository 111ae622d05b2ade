/** A store of conversations that were scored by suites, for tests of later analysis. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Evaluation } from '../../src/model/evaluation.ts';
import { formatMistakes } from '../../src/model/mistake.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { BUILTIN, LogDriver } from '../engine/log-driver.ts';

export const CONVERSATIONS = 60;

const directories: string[] = [];
let files = 0;

/** A temporary folder that is shared by a whole test file. */
function directoryOfFile(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
  directories.push(directory);
  return directory;
}

export function removeDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}

export async function suiteOf(text: string, as: 'suites' | 'shadows' = 'suites'): Promise<CompiledSuite> {
  const directory = directoryOfFile();
  files += 1;
  const name = `suite-${files}.yaml`;
  writeFileSync(path.join(directory, name), text);
  const options = { baseDir: directory, builtinDir: BUILTIN };
  const loaded = await (as === 'suites'
    ? loadSuites([name], options)
    : loadSuites([], { ...options, shadows: [name] }));
  const [suite] = loaded[as];
  if (suite === undefined) throw new Error(formatMistakes(loaded.mistakes));
  return suite;
}

export interface Recorded {
  readonly directory: string;
  readonly evaluations: readonly Evaluation[];
  readonly totals: readonly unknown[];
  readonly reader: StoreReader;
}

/** The same conversations each time. */
export function record(suites: readonly CompiledSuite[], conversations: number = CONVERSATIONS): Recorded {
  const directory = directoryOfFile();
  const driver = new LogDriver({ directory, suites });
  let at = Date.UTC(2026, 10, 20);
  for (const { turns, agentVersion } of traffic({ seed: 5, conversations, turnsMax: 3 })) {
    for (const turn of turns) driver.take({ at, request: exportRequest(turn, agentVersion) });
    at += 60_000;
    driver.advance(at);
  }
  const { evaluations, totals } = driver.finish();
  return { directory, evaluations, totals, reader: StoreReader.open(path.join(directory, 'store.db')) };
}
