/**
 * `GET /api/v1/moved`: the criteria that moved the mean score between two periods, or between two versions in one. The
 * split is the exact one of `src/model/tcr-split.ts`, as detection and comparisons have it: its parts add up.
 */
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { moved, type Moved, type MovedQuery, movedQuery } from '../../../api/moved.ts';
import { countedAs, decisionOf } from '../../../model/decision.ts';
import {
  HARD_FAILURES,
  SPLIT_FIRST,
  splitChange,
  takenByHardFailure,
  type TcrSplit,
} from '../../../model/tcr-split.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { intervalOf } from '../../../statistics/compare/interval.ts';
import { differenceOf, type Valued } from '../../../statistics/compare/online/compare-online.ts';
import { kindsOf } from '../../../statistics/compare/online/mix.ts';
import { levelsOf, relatedOf } from './estimates.ts';
import type { ConversationSearch } from '../../../store/conversation-search.ts';
import { isoTime } from './iso-time.ts';
import {
  type LatestEvaluation,
  type LatestEvaluations,
  latestEvaluations,
  type Period as PeriodOfTime,
  spreadEvaluations,
} from './latest-evaluations.ts';
import { chosenSuite } from './chosen-suite.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const DAY_MS = 86_400_000;
const CONVERSATIONS_MAX = 2_000;
/** Scores are rounded to a millionth, so smaller parts are rounding. */
const NOTHING = 1e-6;
const ALPHA = 0.05;

interface Period extends PeriodOfTime {
  readonly version: string | undefined;
}

interface Side extends Period {
  readonly evaluations: readonly LatestEvaluation[];
}

export const getMoved = v1Read({
  path: '/api/v1/moved',
  summary: `?suite= &agent= &environment= &since=24h &until= &against_since= &against_until=
or &version= &against_version=, or &version= against all before: the criteria that moved the mean score, in parts that add up`,
  query: movedQuery,
  answer: moved,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, query) => {
    const suite = chosenSuite(suites(), query.suite);
    if (suite instanceof Refusal) return suite;
    const periods = periodsOf(query, Date.now());
    if (periods.some(({ since, until }) => until <= since))
      return new Refusal(
        jsonAnswer(400, { error: 'the query has mistakes', problems: ['until: it has to be after since'] }),
      );
    const found = await evaluationsIn(periods, reader, suite, {
      agents: query.agent,
      environments: query.environment,
      agentVersions: query.against_version === undefined ? undefined : [query.version ?? '', query.against_version],
    });
    const [before, after] = periods.map((period) => sideOf(period, found.get(keyOf(period))?.evaluations ?? []));
    if (before === undefined || after === undefined) throw new Error('moved: there are two periods');
    const read = [...found.values()];
    const others = read.reduce((sum, one) => sum + one.others, 0);
    return {
      suite: suite.name,
      before: sideJson(before),
      after: sideJson(after),
      ...changeJson(suite, before, after),
      related: relatedOf([...before.evaluations, ...after.evaluations]),
      other_versions: others,
      looked_at: read.reduce((sum, { evaluations }) => sum + evaluations.length, others),
      cut: read.some(({ isCut }) => isCut),
    };
  },
});

/** All of them, or of each period as many, spread over it: the latest would leave none of the earlier period. */
async function evaluationsIn(
  periods: readonly Period[],
  reader: V1Side['reader'],
  suite: SuiteOutline,
  filters: Pick<ConversationSearch, 'agents' | 'agentVersions' | 'environments'>,
): Promise<ReadonlyMap<string, LatestEvaluations>> {
  const distinct = new Map(periods.map((period) => [keyOf(period), period]));
  let conversations = 0;
  for (const { since, until } of distinct.values())
    conversations += (await reader.pages.parts({ since, until, parts: 1, max: CONVERSATIONS_MAX })).conversations;
  const isFew = conversations <= CONVERSATIONS_MAX;
  const read = isFew ? latestEvaluations : spreadEvaluations;
  const conversationsMax = isFew ? CONVERSATIONS_MAX : CONVERSATIONS_MAX / distinct.size;
  const of = new Map<string, LatestEvaluations>();
  for (const [key, { since, until }] of distinct)
    of.set(key, await read(reader, suite, { ...filters, since, until, conversationsMax }));
  return of;
}

function keyOf({ since, until }: PeriodOfTime): string {
  return `${since} ${until}`;
}

function periodsOf(query: MovedQuery, now: number): readonly [before: Period, after: Period] {
  const until = query.until ?? now;
  const since = query.since ?? until - DAY_MS;
  const { version, against_version: againstVersion } = query;
  // Two versions are compared in the same time, unless two times are named.
  const isByVersion =
    againstVersion !== undefined && query.against_since === undefined && query.against_until === undefined;
  const againstUntil = query.against_until ?? (isByVersion ? until : since);
  const againstSince = query.against_since ?? (isByVersion ? since : againstUntil - (until - since));
  return [
    { since: againstSince, until: againstUntil, version: againstVersion },
    { since, until, version },
  ];
}

function sideOf(period: Period, all: readonly LatestEvaluation[]): Side {
  const { version } = period;
  const evaluations = all.filter(({ agentVersion }) => version === undefined || agentVersion === version);
  return { ...period, evaluations };
}

function sideJson({ since, until, version, evaluations }: Side): Moved['before'] {
  return {
    since: isoTime(since),
    until: isoTime(until),
    ...(version === undefined ? {} : { agent_version: version }),
    evaluations: scoresOf(evaluations).length,
    ...levelsOf(evaluations),
  };
}

/** All scores have one kind: the change of the mix is a part of the difference that is reported on its own. */
function scoresOf(evaluations: readonly LatestEvaluation[]): readonly Valued[] {
  return evaluations.flatMap((one) => (one.score === undefined ? [] : { ...one, kind: '', value: one.score }));
}

function passesOf(evaluations: readonly LatestEvaluation[], criterion: string): readonly Valued[] {
  return evaluations.flatMap((one) => {
    const decision = decisionOf(one.verdicts.get(criterion) ?? 'skipped');
    return decision === undefined ? [] : { ...one, value: decision === 'pass' ? 1 : 0 };
  });
}

function changeJson(
  suite: SuiteOutline,
  before: Side,
  after: Side,
): Pick<Moved, 'difference' | 'parts' | 'unchanged' | 'too_early'> {
  const [scoresBefore, scoresAfter] = [scoresOf(before.evaluations), scoresOf(after.evaluations)];
  const split = splitOf(suite, before.evaluations, after.evaluations);
  const found = differenceOf(scoresBefore, scoresAfter, { a: 'the time before', b: 'the time after' });
  if (split === undefined || 'because' in found || scoresBefore.length < 2 || scoresAfter.length < 2) {
    const counts = `there are ${scoresBefore.length} scored evaluations before and ${scoresAfter.length} after`;
    return { parts: [], unchanged: 0, too_early: `${counts}: a difference takes two of each` };
  }
  const { lower, upper } = intervalOf(found.change, ALPHA / 2);
  const moving = [...split.criteria].filter(([, points]) => Math.abs(points) > NOTHING);
  const parts = [
    ...moving.map(([criterion, points]) => partJson(suite, { criterion, points }, before, after)),
    ...(Math.abs(split.mix) > NOTHING ? [{ kind: 'mix' as const, name: 'mix', points: split.mix }] : []),
  ];
  return {
    difference: {
      value: split.observed - split.baseline,
      low: lower,
      high: upper,
      n: scoresBefore.length + scoresAfter.length,
    },
    parts: parts.toSorted((a, b) => Math.abs(b.points) - Math.abs(a.points)),
    // A criterion without weight moves no score, however much it changed.
    unchanged: suite.criteria.filter(
      ({ name, weight }) => weight > 0 && !moving.some(([criterion]) => criterion === name),
    ).length,
  };
}

function partJson(
  suite: SuiteOutline,
  { criterion, points }: { readonly criterion: string; readonly points: number },
  before: Side,
  after: Side,
): Moved['parts'][number] {
  if (criterion === HARD_FAILURES) return { kind: 'hard_failures', name: HARD_FAILURES, points };
  const [ofBefore, ofAfter] = [passesOf(before.evaluations, criterion), passesOf(after.evaluations, criterion)];
  const found = differenceOf(ofBefore, ofAfter, { a: 'before', b: 'after' });
  // Criteria share the chance of a wrong mark among them.
  const isFar = !('because' in found) && found.p <= ALPHA / suite.criteria.length;
  return {
    kind: 'criterion',
    name: criterion,
    criterion,
    points,
    evaluations: after.evaluations.filter(({ verdicts }) => verdicts.get(criterion) === 'fail').length,
    clear: isFar && found.change.value > 0 === points > 0,
  };
}

function splitOf(
  suite: SuiteOutline,
  before: readonly LatestEvaluation[],
  after: readonly LatestEvaluation[],
): TcrSplit | undefined {
  const criteria = [...suite.criteria.map(({ name }) => name), HARD_FAILURES];
  const { kindOf } = kindsOf(before, after);
  const kinds = [...new Set([...before, ...after].map(({ kind }) => kindOf(kind)))];
  const cellsOf = (evaluations: readonly LatestEvaluation[]) => {
    const byKind = Map.groupBy(evaluations, ({ kind }) => kindOf(kind));
    return kinds.map((kind) => cellOf(suite, byKind.get(kind) ?? []));
  };
  return splitChange(cellsOf(before), cellsOf(after), criteria);
}

/** The columns of `tcr-split.ts`; undefined where nothing was scored. */
function cellOf(suite: SuiteOutline, evaluations: readonly LatestEvaluation[]): Float64Array | undefined {
  const cell = new Float64Array(SPLIT_FIRST + 2 * (suite.criteria.length + 1));
  const add = (column: number, amount: number) => {
    cell[column] = (cell[column] ?? 0) + amount;
  };
  for (const { score, verdicts } of evaluations) {
    if (score === undefined) continue;
    add(0, 1);
    add(1, 1);
    add(2, score);
    const counted = suite.criteria.map(({ name, weight, whenNotApplicable }) => ({
      weight,
      as: countedAs(verdicts.get(name) ?? 'skipped', whenNotApplicable),
    }));
    const decided = counted.reduce((sum, { weight, as }) => (as === 'exclude' ? sum : sum + weight), 0);
    if (decided === 0) continue;
    let brought = 0;
    for (const [index, { weight, as }] of counted.entries()) {
      if (as === 'exclude') continue;
      add(SPLIT_FIRST + 2 * index, weight / decided);
      if (as !== 'pass') continue;
      add(SPLIT_FIRST + 2 * index + 1, weight / decided);
      brought += weight / decided;
    }
    add(SPLIT_FIRST + 2 * suite.criteria.length + 1, takenByHardFailure(score, brought));
  }
  return cell[0] === 0 ? undefined : cell;
}
