/**
 * Random small trajectories, and a referee that is independent of the algorithms. It goes through all ways to pair
 * steps with calls, throws out those that contradict the orders, and takes the best by the definitions in
 * `compare-run.ts`, layer by layer.
 */
import type { ToolCall } from '../../../src/model/turn.ts';
import type { Alignment, AlignmentProblem } from '../../../src/score/alignment/alignment-problem.ts';
import { align } from '../../../src/score/alignment/align.ts';
import { partialOrder } from '../../../src/score/alignment/partial-order.ts';
import type { CompareOptions } from '../../../src/score/trajectory/pair-grades.ts';
import { compareRun, type RunComparison } from '../../../src/score/trajectory/compare-run.ts';
import {
  expectedOrder,
  type ExpectedStep,
  forbidsExtras,
  type GoldenTrace,
  MATCH_MODES,
  ordered,
} from '../../../src/score/trajectory/golden-trace.ts';
import { exactly } from '../../../src/score/trajectory/match-arguments.ts';
import { type Run, runOf } from '../../../src/score/trajectory/run.ts';
import { randomFrom } from '../../random.ts';
import { aTurn } from '../conversations.ts';
import { call } from './ticket-agent.ts';

interface Random {
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

function randomOf(seed: number): Random {
  const next = randomFrom(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    // The cast holds: no list here is empty.
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
  };
}

const TOOLS = ['get_a', 'get_b', 'set_c'];
const OPTIONS: CompareOptions = {
  isWrite: (tool) => tool.startsWith('set'),
  scope: () => ({}),
  unsafe: new Map(),
};

/** The first disagreement, in words; undefined where there is none. */
export function compareWithReferee(seed: number): string | undefined {
  const random = randomOf(seed);
  const trace = aTrace(random);
  const run = aRunOf(random);
  const unsafe = new Map<ToolCall, string>();
  const first = run.calls[0];
  if (first !== undefined && random.chance(0.05)) unsafe.set(first, 'forbidden');
  const options = { ...OPTIONS, unsafe };
  const ours = compareRun(trace, run, options);
  const callOf = ours.steps.map(({ call: made }) => (made === undefined ? -1 : run.calls.indexOf(made)));
  const best = bestByReferee(trace, run, options);
  const said = `seed ${seed}, ${trace.mode}, ${trace.steps.length} steps, ${run.calls.length} calls`;
  if (!ours.isOptimal) return `${said}: it says that it may not be the best`;
  if (!isPossible(trace, run, callOf)) return `${said}: the alignment ${callOf.join()} is not possible`;
  const layers = layersOf(trace, run, options, callOf);
  if (compareLayers(layers, best.layers) !== 0) {
    return `${said}: [${layers.join()}] by ${callOf.join()}, the referee has [${best.layers.join()}] by ${best.callOf.join()}`;
  }
  const score = scoreByDefinition(trace, run, options, best.callOf);
  const { right, bonus, whole } = ours.score;
  const mine = whole === 0 ? 1 : (right + bonus) / whole;
  if (Math.abs(mine - score) > 1e-12) return `${said}: the score is ${mine}, the referee has ${score}`;
  const shuffled = compareRun(reordered(trace, random), run, options);
  if (ratio(shuffled) !== ratio(ours)) {
    return `${said}: the score is ${ratio(ours)}, and ${ratio(shuffled)} with the reference in another order`;
  }
  return undefined;
}

function ratio({ score: { right, bonus, whole } }: RunComparison): string {
  return `${right} and ${bonus} of ${whole}`;
}

/** The same for orders and costs of any kind, against the least cost there is. */
export function compareCosts(seed: number): string | undefined {
  const random = randomOf(seed);
  const [steps, calls] = [random.below(6), random.below(6)];
  const pairs = Array.from({ length: steps * calls }, () =>
    random.chance(0.3) ? Number.POSITIVE_INFINITY : random.below(9),
  );
  const missing = Array.from({ length: steps }, () => random.below(9));
  const extra = Array.from({ length: calls }, () => random.below(5));
  const problem: AlignmentProblem = {
    expected: randomOrder(steps, random),
    actual: randomOrder(calls, random),
    pairCost: (step, at) => pairs[step * calls + at] ?? 0,
    missingCost: (step) => missing[step] ?? 0,
    extraCost: (at) => extra[at] ?? 0,
  };
  const ours: Alignment = align(problem);
  let least = Number.POSITIVE_INFINITY;
  for (const callOf of pairings(steps, calls, (step, at) => pairs[step * calls + at] !== Number.POSITIVE_INFINITY)) {
    const cost = costOf(problem, callOf);
    if (cost < least && hasNoCircle(problem.expected, problem.actual, callOf)) least = cost;
  }
  const isPossible = hasNoCircle(problem.expected, problem.actual, ours.callOf);
  if (isPossible && ours.isOptimal && ours.cost === least && costOf(problem, ours.callOf) === least) return undefined;
  return `seed ${seed}: ${ours.callOf.join()} costs ${ours.cost}, possible: ${isPossible}, the referee has ${least}`;
}

function costOf(problem: AlignmentProblem, callOf: readonly number[]): number {
  let cost = 0;
  callOf.forEach((at, step) => {
    cost += at < 0 ? problem.missingCost(step) : problem.pairCost(step, at);
  });
  for (let at = 0; at < problem.actual.size; at += 1) if (!callOf.includes(at)) cost += problem.extraCost(at);
  return cost;
}

function randomOrder(size: number, random: Random) {
  const density = random.pick([0, 0.2, 0.5, 1]);
  const before = Array.from({ length: size }, () => new Set<number>());
  for (let later = 0; later < size; later += 1) {
    for (let earlier = 0; earlier < later; earlier += 1) {
      if (!random.chance(density)) continue;
      before[later]?.add(earlier);
      for (const nearer of before[earlier] ?? []) before[later]?.add(nearer);
    }
  }
  return partialOrder(size, (earlier, later) => before[later]?.has(earlier) === true);
}

function aTrace(random: Random): GoldenTrace {
  const size = random.below(6);
  const steps: ExpectedStep[] = [];
  // Groups of steps one after another; now and then a step that is only after some of those above it.
  let before = 0;
  for (let index = 0; index < size; index += 1) {
    if (random.chance(0.6)) before = index;
    const after = random.chance(0.2)
      ? closed(
          steps.flatMap((_, earlier) => (random.chance(0.5) ? [earlier] : [])),
          steps,
        )
      : new Set(Array.from({ length: before }, (_, earlier) => earlier));
    steps.push(aStep(index, after, random));
  }
  const mode = random.pick(MATCH_MODES);
  return {
    id: 'random',
    description: '',
    input: '',
    scenario: 'random',
    mode,
    steps,
    order: expectedOrder(steps, mode),
    output: { in: 'last_answer', contains: [], matches: [] },
    maxSteps: undefined,
    maxTokens: undefined,
    tags: [],
    draft: false,
    file: '',
    line: undefined,
  };
}

function closed(places: readonly number[], steps: readonly ExpectedStep[]): ReadonlySet<number> {
  return new Set(places.flatMap((place) => [place, ...(steps[place]?.after ?? [])]));
}

function aStep(index: number, after: ReadonlySet<number>, random: Random): ExpectedStep {
  const tool = random.pick(TOOLS);
  const [x, y] = [random.below(2), random.below(2)];
  const argument = (key: string, value: number) => ({
    key,
    ...exactly(value),
    expected: String(value),
    example: value,
    critical: random.chance(0.1),
  });
  return {
    number: index + 1,
    tool,
    isGlob: false,
    isTool: (name) => name === tool,
    args: random.chance(0.2)
      ? undefined
      : {
          expected: [argument('x', x), argument('y', y)],
          keys: ['x', 'y'],
          open: false,
          ignored: new Set(),
          lastRight: { text: undefined },
        },
    observation: undefined,
    required: random.chance(0.7),
    halves: random.chance(0.5) ? undefined : 1 + random.below(5),
    writes: undefined,
    after,
  };
}

function aRunOf(random: Random): Run {
  const size = random.below(6);
  let now = 0;
  const calls = Array.from({ length: size }, () => {
    // Some begin while others run.
    now += random.below(3);
    const args = random.chance(0.1) ? { x: '1', y: 0 } : { x: random.below(2), y: random.below(2) };
    return call(random.pick(TOOLS), args, { startedAtMs: now, endedAtMs: now + random.below(4) });
  });
  return runOf({ turns: [aTurn({ steps: [], toolCalls: calls })], once: (_, compute) => compute() });
}

/** The same trace, its steps listed in another order that is no other in meaning. */
function reordered(trace: GoldenTrace, random: Random): GoldenTrace {
  const left = new Set(trace.steps.keys());
  const listed: number[] = [];
  while (left.size > 0) {
    const free = [...left].filter((index) => {
      const isOrdered = ordered(trace.mode);
      return !isOrdered || [...(trace.steps[index]?.after ?? [])].every((earlier) => !left.has(earlier));
    });
    const next = random.pick(free);
    left.delete(next);
    listed.push(next);
  }
  const places = new Map(listed.map((old, place) => [old, place]));
  const steps = listed.flatMap((old, place) => {
    const step = trace.steps[old];
    if (step === undefined) return [];
    return [{ ...step, number: place + 1, after: new Set([...step.after].map((earlier) => places.get(earlier) ?? 0)) }];
  });
  return { ...trace, steps, order: expectedOrder(steps, trace.mode) };
}

function* pairings(
  steps: number,
  calls: number,
  mayPair: (step: number, call: number) => boolean,
  callOf: number[] = [],
): Generator<readonly number[]> {
  const step = callOf.length;
  if (step === steps) {
    yield [...callOf];
    return;
  }
  for (let at = -1; at < calls; at += 1) {
    if (at >= 0 && (callOf.includes(at) || !mayPair(step, at))) continue;
    callOf.push(at);
    yield* pairings(steps, calls, mayPair, callOf);
    callOf.pop();
  }
}

interface Orders {
  precedes(earlier: number, later: number): boolean;
}

function isPossible(trace: GoldenTrace, run: Run, callOf: readonly number[]): boolean {
  const expected = {
    precedes: (earlier: number, later: number) =>
      ordered(trace.mode) && trace.steps[later]?.after.has(earlier) === true,
  };
  return hasNoCircle(expected, run.order, callOf);
}

/** Steps and calls as events, a pair being one event: who can be reached from whom must not include oneself. */
function hasNoCircle(expected: Orders, actual: Orders, callOf: readonly number[]): boolean {
  const pairs = callOf.flatMap((at, step) => (at < 0 ? [] : [{ step, at }]));
  const reaches = pairs.map((one) =>
    pairs.map((other) => expected.precedes(one.step, other.step) || actual.precedes(one.at, other.at)),
  );
  for (let via = 0; via < pairs.length; via += 1) {
    for (const row of reaches) {
      for (let to = 0; to < pairs.length; to += 1) row[to] ||= row[via] === true && reaches[via]?.[to] === true;
    }
  }
  return reaches.every((row, index) => row[index] !== true);
}

type LayerAmounts = readonly [wrong: number, forbidden: number, failed: number, lackingBonus: number];

/** Costs to be minimized, the first before the second and so on. */
function layersOf(trace: GoldenTrace, run: Run, options: CompareOptions, callOf: readonly number[]): LayerAmounts {
  let [wrong, failed, lacking, made] = [0, 0, 0, 0];
  const isSubset = trace.mode === 'subset';
  trace.steps.forEach((step, index) => {
    const made_ = run.calls[callOf[index] ?? -1];
    const points = made_ === undefined ? 0 : pointsOf(step, made_, options);
    const weight = weightOf(step, options);
    if (step.required || isSubset) {
      wrong += weight * (2 - points);
      if (points === 0) failed += weight;
      if (made_ !== undefined) made += weight;
    } else lacking += weight * (2 - points);
  });
  const extras = run.calls.filter((_, at) => !callOf.includes(at));
  const forbidden = forbidsExtras(trace.mode) ? sum(extras.map((extra) => (options.isWrite(extra.name) ? 6 : 2))) : 0;
  return [wrong, forbidden, isSubset ? made : failed, isSubset ? 0 : lacking];
}

function scoreByDefinition(trace: GoldenTrace, run: Run, options: CompareOptions, callOf: readonly number[]): number {
  const isSubset = trace.mode === 'subset';
  let [right, bonus, halves, whole] = [0, 0, 0, 0];
  trace.steps.forEach((step, index) => {
    const made = run.calls[callOf[index] ?? -1];
    const score = made === undefined ? 0 : pointsOf(step, made, options) / 2;
    const weight = weightOf(step, options) / 2;
    if (!step.required && !isSubset) {
      bonus += score * weight;
      return;
    }
    if (isSubset && made === undefined) return;
    whole += weight;
    right += score * weight;
    if (score === 0.5) halves += weight / 2;
  });
  whole += layersOf(trace, run, options, callOf)[1] / 2;
  if (options.unsafe.size > 0) return 0;
  return whole === 0 ? 1 : (right + Math.min(bonus, halves) / 2) / whole;
}

function pointsOf(step: ExpectedStep, made: ToolCall, { unsafe }: CompareOptions): number {
  if (unsafe.has(made)) return 0;
  if (step.args === undefined) return 2;
  // The arguments of these runs are x and y, always both.
  const given = new Map(Object.entries(made.args.json as Record<string, unknown>));
  const grades = step.args.expected.map(({ key, expected, critical }) => {
    const value = given.get(key);
    const isSame = String(value) === expected;
    return { grade: isSame ? (typeof value === 'number' ? 2 : 1) : 0, critical };
  });
  if (grades.some(({ grade, critical }) => critical && grade === 0)) return 0;
  if (grades.every(({ grade }) => grade === 0)) return 0;
  return grades.every(({ grade }) => grade === 2) ? 2 : 1;
}

function weightOf({ halves, tool }: ExpectedStep, { isWrite }: CompareOptions): number {
  return halves ?? (isWrite(tool) ? 6 : 2);
}

function bestByReferee(trace: GoldenTrace, run: Run, options: CompareOptions) {
  let best: { readonly layers: LayerAmounts; readonly callOf: readonly number[] } | undefined;
  const mayPair = (step: number, at: number) => trace.steps[step]?.isTool(run.calls[at]?.name ?? '') === true;
  for (const callOf of pairings(trace.steps.length, run.calls.length, mayPair)) {
    const layers = layersOf(trace, run, options, callOf);
    if (best !== undefined && compareLayers(layers, best.layers) >= 0) continue;
    if (isPossible(trace, run, callOf)) best = { layers, callOf };
  }
  if (best === undefined) throw new Error('leaving everything out is always possible');
  return best;
}

function compareLayers(a: LayerAmounts, b: LayerAmounts): number {
  for (let layer = 0; layer < a.length; layer += 1) {
    const difference = (a[layer] ?? 0) - (b[layer] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
