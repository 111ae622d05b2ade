/** Explains in sentences what the figures of validity do and do not show. */
import type { Estimate } from '../../model/estimate.ts';
import type { SuiteValidity } from '../../model/validity.ts';
import { wordsOf } from '../../model/suite-words.ts';

/** With 30 of each kind an area of 0.7 has an interval of about 0.55 to 0.82. */
const OF_EACH_MIN = 30;
const CHANCE = 0.5;

export function validityRemarks(suite: SuiteValidity): readonly string[] {
  const { limit } = wordsOf(suite.about);
  return [
    ...(limit === undefined ? [] : [limit]),
    ...labelRemarks(suite),
    ...areaRemarks(suite),
    ...leftOutRemarks(suite),
  ];
}

function labelRemarks({ good, bad }: SuiteValidity): readonly string[] {
  if (good + bad === 0) return ['no conversation with an outcome was evaluated by this suite'];
  if (good === 0 || bad === 0) {
    return [
      `all outcomes are ${bad === 0 ? 'good' : 'bad'}: nothing can be told apart until there are some of the other kind`,
    ];
  }
  if (Math.min(good, bad) >= OF_EACH_MIN) return [];
  return [`few outcomes (${good} good, ${bad} bad): the intervals are wide, ${OF_EACH_MIN} of each kind say more`];
}

function areaRemarks({ area, withinCases }: SuiteValidity): readonly string[] {
  if (area === undefined) return [];
  const pooled = sideOf(area);
  const within = withinCases === undefined ? undefined : sideOf(withinCases.area);
  return [
    POOLED[pooled],
    ...(pooled === 'above' && within === 'unclear'
      ? [
          'within a case it is not shown to: the score may know hard cases from easy ones, and not good runs from bad ones',
        ]
      : []),
    ...(pooled !== 'below' && within === 'below' ? ['within a case the score ranks backwards'] : []),
    ...(pooled !== 'above' && within === 'above' ? ['within a case the score ranks good above bad'] : []),
  ];
}

const POOLED = {
  above: 'the score ranks good above bad, more often than chance',
  below: 'the score ranks backwards: conversations with a bad outcome have the higher scores',
  unclear: 'the score is not shown to tell good from bad: the interval of the area includes 0.5',
} as const;

function sideOf({ lower, upper }: Estimate): keyof typeof POOLED {
  if (lower > CHANCE) return 'above';
  return upper < CHANCE ? 'below' : 'unclear';
}

function leftOutRemarks({ withoutScore, saidNeither }: SuiteValidity): readonly string[] {
  const unscored = withoutScore.good + withoutScore.bad;
  const neither = saidNeither.good + saidNeither.bad;
  return [
    ...(neither > 0
      ? [`${neither} said to be neither good nor bad are left out of agreement and kappa (${inKinds(saidNeither)})`]
      : []),
    ...(unscored > 0 ? [`${unscored} without a score are left out of the area (${inKinds(withoutScore)})`] : []),
  ];
}

function inKinds({ good, bad }: { readonly good: number; readonly bad: number }): string {
  return `${good} good, ${bad} bad`;
}
