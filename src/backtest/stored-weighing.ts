/**
 * Weighs stored evaluations again by a changed suite, from their stored verdicts alone. No span is read. Few of a
 * million evaluations differ in what decides the result, so each kind is weighed once.
 */
import type { VerdictKind } from '../model/evaluation.ts';
import { judgeVersion } from '../score/suite/judge-version.ts';
import type { Judges } from '../score/suite/judges.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { weighAgain } from '../score/suite/weigh-again.ts';
import { type Basis, decodeBasis } from '../store/basis-codec.ts';
import type { ScannedEvaluation } from '../store/evaluation-scan.ts';
import type { WhyNotWeighed } from '../model/what-if.ts';
import { type ComparedSide, toWhose, type WhoseConversation } from './comparison.ts';
import { type WhatToAsk, whatToAsk } from './what-to-ask.ts';

/** Result of weighing; evaluations that are alike share one object. */
export interface Reweighed {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly whose: WhoseConversation;
  readonly suiteVersion: string;
}

interface Plan extends WhatToAsk {
  readonly basis: Basis | undefined;
  /** Stored verdicts; undefined if it is not known to which criteria they belong. */
  readonly verdicts: ReadonlyMap<string, VerdictKind> | undefined;
  /** Undefined if the stored verdicts and conditions hold. */
  readonly whyNot: WhyNotWeighed | undefined;
}

export class StoredWeighing {
  readonly #changed: CompiledSuite;
  readonly #known: readonly CompiledSuite[];
  readonly #judge: Judges['settings'];
  readonly #plans = new Map<string | undefined, Plan>();
  readonly #weighed = new Map<string, Reweighed | WhyNotWeighed>();

  /** `live`: the suite whose evaluations are stored, as it is configured. */
  constructor(parts: {
    readonly changed: CompiledSuite;
    readonly live: CompiledSuite | undefined;
    readonly judge: Judges['settings'];
  }) {
    const { changed, live, judge } = parts;
    this.#changed = changed;
    this.#known = live === undefined ? [changed] : [changed, live];
    this.#judge = judge;
  }

  weigh(stored: ScannedEvaluation): Reweighed | WhyNotWeighed {
    const { basis, score, outcome, ending, labels, suiteVersion } = stored;
    const key = `${basis} ${score} ${outcome} ${ending} ${suiteVersion} ${labels}`;
    let weighed = this.#weighed.get(key);
    if (weighed === undefined) {
      weighed = this.#weighOnce(stored);
      this.#weighed.set(key, weighed);
    }
    return weighed;
  }

  /** Plan of an evaluation; those of the same suite with the same verdicts share one. */
  planOf(text: string | undefined): Plan {
    let plan = this.#plans.get(text);
    if (plan === undefined) {
      plan = this.#makePlan(text === undefined ? undefined : decodeBasis(text));
      this.#plans.set(text, plan);
    }
    return plan;
  }

  #weighOnce({ basis, ending, score, outcome, labels, suiteVersion }: ScannedEvaluation): Reweighed | WhyNotWeighed {
    const plan = this.planOf(basis);
    if (plan.basis === undefined || plan.verdicts === undefined) return plan.whyNot ?? 'no_verdicts_kept';
    if (plan.whyNot !== undefined) return plan.whyNot;
    const verdicts = pick(plan.verdicts, this.#changed);
    const weighed = weighAgain(this.#changed, { verdicts, conditions: plan.basis.conditions, ending });
    if (weighed === 'needs-conversation') return 'reads_conversation';
    return {
      before: { score, outcome, verdicts: plan.verdicts },
      after: { ...weighed, verdicts },
      whose: toWhose(labels),
      suiteVersion,
    };
  }

  #makePlan(basis: Basis | undefined): Plan {
    const changed = this.#changed;
    const plan = whatToAsk(changed, basis?.definition, this.#known);
    if (basis === undefined) return { ...plan, basis, verdicts: undefined, whyNot: 'no_verdicts_kept' };
    if (plan.madeBy === undefined) return { ...plan, basis, verdicts: undefined, whyNot: 'other_version' };
    const verdicts = new Map<string, VerdictKind>();
    const criteria = new Set(plan.criteria);
    for (const [place, { name }] of plan.madeBy.criteria.entries()) {
      const given = basis.verdicts[place];
      if (given === undefined) continue;
      verdicts.set(name, given.verdict);
      const judged = changed.criteria.find((one) => one.name === name)?.judged;
      const asker = judged && this.#judge(judged.judge);
      // Another model, or another neighbour in the same call, is another question.
      if (given.judgeVersion === undefined || judged === undefined) continue;
      if (asker === undefined || asker === 'not asked') continue;
      if (judgeVersion(changed.criteria, { name, judged }, asker) !== given.judgeVersion) criteria.add(name);
    }
    const isOtherQuestion = plan.criteria.size > 0 || !plan.conditionsHold;
    const whyNot = isOtherQuestion ? 'other_question' : criteria.size > 0 ? 'other_judge' : undefined;
    return { ...plan, criteria, basis, verdicts, whyNot };
  }
}

/** In the order of the suite, and of no others. */
function pick(
  verdicts: ReadonlyMap<string, VerdictKind>,
  { criteria }: CompiledSuite,
): ReadonlyMap<string, VerdictKind> {
  return new Map(criteria.map(({ name }) => [name, verdicts.get(name) ?? 'skipped']));
}
