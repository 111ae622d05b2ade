/** Parts of a suite that the main thread needs: names, questions and weights. The functions are the scoring thread's. */
import type { Certificate } from '../model/certificate.ts';
import type { About, SuiteScope } from '../model/evaluation.ts';
import { isShadowKey, keyOfSuite } from '../model/suite-key.ts';
import type { Need } from '../score/subject/needs.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { Weighing, Weight } from '../score/subject/weigh.ts';

interface CriterionOutline extends Weight {
  readonly question: string;
  readonly about: About;
  /** A model answers. */
  readonly isJudged: boolean;
  readonly needs: readonly Need[];
  readonly certificate?: Certificate;
}

export interface SuiteOutline extends Weighing {
  /** See `suiteKey`: that of one in shadow is not that of the live one. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly scope: SuiteScope;
  /** The most that its criteria are about. */
  readonly about: About;
  readonly criteria: readonly CriterionOutline[];
  readonly totalWeight: number;
  /** A criterion of it reads the truth of a task. */
  readonly readsTaskTruth: boolean;
  /** Keys of the truth that it reads by expressions or code. */
  readonly truthKeys: ReadonlySet<string>;
  /** Approved golden traces that it compares conversations with. */
  readonly goldenTraces: number;
}

/** Parts of a suite that can be sent from one thread to another. */
export function outlineOf(suite: CompiledSuite): SuiteOutline {
  const { name, shadow, version, description, scope, about, criteria } = suite;
  const { totalWeight, minDecided, hardFailureScores, whenBroken, truthKeys } = suite;
  return {
    name: keyOfSuite({ name, shadow }),
    version,
    description,
    scope,
    about,
    criteria: criteria.map(({ name: criterion, question, about: subject, judged, needs, ...weight }) => ({
      name: criterion,
      question,
      about: subject,
      isJudged: judged !== undefined,
      needs,
      ...certified(suite, criterion),
      weight: weight.weight,
      whenNotApplicable: weight.whenNotApplicable,
      capsAt: weight.capsAt,
    })),
    totalWeight,
    readsTaskTruth: readsTaskTruth(suite),
    truthKeys,
    goldenTraces: suite.golden?.traces.length ?? 0,
    minDecided,
    hardFailureScores,
    whenBroken,
  };
}

function certified({ certificates }: CompiledSuite, criterion: string): Pick<CriterionOutline, 'certificate'> {
  const certificate = certificates?.of.get(criterion);
  return certificate === undefined ? {} : { certificate };
}

export function goldenIdsOf({ golden }: Pick<CompiledSuite, 'golden'>): readonly string[] {
  return golden?.traces.map(({ id }) => id) ?? [];
}

export function isLive({ name }: SuiteOutline): boolean {
  return !isShadowKey(name);
}

/** For mistakes of a truth: they are mistakes only where a suite reads it as that of a task. */
export function readsTaskTruth({ criteria }: Pick<CompiledSuite, 'criteria'>): boolean {
  return criteria.some((criterion) => criterion.readsTaskTruth);
}
