/**
 * Calls that were made beside calls that were expected, as multisets: each expected call is one call of that tool with at least the expected
 * arguments, and each call that was made is one that was expected. The best alignment there is decides which call is which: as many right
 * ones as possible, then calls of the right tool with the fewest differences.
 */
import type { Json } from '../../model/json.ts';
import { align } from '../alignment/align.ts';
import { chainOrder, freeOrder, type PartialOrder } from '../alignment/partial-order.ts';
import { CheckError } from '../subject/answer.ts';
import { shorten, toExcerpt } from '../subject/sentences.ts';
import { valueDifferences } from './value-differences.ts';

export interface ExpectedCall {
  readonly name: string;
  /** Undefined where they do not matter. */
  readonly args: Json | undefined;
}

export interface MadeCall {
  readonly name: string;
  /** Undefined where they are not known: they are taken to be right. */
  readonly args: Json | undefined;
  /** Whether it may be there without having been expected. */
  readonly mayBeExtra?: boolean;
}

interface CallComparison {
  readonly missing: readonly ExpectedCall[];
  /** Places among the calls that were made. */
  readonly extra: readonly number[];
  readonly different: readonly {
    readonly made: number;
    readonly name: string;
    readonly differences: readonly string[];
  }[];
  /** Places of the calls that are right. */
  readonly right: readonly number[];
}

const CALLS_MAX = 500;
/** A pair that differs is better than two that are alone, and worse than any that is right. */
const ALONE = 2000;
const DIFFERENT = 1000;
const DIFFERENCES_MAX = 500;

/** If an order of the calls is given, the expected ones must come one after another. */
export function compareCalls(
  expected: readonly ExpectedCall[],
  made: readonly MadeCall[],
  order?: PartialOrder,
): CallComparison {
  const most = Math.max(expected.length, made.length);
  if (most > CALLS_MAX) throw new CheckError(`There are ${most} calls to compare; at most ${CALLS_MAX} are.`);
  const known = new Map<number, readonly string[]>();
  const differencesOf = (step: number, call: number): readonly string[] => {
    const key = step * made.length + call;
    let differences = known.get(key);
    if (differences === undefined) {
      differences = argumentDifferences(expected[step]?.args, made[call]?.args);
      known.set(key, differences);
    }
    return differences;
  };
  const places = Map.groupBy(made.keys(), (at) => made[at]?.name ?? '');
  const { callOf } = align({
    expected: order === undefined ? freeOrder(expected.length) : chainOrder(expected.length),
    actual: order ?? freeOrder(made.length),
    missingCost: () => ALONE,
    extraCost: (call) => (made[call]?.mayBeExtra === true ? 0 : ALONE),
    pairCost: (step, call) => {
      const { length } = differencesOf(step, call);
      return length === 0 ? 0 : DIFFERENT + Math.min(length, DIFFERENCES_MAX);
    },
    candidatesOf: (step) => places.get(expected[step]?.name ?? '') ?? [],
  });
  const taken = new Set(callOf);
  const pairs = expected.map((one, step) => ({ one, made: callOf[step] ?? -1, differences: [] as readonly string[] }));
  const found = pairs.map((pair, step) =>
    pair.made < 0 ? pair : { ...pair, differences: differencesOf(step, pair.made) },
  );
  return {
    missing: found.flatMap(({ one, made: call }) => (call < 0 ? [one] : [])),
    extra: [...made.keys()].filter((call) => !taken.has(call) && made[call]?.mayBeExtra !== true),
    different: found.flatMap(({ one, made: call, differences }) =>
      differences.length === 0 ? [] : [{ made: call, name: one.name, differences }],
    ),
    right: found.flatMap(({ made: call, differences }) => (call >= 0 && differences.length === 0 ? [call] : [])),
  };
}

export function isSame({ missing, extra, different }: CallComparison): boolean {
  return missing.length + extra.length + different.length === 0;
}

const PARTS_MAX = 3;
const ARGUMENTS_LENGTH_MAX = 100;

/** Which call is missing, which is too much and which argument differs, in words and without a full stop. */
export function describeDifferences(
  { missing, extra, different }: CallComparison,
  made: readonly MadeCall[],
  noteOf: (missing: ExpectedCall) => string = () => '',
): string {
  const parts = [
    ...different.map(({ name, differences }) => {
      const more = differences.length > 2 ? ` and ${differences.length - 2} more` : '';
      return `${toExcerpt(name)} was called with other arguments: ${differences.slice(0, 2).join(', ')}${more}`;
    }),
    ...missing.map((call) => `${written(call)} was not called${noteOf(call)}`),
    ...extra.map((at) => `${written(made[at])} was not expected`),
  ];
  const more = parts.length > PARTS_MAX ? `; and ${parts.length - PARTS_MAX} more differences` : '';
  return `${parts.slice(0, PARTS_MAX).join('; ')}${more}`;
}

function written(call: Pick<ExpectedCall, 'name' | 'args'> | undefined): string {
  if (call === undefined) return 'a call';
  const args = call.args === undefined ? '…' : shorten(JSON.stringify(call.args), ARGUMENTS_LENGTH_MAX);
  return `${toExcerpt(call.name)}(${args})`;
}

function argumentDifferences(expected: Json | undefined, given: Json | undefined): readonly string[] {
  if (expected === undefined || given === undefined) return [];
  // Tools without arguments are called with nothing, with an empty text or with an empty object.
  return valueDifferences(
    expected === null || expected === '' ? {} : expected,
    given === null || given === '' ? {} : given,
    '',
  );
}
