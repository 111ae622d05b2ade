/**
 * Counts what a suite in shadow says beside the live one of its name. Both may wait for judges, so whichever is
 * complete last finds the other in the store, and the two are compared then: once, in the transaction of that
 * evaluation. Later revisions are not counted.
 */
import { type Evaluation, OUTCOMES } from '../model/evaluation.ts';
import { suiteKey } from '../model/suite-key.ts';
import { SHADOW_METRICS } from '../report/metrics/shadow-metrics.ts';
import type { EngineStore } from '../store/engine-store.ts';

type Series = { add(amount: number): void };

export class ShadowComparison {
  readonly #store: Pick<EngineStore, 'totals' | 'evaluations'>;
  readonly #totals = new Map<string, ShadowTotals>();

  constructor(store: Pick<EngineStore, 'totals' | 'evaluations'>) {
    this.#store = store;
  }

  /** The first complete evaluation of its suite for this conversation or turn, live or in shadow. It is in the store. */
  count(evaluation: Evaluation, conversation: number): void {
    const { suite, turnId } = evaluation;
    const key = { conversation, suite: suiteKey({ suite, shadow: evaluation.shadow ? undefined : true }), turnId };
    if (evaluation.shadow) this.#totalsOf(evaluation).evaluated(evaluation);
    const other = this.#store.evaluations.previous(key);
    if (other === undefined) return;
    const [live, shadow] = evaluation.shadow ? [other, evaluation] : [evaluation, other];
    const totals = this.#totalsOf({
      suite,
      suiteVersion: evaluation.shadow ? evaluation.suiteVersion : other.suiteVersion,
    });
    totals.compared(live, shadow);
    const { verdicts } = other.said();
    for (const [criterion, { verdict }] of evaluation.verdicts) {
      const beside = verdicts.get(criterion);
      if (beside !== undefined) totals.verdict(criterion, beside.verdict !== verdict);
    }
  }

  #totalsOf({ suite, suiteVersion: version }: Pick<Evaluation, 'suite' | 'suiteVersion'>): ShadowTotals {
    const key = `${suite}@${version}`;
    let totals = this.#totals.get(key);
    if (totals === undefined) {
      totals = new ShadowTotals(this.#store.totals, { suite, version });
      this.#totals.set(key, totals);
    }
    return totals;
  }
}

/** All series but those of criteria exist at zero from the first evaluation on. */
class ShadowTotals {
  readonly #totals: EngineStore['totals'];
  readonly #labels: { readonly suite: string; readonly version: string };
  readonly #outcomes: ReadonlyMap<string, Series>;
  readonly #compared: ReadonlyMap<string, Series>;
  readonly #up: Series;
  readonly #down: Series;
  readonly #criteria = new Map<string, Series>();

  constructor(totals: EngineStore['totals'], labels: { readonly suite: string; readonly version: string }) {
    this.#totals = totals;
    this.#labels = labels;
    const { evaluations, compared, scoreUp, scoreDown } = SHADOW_METRICS;
    this.#outcomes = new Map(
      OUTCOMES.map((outcome) => [outcome, totals.series(evaluations.name, { ...labels, outcome })]),
    );
    this.#compared = new Map(
      OUTCOMES.flatMap((from) =>
        OUTCOMES.map((to) => [`${from} ${to}`, totals.series(compared.name, { ...labels, from, to })] as const),
      ),
    );
    this.#up = totals.series(scoreUp.name, labels);
    this.#down = totals.series(scoreDown.name, labels);
  }

  evaluated({ outcome }: Evaluation): void {
    this.#outcomes.get(outcome)?.add(1);
  }

  compared(live: Pick<Evaluation, 'score' | 'outcome'>, shadow: Pick<Evaluation, 'score' | 'outcome'>): void {
    this.#compared.get(`${live.outcome} ${shadow.outcome}`)?.add(1);
    if (live.score === undefined || shadow.score === undefined) return;
    const gain = shadow.score - live.score;
    if (gain > 0) this.#up.add(gain);
    if (gain < 0) this.#down.add(-gain);
  }

  verdict(criterion: string, differs: boolean): void {
    let series = this.#criteria.get(criterion);
    if (series === undefined) {
      series = this.#totals.series(SHADOW_METRICS.verdictsDiffering.name, { ...this.#labels, criterion });
      this.#criteria.set(criterion, series);
    }
    series.add(differs ? 1 : 0);
  }
}
