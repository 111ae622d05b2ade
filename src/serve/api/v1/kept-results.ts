/**
 * Experiments that were read lately, so that a comparison, its gate and its cases read them once. An experiment that has
 * changed on disk is read again, and one whose runs were forgotten is not kept for any other question.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { ExperimentResult } from '../../../model/experiment.ts';
import { FILES, readExperiment } from '../../../store/experiment/read-experiment.ts';

const KEPT_MAX = 4;
/** Bytes of the files of runs; larger ones are read each time. */
const KEPT_BYTES_MAX = 32 << 20;

interface Kept {
  readonly result: ExperimentResult;
  readonly state: string;
  readonly bytes: number;
}

export class KeptResults {
  /** Results by folder, the one used last at the end. */
  readonly #kept = new Map<string, Kept>();

  /** Throws `ExperimentUnreadable`. */
  of(folder: string): ExperimentResult {
    const state = stateOf(folder);
    const kept = this.#kept.get(folder);
    this.#kept.delete(folder);
    const { size: bytes } = statSync(path.join(folder, FILES.runs), { throwIfNoEntry: false }) ?? { size: 0 };
    const now = kept?.state === state ? kept : { result: readExperiment(folder), state, bytes };
    if (now.bytes <= KEPT_BYTES_MAX) this.#kept.set(folder, now);
    this.#dropOldest();
    return now.result;
  }

  forgetChanged(): void {
    for (const [folder, { state }] of this.#kept) if (stateOf(folder) !== state) this.#kept.delete(folder);
  }

  #dropOldest(): void {
    const bytes = () => [...this.#kept.values()].reduce((sum, one) => sum + one.bytes, 0);
    while (this.#kept.size > KEPT_MAX || bytes() > KEPT_BYTES_MAX) {
      const [oldest] = this.#kept.keys();
      if (oldest === undefined) return;
      this.#kept.delete(oldest);
    }
  }
}

/** Another text once a file has been replaced or appended to. */
function stateOf(folder: string): string {
  const states = [FILES.experiment, FILES.runs].map((name) => {
    const stat = statSync(path.join(folder, name), { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  });
  return states.join(' | ');
}
