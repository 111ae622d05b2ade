/** Rules of a gate: as they are written, and the single limits that follow from them for one suite. */
import type { ExperimentSuite } from '../../../model/experiment.ts';
import { COUNT_RULES, type CountRule, LIMIT_KINDS, type LimitKind } from '../../../model/gate.ts';
import { COST_EFFICIENCY_DROP, SUCCESS_DROP } from '../../../model/regression-thresholds.ts';
import type { Measure } from '../measure.ts';

export type Limits = { readonly [kind in LimitKind]?: Allowed | undefined };

/**
 * A share of the baseline is `ofBaseline`: 0.05 of it is from 0.90 to 0.855. A number is in the measure's own unit: points of a share.
 * `onCases` is in points as well, and about the cases of the dataset alone, where the others are about cases like these.
 */
export type Allowed = number | { readonly ofBaseline: number } | { readonly onCases: number };

/** Limits of figures of which more is better. */
export const GOOD_LIMITS = ['floor', 'max_drop'] as const satisfies readonly LimitKind[];
/** Limits of figures of which less is better. */
export const BAD_LIMITS = ['ceiling', 'max_rise'] as const satisfies readonly LimitKind[];

/** The rules about the suite as a whole, and what they measure. */
export const WHOLE_RULES = {
  tcr: { measure: { is: 'score' }, limits: GOOD_LIMITS },
  success_rate: { measure: { is: 'success' }, limits: GOOD_LIMITS },
  cost_per_success: { measure: { is: 'cost_per_success' }, limits: BAD_LIMITS },
  cost_efficiency: { measure: { is: 'cost_efficiency' }, limits: GOOD_LIMITS },
  steps_per_success: { measure: { is: 'steps_per_success' }, limits: BAD_LIMITS },
  tokens_per_success: { measure: { is: 'tokens_per_success' }, limits: BAD_LIMITS },
  failed_runs: { measure: { is: 'failed_runs' }, limits: BAD_LIMITS },
  unscored: { measure: { is: 'unscored' }, limits: BAD_LIMITS },
} as const satisfies Readonly<Record<string, { readonly measure: Measure; readonly limits: readonly LimitKind[] }>>;
type WholeRule = keyof typeof WHOLE_RULES;
/** The keys of an object that is written out above are its names. */
export const WHOLE_RULE_NAMES = Object.keys(WHOLE_RULES) as readonly WholeRule[];

export interface GateRules {
  readonly whole: { readonly [rule in WholeRule]?: Limits };
  /** Each criterion of the suite. */
  readonly criteria: Limits | undefined;
  /** Each critical one. */
  readonly critical: Limits | undefined;
  /** Single ones, by name. These take precedence over the rules for single criteria. */
  readonly criterion: ReadonlyMap<string, Limits>;
  /** All of `k` repeats of a case succeed. */
  readonly passHat: { readonly k: number; readonly limits: Limits } | undefined;
  /** How many cases may be so. */
  readonly counts: { readonly [rule in CountRule]?: number | undefined };
  /** No more cases may be worse than chance explains. */
  readonly worseByChance: boolean;
}

export interface GateFile {
  readonly confidence: number;
  readonly onNotEnoughEvidence: 'fail' | 'pass';
  /** Rules for every suite that is not in `suites`. */
  readonly rules: GateRules;
  readonly suites: ReadonlyMap<string, GateRules>;
  /** True without a file: then rules about figures that the agent does not report are left out. */
  readonly isDefault: boolean;
}

const NO_RULES: GateRules = {
  whole: {},
  criteria: undefined,
  critical: undefined,
  criterion: new Map(),
  passHat: undefined,
  counts: {},
  worseByChance: false,
};

/**
 * Rules that apply unless a file says otherwise; `assay gate --init` writes the same. Each has a share of the error, so an unchanged agent is seldom called a
 * regression. Without a baseline none of it can be asked.
 */
export const DEFAULT_GATE: GateFile = {
  confidence: 0.95,
  // Few teams have the hundreds of cases that a limit on a mean takes, and most changes are harmless.
  onNotEnoughEvidence: 'pass',
  rules: {
    ...NO_RULES,
    whole: {
      tcr: { max_drop: 0.05 },
      success_rate: { max_drop: { ofBaseline: SUCCESS_DROP } },
      cost_efficiency: { max_drop: COST_EFFICIENCY_DROP },
      failed_runs: { max_rise: 0.05 },
    },
    criteria: { max_drop: 0.1 },
    worseByChance: true,
  },
  suites: new Map(),
  isDefault: true,
};

/** A limit of a figure. */
export interface SingleRule {
  readonly rule: string;
  readonly measure: Measure;
  readonly limit: LimitKind;
  readonly allowed: number;
  /** True if the limit is a share of the baseline, for shares. Effort is always compared like that. */
  readonly isOfBaseline: boolean;
  /** True if the limit is about the cases of the dataset alone. */
  readonly isOnCases: boolean;
}

export interface SingleCount {
  readonly rule: CountRule;
  readonly allowed: number;
  /** True for a rule that nobody wrote: it is in the result only if it is broken. */
  readonly isImplied: boolean;
}

/** Whether `cases_worse` is decided by chance. */
export function asksByChance(file: GateFile, { name }: Pick<ExperimentSuite, 'name'>): boolean {
  return (file.suites.get(name) ?? file.rules).worseByChance;
}

export function countsOf(file: GateFile, { name }: ExperimentSuite): readonly SingleCount[] {
  const { counts } = file.suites.get(name) ?? file.rules;
  return COUNT_RULES.flatMap((rule): readonly SingleCount[] => {
    const allowed = counts[rule];
    if (allowed !== undefined) return [{ rule, allowed, isImplied: false }];
    // A candidate that leaves out the hard cases must not pass because nobody thought of forbidding it.
    return rule === 'missing_cases' ? [{ rule, allowed: 0, isImplied: true }] : [];
  });
}

export function rulesOf(file: GateFile, suite: ExperimentSuite): readonly SingleRule[] {
  const { whole, criteria, critical, criterion, passHat } = file.suites.get(suite.name) ?? file.rules;
  const single: SingleRule[] = WHOLE_RULE_NAMES.flatMap((rule) =>
    singleRules(rule, WHOLE_RULES[rule].measure, whole[rule]),
  );
  for (const { name, isCritical } of suite.criteria) {
    const limits = { ...criteria, ...(isCritical ? critical : undefined), ...criterion.get(name) };
    single.push(...singleRules(`criterion.${name}`, { is: 'criterion', name }, limits));
  }
  if (passHat !== undefined) single.push(...singleRules('pass_hat', { is: 'pass_hat', k: passHat.k }, passHat.limits));
  return single;
}

function singleRules(rule: string, measure: Measure, limits: Limits = {}): readonly SingleRule[] {
  return LIMIT_KINDS.flatMap((limit) => {
    const allowed = limits[limit];
    if (allowed === undefined) return [];
    const number = typeof allowed === 'number' ? allowed : 'onCases' in allowed ? allowed.onCases : allowed.ofBaseline;
    const is = (written: string) => typeof allowed !== 'number' && written in allowed;
    return [{ rule, measure, limit, allowed: number, isOfBaseline: is('ofBaseline'), isOnCases: is('onCases') }];
  });
}

/** Levels are asked of the candidate alone. */
export function needsBaseline(limit: LimitKind): boolean {
  return limit === 'max_drop' || limit === 'max_rise';
}
