/**
 * Counts the preferences of judges. A pair of answers is asked about in both orders, and only what holds in both is a
 * win: a judge that leans towards the answer that stands first gives ties then, and no wins. Its bias is reported too,
 * as the share of its decisions that went to whichever answer stood first: without bias that is a half.
 *
 * Where a pair is asked about in one order only, which one is chance, the lean falls on both sides alike, and is noise.
 */
import type { PositionLean, Preference, PreferenceTally } from '../../../model/preference.ts';

/** Result of one pair. A text says why there is no preference. */
export interface AskedPair {
  readonly case: string;
  /** Experiments by their ids. */
  readonly a: string;
  readonly b: string;
  /** Points for a and b, a having stood first; undefined where that order was not asked. */
  readonly straight: Preference | string | undefined;
  /** Points for a and b, b having stood first. */
  readonly exchanged: Preference | string | undefined;
}

/** Preference between a and b; a text if there is none. */
export function preferenceIn({ straight, exchanged }: AskedPair): Preference | string {
  if (straight === undefined) return exchanged ?? 'Nobody was asked.';
  if (exchanged === undefined || typeof straight === 'string') return straight;
  if (typeof exchanged === 'string') return exchanged;
  return straight[0] === exchanged[0] && straight[1] === exchanged[1] ? straight : [0, 0];
}

/** Counts for pairs of the same two experiments, named in the same order. */
export function tallyOf(pairs: readonly AskedPair[]): PreferenceTally {
  const casesA: string[] = [];
  const casesB: string[] = [];
  let [ties, contradictions, unanswered] = [0, 0, 0];
  for (const pair of pairs) {
    const preference = preferenceIn(pair);
    if (typeof preference === 'string') unanswered += 1;
    else if (preference[0] === 1) casesA.push(pair.case);
    else if (preference[1] === 1) casesB.push(pair.case);
    else {
      ties += 1;
      if (contradicts(pair)) contradictions += 1;
    }
  }
  const [first] = pairs;
  return {
    a: first?.a ?? '',
    b: first?.b ?? '',
    winsA: casesA.length,
    winsB: casesB.length,
    ties,
    contradictions,
    unanswered,
    casesA,
    casesB,
  };
}

export function positionLean(pairs: readonly AskedPair[]): PositionLean {
  let [first, decided] = [0, 0];
  for (const { straight, exchanged } of pairs) {
    // Each is for a and b; who stood first is what differs.
    for (const [points, firstIs] of [[straight, 0] as const, [exchanged, 1] as const]) {
      if (points === undefined || typeof points === 'string' || points[0] + points[1] === 0) continue;
      decided += 1;
      first += points[firstIs];
    }
  }
  return { first, decided };
}

function contradicts({ straight, exchanged }: AskedPair): boolean {
  if (typeof straight !== 'object' || typeof exchanged !== 'object') return false;
  return straight[0] !== exchanged[0] || straight[1] !== exchanged[1];
}
