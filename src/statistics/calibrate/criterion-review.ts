/**
 * Reviews criteria by their verdicts: a criterion that never varies adds no information, and one that repeats another
 * counts it twice.
 *
 * How alike two are is the phi coefficient of their verdicts where both were decided (a to d count the conversations):
 *
 *              other pass  other fail
 *      pass        a           b
 *      fail        c           d          φ = (ad − bc) / √((a + b)(c + d)(a + c)(b + d))
 *
 * 1 says that they always agree, −1 that they never do. It is undefined where one of them is always the same.
 */
import { decisionOf } from '../../model/decision.ts';
import type { VerdictKind } from '../../model/evaluation.ts';
import { shareOf } from './estimate.ts';

interface CriterionCounts {
  readonly pass: number;
  readonly fail: number;
  readonly undecided: number;
}

export type CriterionRemark =
  | {
      readonly is: 'always';
      readonly verdict: 'pass' | 'fail';
      readonly decided: number;
      readonly rarer: number;
      readonly rarerAtMost: number;
    }
  | { readonly is: 'never-decided'; readonly asked: number };

/** Fewer than these say little. */
const DECIDED_MIN = 100;
/** Share up to which the rarer verdict counts as never given. */
const RARE = 0.01;

export function reviewCriterion({ pass, fail, undecided }: CriterionCounts): CriterionRemark | undefined {
  const decided = pass + fail;
  if (decided === 0) return undecided >= DECIDED_MIN ? { is: 'never-decided', asked: undecided } : undefined;
  const rarer = Math.min(pass, fail);
  const rarerAtMost = rarerShareAtMost({ pass, fail }) ?? 1;
  if (decided < DECIDED_MIN || (rarer > 0 && rarerAtMost > RARE)) return undefined;
  return { is: 'always', verdict: pass > fail ? 'pass' : 'fail', decided, rarer, rarerAtMost };
}

/** Upper bound for the share of the rarer answer, by Wilson's interval; undefined without verdicts. */
export function rarerShareAtMost({ pass, fail }: Pick<CriterionCounts, 'pass' | 'fail'>): number | undefined {
  return shareOf(Math.min(pass, fail), pass + fail)?.upper;
}

export interface Likeness {
  readonly criterion: string;
  readonly other: string;
  readonly phi: number;
  /** Counts of the times that both were decided. */
  readonly agreed: number;
  readonly decided: number;
}

/** Each answer must occur a few times, or chance alone makes two criteria alike. */
const OF_EACH_MIN = 10;
const ALIKE = 0.95;

/** The verdicts of one suite, evaluation by evaluation. */
export class VerdictPairs {
  readonly #criteria: readonly string[];
  readonly #tables: readonly (readonly Int32Array[])[];

  constructor(criteria: readonly string[]) {
    this.#criteria = criteria;
    this.#tables = criteria.map((_, index) => criteria.slice(index + 1).map(() => new Int32Array(4)));
  }

  add(verdictOf: (criterion: string) => VerdictKind | undefined): void {
    const kinds = this.#criteria.map((criterion) => {
      const decision = decisionOf(verdictOf(criterion) ?? 'skipped');
      return decision === undefined ? undefined : decision === 'pass' ? 0 : 1;
    });
    for (const [index, tables] of this.#tables.entries()) {
      const kind = kinds[index];
      if (kind === undefined) continue;
      for (const [offset, table] of tables.entries()) {
        const other = kinds[index + 1 + offset];
        if (other === undefined) continue;
        const cell = kind * 2 + other;
        table[cell] = (table[cell] ?? 0) + 1;
      }
    }
  }

  /** Pairs with the same or opposite verdicts that vary enough for that to mean something. */
  alike(): readonly Likeness[] {
    return this.#tables.flatMap((tables, index) =>
      tables.flatMap((table, offset) => {
        const [a = 0, b = 0, c = 0, d = 0] = table;
        const criterion = this.#criteria[index] ?? '';
        const other = this.#criteria[index + 1 + offset] ?? '';
        const phi = phiOf(a, b, c, d);
        const decided = a + b + c + d;
        const ofEach = Math.min(a + b, c + d, a + c, b + d);
        if (phi === undefined || Math.abs(phi) < ALIKE || decided < DECIDED_MIN || ofEach < OF_EACH_MIN) return [];
        return [{ criterion, other, phi, agreed: a + d, decided }];
      }),
    );
  }
}

/** Undefined where one of both never varies. */
export function phiOf(a: number, b: number, c: number, d: number): number | undefined {
  const product = (a + b) * (c + d) * (a + c) * (b + d);
  return product === 0 ? undefined : (a * d - b * c) / Math.sqrt(product);
}
