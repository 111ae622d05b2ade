/**
 * Works out which criteria of a suite say what another one says, from the evaluations of the newest conversations. A
 * limited number of conversations is read, whatever the store holds and however few evaluations a suite has among them.
 */
import { VerdictPairs } from '../../statistics/calibrate/criterion-review.ts';
import { isLive, type SuiteOutline } from '../../engine/suite-outline.ts';
import { decodeBasis } from '../../store/basis-codec.ts';
import type { EvaluationScanner } from '../../store/evaluation-scan.ts';
import type { ShownLikeness } from './criterion-likeness.ts';

const CONVERSATIONS_MAX = 10_000;
/** Evaluations of each suite. */
const EVALUATIONS_MAX = 2_000;
const PAIRS_MAX = 100;

export async function likenessOf(
  reader: Pick<EvaluationScanner, 'latestBases'>,
  suites: readonly SuiteOutline[],
): Promise<readonly ShownLikeness[]> {
  const counted = new Map(suites.filter(isLive).map((suite) => [suite.name, new SuiteLikeness(suite)]));
  for await (const page of reader.latestBases(CONVERSATIONS_MAX)) {
    for (const { suiteKey, suiteVersion, basis } of page) counted.get(suiteKey)?.add(suiteVersion, basis);
    if ([...counted.values()].every(({ read }) => read >= EVALUATIONS_MAX)) break;
  }
  return [...counted.values()].flatMap((suite) => suite.alike()).slice(0, PAIRS_MAX);
}

class SuiteLikeness {
  read = 0;
  readonly #suite: SuiteOutline;
  readonly #names: readonly string[];
  readonly #pairs: VerdictPairs;

  constructor(suite: SuiteOutline) {
    this.#suite = suite;
    this.#names = suite.criteria.map(({ name }) => name);
    this.#pairs = new VerdictPairs(this.#names);
  }

  add(suiteVersion: string, basis: string | undefined): void {
    if (this.read >= EVALUATIONS_MAX) return;
    this.read += 1;
    // Another version asks other questions, and older rows lack this column.
    if (basis === undefined || suiteVersion !== this.#suite.version) return;
    const { verdicts } = decodeBasis(basis);
    // A suite that was changed without a new version.
    if (verdicts.length !== this.#names.length) return;
    const kinds = new Map(this.#names.map((name, place) => [name, verdicts[place]?.verdict] as const));
    this.#pairs.add((criterion) => kinds.get(criterion));
  }

  alike(): readonly ShownLikeness[] {
    const { name: suite } = this.#suite;
    return this.#pairs.alike().map(({ criterion, other, phi }) => ({ suite, criterion, other, phi }));
  }
}
