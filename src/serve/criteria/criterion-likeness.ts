/**
 * Which criteria say what another one says, by the newest evaluations of the store, looked at now and then: what the gauge of it shows.
 * `assay validate --store` tells the same with more words.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { VerdictPairs } from '../../calibrate/criterion-review.ts';
import { decodeBasis } from '../../store/basis-codec.ts';
import type { EvaluationScanner } from '../../store/evaluation-scan.ts';
import { isLive, type SuiteOutline } from '../../engine/suite-outline.ts';
import { Stoppable } from '../../model/stoppable.ts';

interface LikenessParts {
  /** Undefined while there is no store to be read. */
  readonly reader: () => Pick<EvaluationScanner, 'scanEvaluations'> | undefined;
  readonly suites: () => readonly SuiteOutline[];
  readonly onProblem: (problem: string) => void;
}

interface ShownLikeness {
  readonly suite: string;
  readonly criterion: string;
  readonly other: string;
  /** 1 where they always agree, −1 where they never do. */
  readonly phi: number;
}

const EVERY_MS = 600_000;
/** Read within some tens of milliseconds, on the thread that answers clients. */
const EVALUATIONS_MAX = 2_000;
const PAIRS_MAX = 100;

export class CriterionLikeness {
  readonly #parts: LikenessParts;
  readonly #loop = new Stoppable((signal) => this.#run(signal));
  #shown: readonly ShownLikeness[] = [];

  constructor(parts: LikenessParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Only the pairs that are alike. */
  all(): readonly ShownLikeness[] {
    return this.#shown;
  }

  /** Never rejects. */
  async refresh(): Promise<void> {
    const reader = this.#parts.reader();
    if (reader === undefined) return;
    try {
      const shown: ShownLikeness[] = [];
      for (const suite of this.#parts.suites().filter(isLive)) shown.push(...(await likenessIn(reader, suite)));
      this.#shown = shown.slice(0, PAIRS_MAX);
    } catch (error) {
      // The last known figures stay.
      this.#parts.onProblem(error instanceof Error ? error.message : String(error));
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh();
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

async function likenessIn(
  reader: Pick<EvaluationScanner, 'scanEvaluations'>,
  { name: suite, version, criteria }: SuiteOutline,
): Promise<readonly ShownLikeness[]> {
  const names = criteria.map(({ name }) => name);
  const pairs = new VerdictPairs(names);
  for await (const page of reader.scanEvaluations({ suiteKey: suite, limit: EVALUATIONS_MAX })) {
    for (const { suiteVersion, basis } of page) {
      // Another version asks other questions, and rows from before this was kept say nothing.
      if (basis === undefined || suiteVersion !== version) continue;
      const { verdicts } = decodeBasis(basis);
      // A suite that was changed without a new version.
      if (verdicts.length !== names.length) continue;
      const kinds = new Map(names.map((name, place) => [name, verdicts[place]?.verdict] as const));
      pairs.add((criterion) => kinds.get(criterion));
    }
  }
  return pairs.alike().map(({ criterion, other, phi }) => ({ suite, criterion, other, phi }));
}
