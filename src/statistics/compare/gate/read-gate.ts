/**
 * The file of a release gate:
 *
 *     confidence: 0.95
 *     on_not_enough_evidence: fail          # or pass
 *     rules:                                # for every suite, or under `suites: { scheduling: … }`
 *       tcr: { floor: 0.8, max_drop: 5 points }
 *       success_rate: { max_drop: 5 points on these cases } # and no others; without the words: on cases like these
 *       cost_per_success: { max_rise: 10% } # of the baseline; also `tcr: { max_drop: 5% of baseline }`
 *       criteria: { max_drop: 10 points }   # each of them
 *       critical: { floor: 0.95 }           # each critical one
 *       criterion: { correct_time: { floor: 0.9 } }
 *       pass_hat: { k: 3, floor: 0.7 }
 *       cases_worse: by chance              # no more than chance explains; or a number of cases
 *       newly_hard_failing: 0               # cases; also newly_critical, critical_failures, missing_cases
 *
 * All mistakes are found at once, each with its line.
 */
import { z } from 'zod';
import { didYouMean } from '../../../model/did-you-mean.ts';
import type { ExperimentSuite } from '../../../model/experiment.ts';
import { BY_CHANCE, COUNT_RULES, type LimitKind } from '../../../model/gate.ts';
import type { Mistake } from '../../../model/mistake.ts';
import { shapeMistakes } from '../../../model/shape-mistakes.ts';
import { formatPath, type Path, readWrittenDocument, type WrittenDocument } from '../../../model/written-document.ts';
import {
  type Allowed,
  BAD_LIMITS,
  DEFAULT_GATE,
  type GateFile,
  type GateRules,
  GOOD_LIMITS,
  type Limits,
  WHOLE_RULE_NAMES,
  WHOLE_RULES,
} from './gate-rules.ts';

/** `5%` is 0.05. */
const amount = z.preprocess(
  (written) => (typeof written === 'string' && /^\d+(\.\d+)?\s*%$/.test(written) ? parseFloat(written) / 100 : written),
  z.number('a number, or a share such as 5%').min(0, 'a number that is not negative'),
);
/** Effort has no points: a percentage is one of the baseline, whether that is written or not. */
const moveOfSpending = z.preprocess(
  (written) => (typeof written === 'string' ? written.replace(/\s+of\s+(the\s+)?baseline$/, '') : written),
  amount,
);
const share = amount.refine((value) => value <= 1, 'a share from 0 to 1, or 0% to 100%');

/**
 * How far a share may move, in points: 0.90 to 0.85 is 5 points. A bare `5%` is refused, because it is read as points by some and as a share of the baseline by
 * others, and a gate must not be read in two ways.
 */
const ofBaseline = /^(\d+(?:\.\d+)?)\s*%\s+of\s+(?:the\s+)?baseline$/;
const move = z.preprocess(
  (written) => {
    const [, percent] = typeof written === 'string' ? (ofBaseline.exec(written) ?? []) : [];
    if (percent !== undefined) return { ofBaseline: Number(percent) / 100 };
    const [, number, unit, onCases] =
      typeof written === 'string'
        ? (/^(\d+(?:\.\d+)?)\s*(points?|pp|%)(\s+on\s+these\s+cases)?$/.exec(written) ?? [])
        : [];
    if (number === undefined || (unit === '%' && Number(number) !== 0)) return written;
    return onCases === undefined ? Number(number) / 100 : { onCases: Number(number) / 100 };
  },
  z.custom<Allowed>(
    isMove,
    '`5 points` (0.90 to 0.85), 0.05, or `5% of baseline` (0.90 to 0.855); `5 points on these cases` too. A bare percentage is read in both ways; here it meant points',
  ),
);

const NUMBER_OF_CASES = 'a number of cases, such as 0 or 3';
const cases = z.custom<number>(isNumberOfCases, NUMBER_OF_CASES).optional();
const casesOrByChance = z
  .custom<number | typeof BY_CHANCE>(
    (value) => value === BY_CHANCE || isNumberOfCases(value),
    `${NUMBER_OF_CASES}, or \`${BY_CHANCE}\` for as many as chance explains`,
  )
  .optional();

const good = { floor: share.optional(), max_drop: move.optional() };
const goodLimits = limits(good);
/** Levels of cost and steps are no shares. */
const perSuccess = limits({ ceiling: amount.optional(), max_rise: moveOfSpending.optional() });
/** At most all of it can be lost. */
const efficiency = limits({
  floor: amount.optional(),
  max_drop: moveOfSpending.refine((value) => value <= 1, 'a share from 0 to 1, or 0% to 100%').optional(),
});
const badShare = limits({ ceiling: share.optional(), max_rise: move.optional() });

const RULES = {
  tcr: goodLimits.optional(),
  success_rate: goodLimits.optional(),
  cost_per_success: perSuccess.optional(),
  cost_efficiency: efficiency.optional(),
  steps_per_success: perSuccess.optional(),
  tokens_per_success: perSuccess.optional(),
  failed_runs: badShare.optional(),
  unscored: badShare.optional(),
  criteria: goodLimits.optional(),
  critical: goodLimits.optional(),
  criterion: z.record(z.string(), goodLimits).optional(),
  pass_hat: limits({
    k: z.int().min(1, 'a whole number from 1').max(100, 'a whole number up to 100'),
    ...good,
  }).optional(),
  newly_hard_failing: cases,
  newly_critical: cases,
  critical_failures: cases,
  cases_worse: casesOrByChance,
  missing_cases: cases,
};
const rulesShape = z
  .strictObject(RULES)
  .refine((rules) => Object.values(rules).some((rule) => rule !== undefined), 'at least one rule');
const CONFIDENCE = 'a number from 0.5 to 0.999, such as 0.95';
const FILE = {
  confidence: z.number().min(0.5, CONFIDENCE).max(0.999, CONFIDENCE).optional(),
  on_not_enough_evidence: z.enum(['fail', 'pass']).optional(),
  rules: rulesShape.optional(),
  suites: z.record(z.string(), rulesShape).optional(),
};
const fileShape = z
  .strictObject(FILE)
  .refine(({ rules, suites }) => rules !== undefined || suites !== undefined, 'rules, or suites with rules');
type WrittenRules = z.output<typeof rulesShape>;

export interface ReadGate {
  /** Undefined where there are mistakes. */
  readonly gate: GateFile | undefined;
  readonly mistakes: readonly Mistake[];
}

/** `suites` are those of the candidate: what is said of others would never be asked. */
export function readGate(text: string, file: string, suites: readonly ExperimentSuite[]): ReadGate {
  const document = readWrittenDocument(text, file);
  if (document.mistakes.length > 0) return { gate: undefined, mistakes: document.mistakes };
  const shape = fileShape.safeParse(document.value);
  if (!shape.success)
    return { gate: undefined, mistakes: shapeMistakes(shape.error, document, document.value, knownKeys) };
  const { confidence, on_not_enough_evidence: onNotEnoughEvidence, rules, suites: bySuite = {} } = shape.data;
  const mistakes = strangers(document, suites, rules, bySuite);
  if (mistakes.length > 0) return { gate: undefined, mistakes };
  return {
    mistakes: [],
    gate: {
      confidence: confidence ?? DEFAULT_GATE.confidence,
      onNotEnoughEvidence: onNotEnoughEvidence ?? DEFAULT_GATE.onNotEnoughEvidence,
      rules: gateRules(rules ?? {}),
      suites: new Map(Object.entries(bySuite).map(([suite, written]) => [suite, gateRules(written)])),
      isDefault: false,
    },
  };
}

function isNumberOfCases(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isMove(value: unknown): boolean {
  const [share = value] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return typeof share === 'number' && share >= 0 && share <= 1;
}

function limits<Shape extends z.ZodRawShape>(shape: Shape) {
  const asked = Object.keys(shape).filter((key) => key !== 'k');
  return z
    .strictObject(shape)
    .refine((written) => asked.some((key) => Reflect.get(written, key) !== undefined), `${asked.join(' or ')}`);
}

function gateRules(written: WrittenRules): GateRules {
  const { criteria, critical, criterion = {}, pass_hat: passHat } = written;
  return {
    whole: Object.fromEntries(WHOLE_RULE_NAMES.map((rule) => [rule, written[rule]])),
    criteria,
    critical,
    criterion: new Map(Object.entries(criterion)),
    passHat: passHat === undefined ? undefined : { k: passHat.k, limits: onlyLimits(passHat) },
    counts: Object.fromEntries(
      COUNT_RULES.map((rule) => [rule, written[rule] === BY_CHANCE ? undefined : written[rule]]),
    ),
    worseByChance: written.cases_worse === BY_CHANCE,
  };
}

function onlyLimits({ floor, max_drop }: Limits): Limits {
  return { floor, max_drop };
}

/** Suites and criteria that the candidate was not scored by. */
function strangers(
  document: WrittenDocument,
  suites: readonly ExperimentSuite[],
  rules: WrittenRules | undefined,
  bySuite: Readonly<Record<string, WrittenRules>>,
): readonly Mistake[] {
  const names = suites.map(({ name }) => name);
  const everywhere = suites.flatMap(({ criteria }) => criteria.map(({ name }) => name));
  const mistakes = unknownNames(document, ['rules', 'criterion'], Object.keys(rules?.criterion ?? {}), {
    what: 'criterion',
    known: [...new Set(everywhere)],
  });
  const strange = unknownNames(document, ['suites'], Object.keys(bySuite), { what: 'suite', known: names });
  const inSuites = Object.entries(bySuite).flatMap(([suite, written]) => {
    const known = suites.find(({ name }) => name === suite)?.criteria.map(({ name }) => name);
    if (known === undefined) return [];
    const path = ['suites', suite, 'criterion'];
    return unknownNames(document, path, Object.keys(written.criterion ?? {}), { what: 'criterion', known });
  });
  return [...mistakes, ...strange, ...inSuites];
}

function unknownNames(
  document: WrittenDocument,
  at: Path,
  names: readonly string[],
  { what, known }: { readonly what: string; readonly known: readonly string[] },
): readonly Mistake[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = didYouMean(name, known);
      const path = [...at, name];
      return {
        file: document.file,
        ...document.placeOfKey(path),
        path: formatPath(path),
        problem: `the candidate was not scored by a ${what} '${name}'`,
        expected: nearest === undefined ? `one of ${known.join(', ')}` : `did you mean '${nearest}'?`,
      };
    });
}

function knownKeys(path: Path): readonly string[] {
  const within = path[0] === 'suites' ? path.slice(2) : path.slice(1);
  if (path.length === 0) return Object.keys(FILE);
  const [rule] = within;
  if (rule === undefined) return Object.keys(RULES);
  if (rule === 'pass_hat') return ['k', ...GOOD_LIMITS];
  const name = WHOLE_RULE_NAMES.find((known) => known === rule);
  const kinds: readonly LimitKind[] = name === undefined ? GOOD_LIMITS : WHOLE_RULES[name].limits;
  return kinds.length === 0 ? BAD_LIMITS : kinds;
}
