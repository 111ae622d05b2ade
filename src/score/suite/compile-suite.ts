/**
 * From a suite as written to a suite as run, and every mistake in it that is not of form: names, weights, outcomes.
 * Both YAML suites and TypeScript suites come through here.
 */
import { SHIPPED_LEDGER } from '../../model/exporters.ts';
import type { Conversation } from '../../model/conversation.ts';
import { type About, ABOUTS } from '../../model/evaluation.ts';
import { SCORED_OUTCOMES } from '../../model/severity.ts';
import type { Mistake } from '../../model/mistake.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import { formatPath, type Path, type Place } from '../../model/written-document.ts';
import { aboutOf } from '../subject/about.ts';
import { criterionDefinition, definitionOfCode, suiteDefinition, type WrittenDefinitions } from './definition.ts';
import { FAILURE_EXPECTED, type FailsAs, KIND, KIND_EXPECTED, namesNoFailure } from '../subject/failure-kind.ts';
import { handsOverByDefault } from '../subject/hand-over.ts';
import { textOfCode } from './evaluator-version.ts';
import { truthKeysIn } from '../expected/enough-truth.ts';
import { aboutOfJudging, judgedOf, judgeNamed, judgingMistakes, needsOf } from '../judge/judged-criterion.ts';
import type { NamedJudge } from '../judge/unknown-judges.ts';
import { compileMatch } from './match.ts';
import { completedByDefault, DEFAULT_RULES, failedByDefault } from './outcome.ts';
import { shorten } from '../subject/sentences.ts';
import { compileExtracts } from '../subject/subject.ts';
import type { CompiledCriterion, CompiledOutcomeRule, CompiledSuite, Criterion, OutcomeRule, Suite } from './suite.ts';
import { trajectoryFindings } from '../trajectory/trajectory-findings.ts';
import { toolEffects } from '../subject/tool-effects.ts';
import type { SuiteParts } from '../trajectory/assess-run.ts';
import { formatMillionths, ONE, toMillionths } from '../subject/weigh.ts';

export interface SuiteOrigin {
  readonly file: string;
  placeOf(path: Path): Place;
}

export interface CompiledWithMistakes {
  /** Undefined where there are mistakes. */
  readonly suite: CompiledSuite | undefined;
  readonly mistakes: readonly Mistake[];
  /** Which judges its criteria are for; absent where it can't be read. */
  readonly judges?: readonly NamedJudge[];
  /** Name of the suite, even if it has mistakes, because names are compared over all suites. Absent if it has none. */
  readonly named?: { readonly name: string; readonly file: string; readonly line: number | undefined };
}

const SUITE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const CRITERION_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,31}$/;
/** Words that CEL keeps for itself: a criterion of such a name could not be named in an outcome rule. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while __proto__ prototype constructor'.split(
    ' ',
  ),
);
const CRITERIA_MAX = 100;
const DEFAULT_MIN_DECIDED = 0.5;

export function isCriterionName(name: string): boolean {
  return CRITERION_NAME.test(name) && !RESERVED.has(name);
}

export interface CompileOptions {
  /** False where a weight was unreadable: its own mistake is reported, and a sum means nothing. */
  readonly weightsAreKnown: boolean;
  /** Default of `match.whyNot`: see `CompiledSuite.matchesTurn`. */
  readonly matchesTurn: CompiledSuite['matchesTurn'];
  /** Undefined where it is code. */
  readonly definitions?: WrittenDefinitions;
  /** Tools as the configuration describes them; the suite's description comes first. */
  readonly tools?: ToolNames | undefined;
  /** Path of the module, if it is one. */
  readonly source?: string;
}

export function compileSuite(
  suite: Suite,
  origin: SuiteOrigin,
  options: Partial<CompileOptions> = {},
): CompiledWithMistakes {
  const { weightsAreKnown = true, matchesTurn, definitions, tools, source } = options;
  const mistakes: Mistake[] = [];
  const mistake = (path: Path, problem: string, expected: string) => {
    mistakes.push({ file: origin.file, ...origin.placeOf(path), path: formatPath(path), problem, expected });
  };
  checkIdentity(suite, mistake);
  checkCriteria(suite.criteria, mistake);
  checkJudged(suite, mistake);
  if (weightsAreKnown) checkWeights(suite, mistake);
  checkOutcomes(suite.outcomes, mistake);
  const minDecided = toMillionths(suite.minDecided ?? DEFAULT_MIN_DECIDED);
  if (minDecided === undefined) mistake(['min_decided'], `${suite.minDecided} is no share`, 'a number from 0 to 1');
  const named = { name: suite.name, file: origin.file, line: origin.placeOf(['suite']).line };
  const judges = judgesIn(suite.criteria, origin);
  if (mistakes.length > 0) return { suite: undefined, mistakes, named, judges };
  return {
    suite: compiled(suite, { minDecided: minDecided ?? 0, matchesTurn, definitions, tools, source, origin }),
    mistakes,
    named,
    judges,
  };
}

type Report = (path: Path, problem: string, expected: string) => void;

function checkIdentity({ name, version }: Suite, mistake: Report): void {
  if (!SUITE_NAME.test(name)) {
    mistake(['suite'], `'${name}' cannot be the name of a suite`, 'a letter, then up to 63 letters, digits, - and _');
  }
  if (version !== undefined && !VERSION.test(version)) {
    mistake(['version'], `'${version}' cannot be a version`, 'up to 32 letters, digits, dots, - and _');
  }
}

function checkCriteria(criteria: readonly Criterion[], mistake: Report): void {
  if (criteria.length === 0) mistake(['criteria'], 'there are no criteria', 'at least one');
  if (criteria.length > CRITERIA_MAX) {
    mistake(['criteria'], `there are ${criteria.length} criteria`, `at most ${CRITERIA_MAX}; 4 to 7 is plenty`);
  }
  const seen = new Map<string, number>();
  criteria.forEach((criterion, index) => {
    const { name, question, about = 'form' } = criterion;
    const known = aboutOfAnswering(criterion);
    if (least([about, known]) !== about) {
      const path = ['criteria', index, 'about'];
      mistake(path, `'${about}' is more than it can know: it is about ${known}`, `no \`about\`, or \`${known}\``);
    }
    const first = seen.get(name);
    if (first !== undefined) {
      mistake(['criteria', index, 'name'], `'${name}' is the name of criteria[${first}] too`, 'a name of its own');
    }
    seen.set(name, first ?? index);
    if (!isCriterionName(name)) {
      mistake(
        ['criteria', index, 'name'],
        `'${name}' cannot be the name of a criterion`,
        'letters, digits and _ (it becomes a metric label and a name in outcome rules)',
      );
    }
    checkFailsAs(criteria, index, mistake);
    if (question.trim() === '') mistake(['criteria', index, 'question'], 'the question is empty', 'a yes/no question');
  });
}

function checkFailsAs(criteria: readonly Criterion[], index: number, mistake: Report): void {
  const { failsAs = [] } = criteria[index] ?? {};
  const path: Path = ['criteria', index, 'fails_as'];
  for (const [place, { kind, ifPassed }] of kindsOf(failsAs).entries()) {
    const at = typeof failsAs === 'string' ? path : [...path, place];
    if (!KIND.test(kind)) mistake(at, `'${shorten(kind, 60)}' cannot be a kind of failure`, KIND_EXPECTED);
    else if (namesNoFailure(kind)) mistake(at, `'${kind}' is no kind of failure`, FAILURE_EXPECTED);
    if (ifPassed !== undefined && !criteria.some(({ name }) => name === ifPassed))
      mistake(
        at,
        `there is no criterion '${shorten(ifPassed, 60)}'`,
        `one of ${criteria.map(({ name }) => name).join(', ')}`,
      );
  }
}

function checkJudged(suite: Suite, mistake: Report): void {
  suite.criteria.forEach(({ judge }, index) => {
    if (judge === undefined) return;
    for (const { field, problem, expected } of judgingMistakes(judge, partsOf(suite))) {
      mistake(['criteria', index, 'judge', field], problem, expected);
    }
  });
}

function judgesIn(criteria: readonly Criterion[], origin: SuiteOrigin): readonly NamedJudge[] {
  return criteria.flatMap(({ judge }, index) => {
    if (judge === undefined) return [];
    const path = ['criteria', index, 'judge', 'by'];
    return [{ judge: judgeNamed(judge), file: origin.file, ...origin.placeOf(path), path: formatPath(path) }];
  });
}

function partsOf({ golden, toolPolicy: policy }: Suite): SuiteParts {
  return { golden, policy };
}

const ANY_SIZE = '; with `normalize: true` they need no sum: 0.3 and 0.1 for 3 and 1';

function checkWeights({ criteria, normalize }: Suite, mistake: Report): void {
  let sum = 0;
  let isWhole = true;
  criteria.forEach(({ weight }, index) => {
    const millionths = toMillionths(weight);
    if (millionths === undefined) {
      isWhole = false;
      mistake(
        ['criteria', index, 'weight'],
        `${weight} is not a valid weight`,
        `from 0 (counted, not in the score) to 1, up to six decimal places${weight > 1 ? ANY_SIZE : ''}`,
      );
    } else sum += millionths;
  });
  if (!isWhole || criteria.length === 0 || (normalize === true && sum > 0) || sum === ONE) return;
  const difference = formatMillionths(Math.abs(ONE - sum));
  const change = sum < ONE ? `add ${difference} to them` : `take ${difference} off them`;
  mistake(
    ['criteria'],
    `the weights sum to ${formatMillionths(sum)}: ${criteria.map(({ weight }) => weight).join(' + ')}`,
    `a sum of 1: ${change}, or say \`normalize: true\``,
  );
}

function checkOutcomes(outcomes: readonly OutcomeRule[] | undefined, mistake: Report): void {
  if (outcomes === undefined) return;
  if (outcomes.length === 0) mistake(['outcomes'], 'there are no outcome rules', 'at least one, or no such field');
  const always = outcomes.findIndex(({ when }) => when === undefined);
  if (always >= 0 && always < outcomes.length - 1) {
    mistake(
      ['outcomes', always],
      `this rule always holds, so that the ${outcomes.length - 1 - always} after it never do`,
      'a rule without `when` in the last place only',
    );
  }
  outcomes.forEach(({ outcome }, index) => {
    if (SCORED_OUTCOMES.includes(outcome)) return;
    mistake(['outcomes', index, 'outcome'], `'${String(outcome)}' is no outcome`, SCORED_OUTCOMES.join(', '));
  });
}

function compiled(
  suite: Suite,
  known: {
    readonly minDecided: number;
    readonly matchesTurn: CompiledSuite['matchesTurn'];
    readonly definitions: WrittenDefinitions | undefined;
    readonly tools: ToolNames | undefined;
    readonly source: string | undefined;
    readonly origin: SuiteOrigin;
  },
): CompiledSuite {
  const version = suite.version ?? '1';
  const criteria = suite.criteria.map((criterion, index) => ({
    ...compiledCriterion(criterion, partsOf(suite), known.definitions?.criteria[index]),
    about: aboutIn(suite, criterion),
  }));
  const text = known.definitions?.text ?? known.source ?? textOfCode(suite);
  const whyNot = compileMatch(suite.match);
  const matches = (conversation: Conversation) => whyNot(conversation) === undefined;
  return {
    name: suite.name,
    version,
    id: `${suite.name}@${version}`,
    description: suite.description ?? '',
    scope: suite.scope,
    criteria,
    totalWeight: criteria.reduce((sum, { weight }) => sum + weight, 0),
    minDecided: known.minDecided,
    hardFailureScores: suite.hardFailureKeepsScore === true ? 'as weighed' : 'zero',
    whenBroken: suite.crash === 'by_criteria' ? 'by criteria' : 'hard_failure',
    about: mostOf(criteria),
    handsOver: handsOverByDefault,
    exporters: SHIPPED_LEDGER,
    whyNot,
    matches,
    // The fields of a match ask about the whole: its last turn that says who the agent is, and so on. But every field
    // given must match, so that what the rest asks of a turn is asked in any case.
    matchesTurn: suite.scope === 'turn' ? matches : suite.match === undefined ? () => true : known.matchesTurn,
    extractsOf: compileExtracts(suite.extract ?? {}),
    completed: suite.completed ?? completedByDefault,
    failed: suite.failed ?? failedByDefault,
    outcomes: suite.outcomes === undefined ? DEFAULT_RULES : suite.outcomes.map(compiledRule),
    effects: toolEffects([suite.tools, suite.golden?.names, known.tools]),
    definition: suiteDefinition(
      known.definitions?.suite ?? definitionOfCode(suite, known.tools),
      suite.scope,
      criteria,
    ),
    truthKeys: truthKeysIn(text),
    text,
    findingsOf: findingsBy(suite),
    golden: suite.golden,
    toolPolicy: suite.toolPolicy,
    file: known.origin.file,
    line: known.origin.placeOf([]).line,
  };
}

function findingsBy({ golden, toolPolicy: policy }: Suite): CompiledSuite['findingsOf'] {
  return golden === undefined ? undefined : (subject) => trajectoryFindings(subject, { golden, policy });
}

/** Criteria of a suite that only looks for forbidden things do the same; those about form alone stay that. */
function aboutIn({ about: most = 'task' }: Suite, criterion: Criterion): About {
  const { about = criterion.readsFormOnly === true ? 'form' : 'task' } = criterion;
  return least([most, about, aboutOfAnswering(criterion)]);
}

function aboutOfAnswering({ check, judge }: Criterion): About {
  return judge === undefined ? aboutOf(check) : aboutOfJudging(judge);
}

function least(abouts: readonly About[]): About {
  return ABOUTS.find((about) => abouts.includes(about)) ?? 'form';
}

function mostOf(criteria: readonly { readonly about: About }[]): About {
  return ABOUTS.findLast((about) => criteria.some((criterion) => criterion.about === about)) ?? 'form';
}

function compiledCriterion(
  criterion: Criterion,
  parts: SuiteParts,
  written: WrittenDefinitions['criteria'][number] | undefined,
): Omit<CompiledCriterion, 'about'> {
  const { critical, failsAs = [], judge, needs: own = [], restsOn = [], when } = criterion;
  const needs = judge === undefined ? own : [...needsOf(judge), ...own];
  const judged = judge === undefined ? undefined : judgedOf(judge, criterion, parts);
  const uses = typeof judge === 'object' ? judge.uses : undefined;
  return {
    name: criterion.name,
    question: criterion.question.trim(),
    weight: toMillionths(criterion.weight) ?? 0,
    needs,
    restsOn,
    isConstant: criterion.isConstant === true,
    readsTaskTruth: criterion.readsTaskTruth === true,
    readsFormOnly: criterion.readsFormOnly === true && criterion.about === undefined,
    whenNotApplicable: criterion.whenNotApplicable ?? 'exclude',
    capsAt: critical === true ? 'partial_failure' : critical === false ? undefined : critical,
    mayFailInSuccess: critical === false,
    failsAs: kindsOf(failsAs),
    when,
    check: criterion.check ?? judgedElsewhere,
    judged,
    definition: criterionDefinition({ needs, when, judged, uses }, written),
  };
}

function kindsOf(failsAs: string | readonly FailsAs[]): readonly FailsAs[] {
  return typeof failsAs === 'string' ? [{ kind: failsAs }] : failsAs;
}

function judgedElsewhere(): never {
  throw new Error('score: a criterion for a judge has no check');
}

function compiledRule({ outcome, when, because }: OutcomeRule): CompiledOutcomeRule {
  return {
    outcome,
    when: when ?? (() => true),
    because: because ?? (when === undefined ? 'no other outcome applies' : `a rule for ${outcome} holds`),
  };
}
