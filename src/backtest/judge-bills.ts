/**
 * Computes the cost of asking judges: each question without a stored answer counts once, however many conversations
 * would wait for it.
 */
import type { JudgeBill } from '../model/backtest.ts';
import type { Judge } from '../ask/judge.ts';
import { nanosOf } from '../model/price.ts';
import type { JudgeRequest } from '../model/judging.ts';

interface Sum {
  questions: number;
  calls: number;
  inputTokens: number;
  nanosLeast: number;
  nanosMost: number;
}

type PricedJudge = Pick<Judge, 'name' | 'votes' | 'maxOutputTokens' | 'prices'>;
const BILLION = 1e9;

export class JudgeBills {
  readonly #judges: ReadonlyMap<string, PricedJudge>;
  readonly #seen = new Set<string>();
  readonly #sums = new Map<string, Sum>();

  constructor(judges: readonly PricedJudge[]) {
    this.#judges = new Map(judges.map((judge) => [judge.name, judge]));
  }

  add({ key, judge: name, inputTokens }: JudgeRequest): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const judge = this.#judges.get(name);
    if (judge === undefined) return;
    const { votes, prices, maxOutputTokens } = judge;
    const sum = this.#sums.get(name) ?? { questions: 0, calls: 0, inputTokens: 0, nanosLeast: 0, nanosMost: 0 };
    sum.questions += 1;
    sum.calls += votes;
    sum.inputTokens += votes * inputTokens;
    sum.nanosLeast += votes * nanosOf({ inputTokens, outputTokens: 0 }, prices);
    sum.nanosMost += votes * nanosOf({ inputTokens, outputTokens: maxOutputTokens }, prices);
    this.#sums.set(name, sum);
  }

  all(): readonly JudgeBill[] {
    return [...this.#sums].map(([judge, { nanosLeast, nanosMost, ...sum }]) => ({
      judge,
      ...sum,
      costLeast: nanosLeast / BILLION,
      costMost: nanosMost / BILLION,
    }));
  }
}
