/**
 * Weights that a reader moved, as the address keeps them: `?suite=calls&weights=few:0.3,clean:0.1&off=short`. Names of
 * criteria are letters, digits and underscores.
 */
import type { SuiteList } from '../../api/suite-list.ts';
import { withChanges } from '../shell/place.ts';

type Suite = SuiteList['suites'][number];

export interface Moved {
  /** As they were typed, by criterion. */
  readonly weights: ReadonlyMap<string, string>;
  readonly off: ReadonlySet<string>;
}

export const UNMOVED: Moved = { weights: new Map(), off: new Set() };

export function isMoved({ weights, off }: Moved): boolean {
  return weights.size > 0 || off.size > 0;
}

/** Weights of this suite in the address. An address that names no suite is about the first one. */
export function movedIn(query: URLSearchParams, suite: Suite, { isFirst }: { readonly isFirst: boolean }): Moved {
  const named = query.get('suite');
  if (named === null ? !isFirst : named !== suite.name) return UNMOVED;
  const known = new Map(suite.criteria.map((criterion) => [criterion.name, criterion]));
  const off = new Set(partsOf(query, 'off').filter((name) => known.get(name)?.critical === false));
  const weights = partsOf(query, 'weights').flatMap((part): (readonly [string, string])[] => {
    const colon = part.lastIndexOf(':');
    const name = part.slice(0, colon);
    return known.has(name) && !off.has(name) ? [[name, part.slice(colon + 1)]] : [];
  });
  return { weights: new Map(weights), off };
}

/** Parts of the address about criteria that the suite does not have, or that cannot be switched off. */
export function ignoredIn(
  query: URLSearchParams,
  suite: Suite,
  { isFirst }: { readonly isFirst: boolean },
): readonly string[] {
  const named = query.get('suite');
  if (named === null ? !isFirst : named !== suite.name) return [];
  const known = new Map(suite.criteria.map(({ name, critical }) => [name, critical]));
  const weights = partsOf(query, 'weights').filter((part) => !known.has(part.slice(0, part.lastIndexOf(':'))));
  const off = partsOf(query, 'off').filter((name) => known.get(name) !== false);
  return [
    ...weights.map((part) => `It has no criterion for the weight ${part}.`),
    ...off.map((name) => (known.has(name) ? `${name} is critical and stays on.` : `It has no criterion ${name}.`)),
  ];
}

export function withMoved(query: URLSearchParams, suite: string, { weights, off }: Moved): URLSearchParams {
  const isThere = isMoved({ weights, off });
  return withChanges(query, {
    // Another view would take it for a filter.
    suite: isThere ? suite : undefined,
    weights: [...weights].map(([name, weight]) => `${name}:${weight}`).join(','),
    off: [...off].join(','),
  });
}

/** A weight that is as the suite has it is not moved. */
export function withWeight(moved: Moved, { name, written_weight }: Suite['criteria'][number], weight: string): Moved {
  const weights = new Map(moved.weights);
  if (Number(weight) === written_weight && weight.trim() !== '') weights.delete(name);
  else weights.set(name, weight);
  return { ...moved, weights };
}

export function withSwitch(moved: Moved, name: string, { isOn }: { readonly isOn: boolean }): Moved {
  const [weights, off] = [new Map(moved.weights), new Set(moved.off)];
  if (isOn) off.delete(name);
  else {
    off.add(name);
    weights.delete(name);
  }
  return { weights, off };
}

/** Undefined for a text that is a weight. */
export function mistakeIn(weight: string): string | undefined {
  const number = Number(weight);
  if (weight.trim() === '' || Number.isNaN(number)) return 'a number from 0.000001 to 1';
  if (number === 0) return 'more than 0, or switch it off';
  if (number < 0 || number > 1) return 'more than 0, at most 1';
  return Math.abs(number * 1e6 - Math.round(number * 1e6)) < 1e-6 ? undefined : 'at most six decimals';
}

/** Why there are no shares, a sentence for each reason. */
export function whyNoShares({ criteria }: Suite, { weights, off }: Moved): readonly string[] {
  const mistakes = [...weights].flatMap(([name, weight]) => {
    const mistake = mistakeIn(weight);
    const given = weight.trim() === '' ? 'empty' : weight;
    return mistake === undefined ? [] : [`The weight of ${name} is ${given}. It takes ${mistake}.`];
  });
  const isNothingOn = criteria.every(({ name }) => off.has(name));
  return isNothingOn ? ['Every criterion is off. Switch one on.', ...mistakes] : mistakes;
}

/** Shares of the suite's weight, by criterion; undefined while a weight is none, or nothing is left. */
export function sharesOf({ criteria }: Suite, { weights, off }: Moved): ReadonlyMap<string, number> | undefined {
  if ([...weights.values()].some((weight) => mistakeIn(weight) !== undefined)) return undefined;
  const numbers = criteria.map(({ name, written_weight: written }) => {
    const weight = off.has(name) ? 0 : Number(weights.get(name) ?? written);
    return [name, weight] as const;
  });
  const sum = numbers.reduce((all, [, weight]) => all + weight, 0);
  return sum > 0 ? new Map(numbers.map(([name, weight]) => [name, weight / sum])) : undefined;
}

function partsOf(query: URLSearchParams, name: string): readonly string[] {
  return (query.get(name) ?? '').split(',').filter((part) => part !== '');
}
