/**
 * npm run bench -- release [--runs <gates a cell>] [--seed <n>] [--json]
 *
 * Does the gate err as seldom as it says, and what does it find? Each gate is decided by `decideGate`, of an agent of which
 * 85 % of runs succeed, by case (an intraclass correlation of .6), on 20 or 50 cases.
 *
 *     unchanged …            a regression, the most of all sizes and repeats; the reference is .05. With `alike`, runs of a
 *                            case in one build have a correlation of .1 or .2, which ten builds before show. With `drift`,
 *                            these builds were up to 5 points better or worse than what the baseline and the candidate are
 *     an eighth, a quarter   of the cases always fail, at a level of .025; the reference is the test that adds up passes (Birch) on the same runs
 *     all a little           each case passes less often, together by 10 points
 *     more repeats           the most power that they cost, over all of these
 *     no worse, n points     a limit on these cases passes a release that is; the reference is one on cases like these
 *     n points worse         the same limit passes one that is exactly so much worse, however the loss is spread: the most of
 *                            all; the reference is .05
 *     path …                 a gate on 20 cases with three runs (`cases_worse: by chance`, 10 points on these cases), then a
 *                            canary beside the old version, looked at after each 25 conversations, which may lose 5 points.
 *                            Equal: rolled back, at the gate or later. Cases worse, traffic worse: all cases a
 *                            little, or 10 points in traffic, and it is promoted. Each reference is .05
 *     canary …               one whose share, hours or kinds differ, looked at after each 100 conversations: equal ones that
 *                            are rolled back, and ones 10 points worse that are promoted; the reference compares all
 *                            hours together
 *     path, both worse       mean conversations until it is rolled back; the reference starts the canary from nothing
 */
import type { PassedRuns } from '../src/model/gate.ts';
import { type ReleaseDecision, releaseOf, ROLLS_BACK_AT } from '../src/model/release.ts';
import { randomFrom } from '../src/model/random.ts';
import { logChoose } from '../src/statistics/compare/exact-tests.ts';
import { decideGate } from '../src/statistics/compare/gate/decide-gate.ts';
import {
  compareBeside,
  compareOnline,
  type OnlineSample,
  type Valued,
} from '../src/statistics/compare/online/compare-online.ts';
import { readGate } from '../src/statistics/compare/gate/read-gate.ts';
import { experimentOf } from '../test/statistics/compare/experiments.ts';
import type { BenchRow } from './row.ts';

interface ReleaseBench {
  readonly runs: number;
  readonly seed: number;
  readonly cases: readonly number[];
}

const RATE = 0.85;
const BY_CASE = 0.6;
const REPEATS = [1, 3, 5];
const BUILDS = 10;
const LEVEL = 0.05;
/** One-sided, as success has it beside other rules. */
const OF_TEST = 0.025;

interface World {
  readonly cases: number;
  readonly repeats: number;
  readonly alike?: number;
  readonly drift?: number;
  readonly earlier?: boolean;
  /** Chances of the candidate, from those of the baseline. */
  readonly changed?: (chances: readonly number[]) => readonly number[];
}

interface Release {
  readonly baseline: readonly PassedRuns[];
  readonly candidate: readonly PassedRuns[];
  readonly earlier: readonly (readonly PassedRuns[])[];
}

export function benchRelease({ runs, seed, cases }: ReleaseBench) {
  const random = randomFrom(seed);
  const shareOf = (world: World, is: (release: Release) => boolean) =>
    Array.from({ length: runs }, () => is(drawn(world, random))).filter(Boolean).length / runs;
  const mostOf = (worlds: readonly World[], is: (release: Release) => boolean) =>
    Math.max(...worlds.map((world) => shareOf(world, is)));
  const sizes = cases.flatMap((count) => REPEATS.map((repeats) => ({ cases: count, repeats })));
  const isWorse = (release: Release) => decision('cases_worse: by chance', release, OF_TEST) === 'regression';
  const rows: BenchRow[] = [
    row('unchanged', mostOf(sizes, isWorse), LEVEL),
    row('unchanged, with earlier builds', mostOf(withEarlier(sizes), isWorse), LEVEL),
    ...[0.1, 0.2].map((alike) =>
      row(
        `unchanged, alike ${alike}`,
        mostOf(
          withEarlier(sizes).map((one) => ({ ...one, alike })),
          isWorse,
        ),
        LEVEL,
      ),
    ),
    row(
      'unchanged, drift',
      mostOf(
        withEarlier(sizes).map((one) => ({ ...one, drift: 0.05 })),
        isWorse,
      ),
      LEVEL,
    ),
  ];
  let cost = 0;
  for (const [called, changed] of Object.entries(LOSSES)) {
    for (const earlier of [false, true]) {
      const before = new Map<number, number>();
      for (const size of sizes) {
        const world = { ...size, changed, earlier };
        let birch = 0;
        const found = shareOf(world, (release) => {
          birch += Number(chanceOfSum(release) <= OF_TEST);
          return isWorse(release);
        });
        cost = Math.max(cost, (before.get(size.cases) ?? 0) - found);
        before.set(size.cases, found);
        const by = earlier ? ', with earlier builds' : '';
        rows.push(row(`${called}, ${size.cases} x ${size.repeats}${by}`, found, birch / runs));
      }
    }
  }
  rows.push(row('more repeats cost', cost, 0.03));
  for (const points of [5, 10]) {
    const keeps = (on: string) => (release: Release) =>
      decision(`success_rate: { max_drop: ${points} points${on} }`, release) === 'pass';
    for (const size of sizes) {
      let likeThese = 0;
      const passes = shareOf(size, (release) => {
        likeThese += Number(keeps('')(release));
        return keeps(' on these cases')(release);
      });
      rows.push(row(`no worse, ${points} points, ${size.cases} x ${size.repeats}`, passes, likeThese / runs));
    }
    const worlds = sizes.flatMap((size) =>
      Object.values(spreadsOf(points / 100)).map((changed) => ({ ...size, changed })),
    );
    const alike = withEarlier(worlds).map((one) => ({ ...one, alike: 0.2 }));
    rows.push(row(`${points} points worse`, mostOf(worlds, keeps(' on these cases')), LEVEL));
    rows.push(row(`${points} points worse, alike 0.2`, mostOf(alike, keeps(' on these cases')), LEVEL));
  }
  rows.push(...pathRows(runs, random));
  return { rows, notes: [`seed ${seed}, ${runs} gates a cell, ${BUILDS} earlier builds of as many repeats`] };
}

const PATH = { cases: 20, repeats: 3 };
const LIMIT = 0.05;
const LOOK_EVERY = 25;
const CANARY_MAX = 1500;

function pathRows(runs: number, random: () => number): readonly BenchRow[] {
  const lost = LOSSES['all a little'];
  const endsOf = (cases: World['changed'], drop: number, isFromCases = true) =>
    Array.from({ length: runs }, () =>
      pathEnd(drawn({ ...PATH, ...(cases && { changed: cases }) }, random), { drop, isFromCases, random }),
    );
  const shareOf = (ends: readonly PathEnd[], is: PathEnd['decision']) =>
    ends.filter(({ decision }) => decision === is).length / ends.length;
  const meanOf = (ends: readonly PathEnd[]) => ends.reduce((sum, { seen }) => sum + seen, 0) / ends.length;
  return [
    row('path, equal: rolled back', shareOf(endsOf(undefined, 0), 'roll_back'), LEVEL),
    row('path, only cases worse: promoted', shareOf(endsOf(lost, 0), 'promote'), LEVEL),
    row('path, only traffic worse: promoted', shareOf(endsOf(undefined, 0.1), 'promote'), LEVEL),
    ...Object.entries(CANARIES).map(([called, canary]) =>
      row(
        `canary ${called}: rolled back`,
        wrongly(canary, 0, runs, random, compareBeside),
        wrongly(canary, 0, runs, random, together),
      ),
    ),
    ...Object.entries(CANARIES).map(([called, canary]) =>
      row(
        `canary ${called}: promoted`,
        wrongly(canary, 0.1, runs, random, compareBeside),
        wrongly(canary, 0.1, runs, random, together),
      ),
    ),
    row('path, both worse: conversations', meanOf(endsOf(lost, 0.1)), meanOf(endsOf(lost, 0.1, false))),
  ];
}

interface PathEnd {
  readonly decision: ReleaseDecision;
  /** Conversations of the canary. */
  readonly seen: number;
}

interface Path {
  readonly drop: number;
  readonly isFromCases: boolean;
  readonly random: () => number;
}

function pathEnd(release: Release, { drop, isFromCases, random }: Path): PathEnd {
  const gate = gated('cases_worse: by chance, success_rate: { max_drop: 10 points on these cases }', release, LEVEL);
  if (isFromCases && gate.decision === 'regression') return { decision: 'roll_back', seen: 0 };
  const test = gate.rules.find((rule) => rule.is === 'by_chance')?.tests[0];
  const isKept = gate.rules.some((rule) => rule.is === 'limit' && rule.decision === 'pass');
  const known = isFromCases
    ? { cases: test?.evidence ?? 1, kept: isKept ? ('kept' as const) : ('open' as const) }
    : { cases: 1, kept: undefined };
  const [a, b]: [Valued[], Valued[]] = [[], []];
  const came = (rate: number): Valued => {
    const at = a.length + b.length;
    return { user: at, conversation: at, at, kind: '', value: random() < rate ? 1 : 0 };
  };
  while (b.length < CANARY_MAX) {
    for (let one = 0; one < LOOK_EVERY; one += 1) {
      a.push(came(RATE));
      b.push(came(RATE - drop));
    }
    const { success, logWorse, ...beside } = compareBeside(a, b, AS_TASK);
    const { decision } = releaseOf({
      ...{
        change: success.is === 'compared' ? success : undefined,
        because: undefined,
        conversationsNeeded: undefined,
        beside,
        allowed: LIMIT,
      },
      ...{ evidence: { cases: known.cases, traffic: Math.exp(logWorse) }, cases: known.kept, about: 'task' as const },
    });
    if (decision !== 'hold') return { decision, seen: b.length };
  }
  return { decision: 'hold', seen: b.length };
}

/** Conversations of a canary, from the share that has passed of its hours. */
interface Canary {
  readonly hours: number;
  readonly count: number;
  /** Share of the new version. */
  readonly share: (passed: number, hour: number) => number;
  /** Points that both lose. */
  readonly harder: (passed: number, hour: number) => number;
  /** Share of hard conversations, and points that these lose. */
  readonly hard?: { readonly a: number; readonly b: number; readonly by: number };
}

const CANARIES: Readonly<Record<string, Canary>> = {
  'of 10 to 50 %': {
    hours: 24,
    count: 2000,
    share: (passed) => 0.1 * (1 + Math.floor(passed * 5)),
    harder: (passed) => 0.2 * passed,
  },
  'of 50, then 99 %': {
    hours: 24,
    count: 2000,
    share: (passed) => (passed < 0.4 ? 0.5 : 0.99),
    harder: (passed) => (passed < 0.4 ? 0 : 0.2),
  },
  'of hard kinds': { hours: 24, count: 2000, share: () => 0.5, harder: () => 0, hard: { a: 0.2, b: 0.7, by: 0.25 } },
  'by day': {
    hours: 240,
    count: 2500,
    share: (_, hour) => (isDay(hour) ? 0.13 : 0),
    harder: (_, hour) => (isDay(hour) ? 0.2 : 0),
  },
};

const LOOK = 100;
const HOUR_MS = 3_600_000;

function isDay(hour: number): boolean {
  return hour % 24 >= 9 && hour % 24 < 17;
}

/** Share of canaries that are rolled back though equal, or promoted though worse by so much. */
function wrongly(
  canary: Canary,
  drop: number,
  runs: number,
  random: () => number,
  compared: (
    a: readonly Valued[],
    b: readonly Valued[],
    asked: typeof AS_TASK,
  ) => Pick<ReturnType<typeof compareBeside>, 'success' | 'logWorse'>,
): number {
  const { hours, count, share, harder, hard = { a: 0, b: 0, by: 0 } } = canary;
  const isWrong = () => {
    const [a, b]: [Valued[], Valued[]] = [[], []];
    for (let one = 1; one <= count; one += 1) {
      const passed = (one - 1) / count;
      const at = passed * hours;
      const isB = random() < share(passed, at);
      const isHard = random() < (isB ? hard.b : hard.a);
      const rate = RATE - harder(passed, at) - (isHard ? hard.by : 0) - (isB ? drop : 0);
      const value = random() < rate ? 1 : 0;
      (isB ? b : a).push({ user: one, conversation: one, at: at * HOUR_MS, kind: isHard ? 'hard' : '', value });
      if (one % LOOK !== 0) continue;
      const { success, logWorse } = compared(a, b, AS_TASK);
      if (drop === 0 && Math.exp(logWorse) >= ROLLS_BACK_AT) return true;
      if (drop > 0 && success.is === 'compared' && success.lower >= -LIMIT) return true;
    }
    return false;
  };
  return Array.from({ length: runs }, isWrong).filter(Boolean).length / runs;
}

/** All hours together. */
function together(a: readonly Valued[], b: readonly Valued[], asked: typeof AS_TASK) {
  return compareOnline(sampleOf(a), sampleOf(b), { ...asked, criteria: [] });
}

const AS_TASK: Parameters<typeof compareBeside>[2] = {
  ...{ alpha: LEVEL, smallest: LIMIT, about: 'task', called: { a: 'a', b: 'b' } },
};

function sampleOf(successes: readonly Valued[]): OnlineSample {
  return { scores: [], successes, passes: new Map(), steps: [], tokens: [], cost: [] };
}

function withEarlier(worlds: readonly World[]): readonly World[] {
  return worlds.map((one) => ({ ...one, earlier: true }));
}

/** Abilities are in random order, so the first cases are a random choice. */
const LOSSES: Readonly<Record<string, NonNullable<World['changed']>>> = {
  'an eighth': (chances) => chances.map((chance, at) => (at < Math.floor(chances.length / 8) ? 0 : chance)),
  'a quarter': (chances) => chances.map((chance, at) => (at < chances.length / 4 ? 0 : chance)),
  'all a little': (chances) => spreadEvenly(chances, 0.1 * chances.length),
};

/** Ways of losing exactly so much on the cases together. */
function spreadsOf(share: number): Readonly<Record<string, NonNullable<World['changed']>>> {
  const taking = (most: (chance: number) => number) => (chances: readonly number[]) => {
    let left = share * chances.length;
    return chances.map((chance) => {
      const lost = Math.min(most(chance), left);
      left -= lost;
      return chance - lost;
    });
  };
  return {
    evenly: (chances) => spreadEvenly(chances, share * chances.length),
    'by some': taking((chance) => chance / 2),
    'by few': taking((chance) => chance),
  };
}

function spreadEvenly(chances: readonly number[], lost: number): readonly number[] {
  const all = chances.reduce((sum, chance) => sum + chance, 0);
  return chances.map((chance) => chance * (1 - Math.min(1, lost / all)));
}

function drawn({ cases, repeats, alike = 0, drift = 0, earlier, changed }: World, random: () => number): Release {
  const chances = Array.from({ length: cases }, () => beta(RATE, BY_CASE, random));
  const built = (of: readonly number[], by = 0) =>
    of.map((chance): PassedRuns => {
      const shifted = Math.min(1, Math.max(0, chance + by));
      const own = alike > 0 && shifted > 0 && shifted < 1 ? beta(shifted, alike, random) : shifted;
      return { passes: Array.from({ length: repeats }, () => random() < own).filter(Boolean).length, of: repeats };
    });
  const off = drift * (2 * random() - 1);
  return {
    baseline: built(chances),
    candidate: built(changed?.(chances) ?? chances),
    earlier: earlier === true ? Array.from({ length: BUILDS }, () => built(chances, off)) : [],
  };
}

function decision(rule: string, release: Release, level = LEVEL) {
  return gated(rule, release, level).decision;
}

/** By the gate itself, of experiments whose runs succeed or fail. */
function gated(rule: string, { baseline, candidate, earlier }: Release, level: number) {
  const experiment = (name: string, cases: readonly PassedRuns[]) =>
    experimentOf(
      name,
      cases.flatMap(({ passes, of }, at) =>
        Array.from({ length: of }, (_, repeat) => ({
          ...{ case: `case-${at}`, repeat: repeat + 1 },
          evaluations: [repeat < passes ? SUCCESS : FAILURE],
        })),
      ),
    );
  const now = experiment('candidate', candidate);
  const { gate } = readGate(`{ confidence: ${1 - level}, rules: { ${rule} } }`, 'gate.yaml', now.experiment.suites);
  if (gate === undefined) throw new Error(`a rule with mistakes: ${rule}`);
  const before = {
    baseline: experiment('baseline', baseline),
    earlier: earlier.map((one) => experiment('earlier', one)),
  };
  return decideGate({ candidate: now, ...before, gate, warnings: [] });
}

const SUCCESS = { score: 1, outcome: 'successful_completion', verdicts: {} } as const;
const FAILURE = { score: 0, outcome: 'hard_failure', verdicts: {} } as const;

/** Chance of as few passes of the candidate over all cases, or fewer, with those of both sides of each case given. */
function chanceOfSum({ baseline, candidate }: Release): number {
  let chances = new Map([[0, 1]]);
  let seen = 0;
  for (const [at, b] of candidate.entries()) {
    const a = baseline[at] ?? { passes: 0, of: 0 };
    const passes = a.passes + b.passes;
    const whole = logChoose(a.of + b.of, passes);
    const sums = new Map<number, number>();
    for (let k = Math.max(0, passes - a.of); k <= Math.min(b.of, passes); k += 1) {
      const chance = Math.exp(logChoose(b.of, k) + logChoose(a.of, passes - k) - whole);
      for (const [sum, known] of chances) sums.set(sum + k, (sums.get(sum + k) ?? 0) + known * chance);
    }
    chances = sums;
    seen += b.passes;
  }
  return [...chances].reduce((all, [sum, chance]) => all + (sum <= seen ? chance : 0), 0);
}

/** Jöhnk's method, which is made for shapes below 1; of others by their mean and a correlation above .05 it is quick enough. */
function beta(mean: number, correlation: number, random: () => number): number {
  const sum = 1 / correlation - 1;
  for (;;) {
    const [x, y] = [random() ** (1 / (mean * sum)), random() ** (1 / ((1 - mean) * sum))];
    if (x + y > 0 && x + y <= 1) return x / (x + y);
  }
}

function row(name: string, ours: number, reference: number): BenchRow {
  return { name, ours, reference, ratio: reference === 0 ? ours : ours / reference };
}
