/**
 * npm run bench -- learn --data <conversations with a reward> [--runs <searches>] [--seed <n>] [--half a|b] [--json]
 *
 * What does a search for criteria find, and are its certificates true? The file has the form of `bench -- validity`.
 *
 *     … caught, precision       tasks are left out in turn, criteria are learned from the others' rewards, and those that are
 *                               certified are asked about the tasks that were left out; the reference is the share of bad
 *     … area                    area under the curve on these, of how many criteria fail; the reference is that of a
 *                               prediction learned from the same conversations
 *     permuted …                outcomes and kinds are permuted: shares of searches that offer, and that certify, anything;
 *                               the reference is .05
 *     planted …                 a kind of failure is made of conversations on which an expression fires that is drawn by
 *                               chance, among other failures: share of searches that certify a criterion for it (reference
 *                               .8), and share of all intervals that hold the precision of fresh outcomes (reference .93)
 *
 * `--half` takes every other task: a were looked at while this was built.
 */
import { factsOf } from '../src/engine/turn-facts.ts';
import { bitsOf, both, countOf, has } from '../src/learn/bits.ts';
import { offered } from '../src/learn/certify.ts';
import { checksOf, conditionsOf } from '../src/learn/expressions.ts';
import { HOLDS, HOLDS_NOT, type Row, rowsOf } from '../src/learn/fires.ts';
import { type Candidate, spaceOf } from '../src/learn/search.ts';
import { vocabularyOf } from '../src/learn/vocabulary.ts';
import { randomFrom } from '../src/model/random.ts';
import { areaUnderCurve } from '../src/statistics/calibrate/area-under-curve.ts';
import { foretold, learn } from '../src/statistics/estimate/prediction.ts';
import type { BenchRow } from './row.ts';
import { conversationsOfTau, type TauConversation } from './validity.ts';

interface LearnBench {
  readonly file: string;
  readonly half: 'a' | 'b' | undefined;
  readonly runs: number;
  readonly seed: number;
}

const READ = 100;
const FOLDS = 5;
const ROUNDS = 4;
const PLANTED = [
  { share: 0.1, others: 0.1 },
  { share: 0.1, others: 0.3 },
  { share: 0.2, others: 0.3 },
];
const RIGHT = 0.95;

export async function benchLearn({ file, half, runs, seed }: LearnBench) {
  const random = randomFrom(seed);
  const all = (await conversationsOfTau(file)).filter(
    ({ task }) => half === undefined || task % 2 === (half === 'a' ? 0 : 1),
  );
  const conversations = all.map(({ conversation }) => conversation);
  const vocabulary = vocabularyOf(conversations);
  const rows: Rows = {
    checks: rowsOf(checksOf(vocabulary), conversations),
    conditions: rowsOf(conditionsOf(vocabulary), conversations),
  };
  const bad = all.filter(({ isRewarded }) => !isRewarded).length / all.length;
  const notes = [
    `${all.length} conversations of ${new Set(all.map(({ task }) => task)).size} tasks, seed ${seed}`,
    `${rows.checks.length} checks, ${rows.conditions.length} conditions`,
  ];
  return {
    rows: [
      ...leftOut(all, rows, { bad, random }),
      ...permuted(all, rows, { runs, random }),
      ...PLANTED.flatMap((plan) => planted(all, rows, { ...plan, runs, random })),
    ],
    notes,
  };
}

interface Rows {
  readonly checks: readonly Row[];
  readonly conditions: readonly Row[];
}

function row(name: string, ours: number, reference: number): BenchRow {
  return { name, ours, reference, ratio: ours / reference };
}

const KIND = 'failed';

function leftOut(
  all: readonly TauConversation[],
  rows: Rows,
  { bad, random }: { readonly bad: number; readonly random: () => number },
): readonly BenchRow[] {
  const tasks = [...new Set(all.map(({ task }) => task))];
  let [flagged, right, failures] = [0, 0, 0];
  const scores: { readonly score: number; readonly isPositive: boolean }[] = [];
  const foreseen: { readonly score: number; readonly isPositive: boolean }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = shuffled(tasks, random);
    for (let fold = 0; fold < FOLDS; fold += 1) {
      const out = new Set(order.filter((_, at) => at % FOLDS === fold));
      const places = [...all.keys()];
      const train = places.filter((at) => !out.has(all[at]?.task ?? 0));
      const found = certifiedOf(rows, train, (at) => {
        const { isRewarded = true, task = 0 } = all[at] ?? {};
        return {
          isBad: !isRewarded,
          kind: isRewarded ? undefined : KIND,
          cluster: `${task}`,
          weight: 1,
          isCalledFine: true,
        };
      });
      const lessons = train.flatMap((at) => lessonOf(all[at]));
      const prediction = learn(lessons);
      for (const at of places.filter((one) => !train.includes(one))) {
        const { isRewarded = true, conversation } = all[at] ?? {};
        const fails = found.filter((candidate) => firesOn(candidate, rows, at)).length;
        scores.push({ score: -fails, isPositive: isRewarded });
        const chance =
          prediction && conversation && foretold(prediction, factsOf(conversation.turns, undefined))?.chance;
        foreseen.push({ score: (chance ?? bad) - fails, isPositive: isRewarded });
        failures += Number(!isRewarded);
        flagged += Number(fails > 0);
        right += Number(fails > 0 && !isRewarded);
      }
    }
  }
  return [
    row('tasks left out: caught', right / failures, 0.45),
    row('tasks left out: precision', flagged === 0 ? Number.NaN : right / flagged, bad),
    row('tasks left out: area', areaUnderCurve(scores) ?? Number.NaN, areaUnderCurve(foreseen) ?? Number.NaN),
  ];
}

function lessonOf(one: TauConversation | undefined) {
  return one === undefined ? [] : [{ facts: factsOf(one.conversation.turns, undefined), isGood: one.isRewarded }];
}

type CaseAt = (at: number) => Parameters<typeof offered>[1][number];

function offeredOf({ checks, conditions }: Rows, places: readonly number[], caseAt: CaseAt, kinds: readonly string[]) {
  const only = ({ of, holds }: Row): Row => ({ of, holds: Uint8Array.from(places, (at) => holds[at] ?? 0) });
  const space = spaceOf(checks.map(only), conditions.map(only));
  return offered(space, places.map(caseAt), kinds);
}

function certifiedOf(rows: Rows, places: readonly number[], caseAt: CaseAt): readonly Candidate[] {
  const found = offeredOf(rows, places, caseAt, [KIND]).get(KIND) ?? [];
  return found.flatMap(({ candidate, measured }) => (isAbove(measured) ? [candidate] : []));
}

function isAbove({
  precision,
  bad,
}: {
  readonly precision: { readonly lower: number } | undefined;
  readonly bad: number;
}) {
  return precision !== undefined && precision.lower > bad;
}

function firesOn({ check, when }: Candidate, { checks, conditions }: Rows, at: number): boolean {
  const held = checks.find(({ of }) => of.cel === check.of.cel)?.holds[at];
  const asked = when === undefined ? HOLDS : conditions.find(({ of }) => of.cel === when.of.cel)?.holds[at];
  return held === HOLDS_NOT && asked === HOLDS;
}

interface Searches {
  readonly runs: number;
  readonly random: () => number;
}

function permuted(all: readonly TauConversation[], rows: Rows, { runs, random }: Searches): readonly BenchRow[] {
  let [anyOffered, anyCertified] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    const places = shuffled([...all.keys()], random).slice(0, READ);
    // From few failures to many, of two kinds.
    const bad = 0.1 + 0.6 * (run / runs);
    const said = shuffled(
      places.map((_, at) => (at < bad * places.length ? (at % 2 === 0 ? 'one' : 'two') : undefined)),
      random,
    );
    const found = offeredOf(
      rows,
      [...places.keys()].map((at) => places[at] ?? 0),
      caseOf(places, said),
      ['one', 'two', ''],
    );
    const offers = [...found.values()].flat();
    anyOffered += Number(offers.length > 0);
    anyCertified += Number(offers.some(({ measured }) => isAbove(measured)));
  }
  return [row('permuted: offered', anyOffered / runs, 0.05), row('permuted: certified', anyCertified / runs, 0.05)];
}

/** Kinds by place in `places`. */
function caseOf(places: readonly number[], kinds: readonly (string | undefined)[]): CaseAt {
  const kindAt = new Map(places.map((place, at) => [place, kinds[at]]));
  return (at) => {
    const kind = kindAt.get(at);
    return { isBad: kind !== undefined, kind, cluster: `${at}`, weight: 1, isCalledFine: true };
  };
}

function planted(
  all: readonly TauConversation[],
  rows: Rows,
  { share, others, runs, random }: Searches & (typeof PLANTED)[number],
): readonly BenchRow[] {
  let [certified, intervals, holding] = [0, 0, 0];
  for (let run = 0; run < runs; run += 1) {
    const fires = drawnRule(all.length, rows, { share, random });
    const isBad = all.map((_, at) => random() < (has(fires, at) ? RIGHT : others));
    const places = shuffled([...all.keys()], random).slice(0, READ);
    const kinds = places.map((at) => (isBad[at] === true ? (has(fires, at) ? 'planted' : 'other') : undefined));
    const found = offeredOf(rows, places, caseOf(places, kinds), ['planted', '']);
    certified += Number((found.get('planted') ?? []).some(({ measured }) => isAbove(measured)));
    for (const { candidate, measured } of [...found.values()].flat()) {
      if (measured.precision === undefined) continue;
      const on = [...all.keys()].filter((at) => firesOn(candidate, rows, at));
      const fresh = on.reduce((sum, at) => sum + (has(fires, at) ? RIGHT : others), 0) / on.length;
      intervals += 1;
      holding += Number(measured.precision.lower <= fresh && fresh <= measured.precision.upper);
    }
  }
  const name = `planted ${share} among ${others}`;
  return [row(`${name}: certified`, certified / runs, 0.8), row(`${name}: interval holds`, holding / intervals, 0.93)];
}

/** Fires on about this share. */
function drawnRule(
  size: number,
  { checks, conditions }: Rows,
  { share, random }: { readonly share: number; readonly random: () => number },
) {
  for (;;) {
    const check = checks[Math.floor(random() * checks.length)];
    const condition = random() < 0.5 ? undefined : conditions[Math.floor(random() * conditions.length)];
    if (check === undefined) continue;
    const fires = bitsOf(check.holds, HOLDS_NOT);
    const all = condition === undefined ? fires : both(fires, bitsOf(condition.holds, HOLDS));
    if (Math.abs(countOf(all) / size - share) < share / 5) return all;
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
