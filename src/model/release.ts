/** May a version get more traffic? The answer of a canary, for people and for the machines that roll out. */
import { counted } from './counted.ts';
import type { About } from './evaluation.ts';
import { speaksOfSuccess, wordsOf } from './suite-words.ts';

export type ReleaseDecision = 'promote' | 'hold' | 'roll_back';

interface ReleaseEvidence {
  /** How many times likelier the cases of the gate are if the version is worse; 1 where none are given. */
  readonly cases: number;
  readonly traffic: number;
}

/** Evidence that rolls a version back: 1 / .025. At most one in forty versions that are no worse ever has it. */
export const ROLLS_BACK_AT = 40;

interface Release {
  readonly decision: ReleaseDecision;
  /** A sentence for a person. */
  readonly sentence: string;
  readonly evidence: ReleaseEvidence;
}

/**
 * Traffic multiplies with half of what the cases say and half of nothing: cases that went well hide no canary that does
 * not, and cost at most a factor of two.
 */
export function togetherOf({ cases, traffic }: ReleaseEvidence): number {
  return traffic * ((1 + cases) / 2);
}

interface Found {
  /** Reason why nothing can be promoted, as a clause. */
  readonly because: string | undefined;
  /** Ends of the change of the success rate in traffic, at whatever time one looks; undefined where it cannot be told. */
  readonly change: { readonly lower: number; readonly upper: number } | undefined;
  readonly conversationsNeeded: number | undefined;
  readonly evidence: ReleaseEvidence;
  /** Conversations that ran beside each other; undefined where `change` is that against earlier ones. */
  readonly beside: { readonly a: number; readonly b: number } | undefined;
  /** The version may lose so much. */
  readonly allowed: number;
  /** The most that the suite is about. */
  readonly about: About | undefined;
  /** Whether the gate has shown that the cases keep their limit; undefined where no limit on them was asked. */
  readonly cases: CasesKept | undefined;
}

/** Traffic says nothing of the cases, so that each is shown on its own. worse: the gate found a regression. */
export const CASES_KEPT = ['kept', 'open', 'worse'] as const;
type CasesKept = (typeof CASES_KEPT)[number];

export function releaseOf(found: Found): Release {
  const release = decided(found);
  const { limit } = wordsOf(found.about);
  return limit === undefined ? release : { ...release, sentence: `${release.sentence} By ${limit}.` };
}

function decided({ change, because, conversationsNeeded, evidence, beside, allowed, cases, about }: Found): Release {
  if (cases === 'worse')
    return { decision: 'roll_back', evidence, sentence: 'Roll back: the gate found that it is worse on the cases.' };
  const together = togetherOf(evidence);
  const drop = `${points(allowed)} points down`;
  const rate = speaksOfSuccess(about) ? 'success rate' : `share ${wordsOf(about).goodRate}`;
  const inTraffic =
    beside === undefined
      ? 'against earlier traffic, whose hours were others'
      : `in traffic (${counted(beside.b, 'conversation')} beside ${beside.a})`;
  const moved =
    change === undefined
      ? (because ?? `nothing is known of the ${rate} in traffic`)
      : `the ${rate} moved by ${signed(change.lower)} to ${signed(change.upper)} points ${inTraffic}`;
  if (together >= ROLLS_BACK_AT)
    return {
      ...{ decision: 'roll_back', evidence },
      sentence: `Roll back: it is worse ${where(evidence)}; evidence ${round(together)}, where ${ROLLS_BACK_AT} is enough; ${moved}.`,
    };
  const isKept = because === undefined && change !== undefined && change.lower >= -allowed;
  if (isKept && cases !== 'open')
    return { decision: 'promote', evidence, sentence: `Promote: ${moved}, and at most ${drop} is allowed.` };
  if (isKept)
    return {
      ...{ decision: 'hold', evidence },
      sentence: `Hold: ${moved}, which is enough, but the cases have not shown that they keep their limit: run each more often.`,
    };
  const why = because ?? `${moved}, and at most ${drop} is allowed`;
  const more =
    conversationsNeeded === undefined ? '' : `; about ${counted(conversationsNeeded, 'more conversation')} would tell`;
  return {
    ...{ decision: 'hold', evidence },
    sentence: `Hold: ${why}${more}; evidence that it is worse ${round(together)}, and ${ROLLS_BACK_AT} rolls it back.`,
  };
}

/** Evidence counts under "no worse on the cases, and no worse in traffic". */
function where({ cases, traffic }: ReleaseEvidence): string {
  if (traffic >= ROLLS_BACK_AT) return 'in traffic';
  return cases >= ROLLS_BACK_AT && traffic <= 1 ? 'on the cases' : 'on the cases or in traffic';
}

function points(share: number): string {
  return String(Number((share * 100).toFixed(1)));
}

function signed(share: number): string {
  return `${share < 0 ? '\u2212' : '+'}${points(Math.abs(share))}`;
}

function round(evidence: number): string {
  if (evidence >= 1000) return 'more than 1000';
  return String(Number(evidence.toPrecision(2)));
}

/** Share of agents that are called worse and are not, of all that are called so. */
const FALSE_DISCOVERIES = 1 / ROLLS_BACK_AT;

interface FleetRelease {
  readonly decision: ReleaseDecision;
  readonly sentence: string;
  /** Mean of the evidence of all agents. */
  readonly evidence: number;
  /** Agents that are worse, by a false discovery rate of 2.5 %. */
  readonly worse: readonly string[];
}

/**
 * One release of many agents, such as that of a shared prompt. The mean of e-values is one for "no agent is worse", however
 * the agents depend on each other; that of the cases counts with it. Traffic alone says which are worse, by their
 * order (e-BH: Wang and Ramdas, 2022): the k with most evidence, where the kth has 40 m / k of m agents.
 */
export function fleetOf(
  agents: readonly { readonly agent: string; readonly decision: ReleaseDecision; readonly traffic: number }[],
  cases: number,
): FleetRelease {
  const traffic = agents.reduce((sum, one) => sum + one.traffic, 0) / agents.length;
  const evidence = togetherOf({ cases, traffic });
  const sorted = agents.toSorted((x, y) => y.traffic - x.traffic);
  const found = sorted.findLastIndex((one, at) => one.traffic >= agents.length / (FALSE_DISCOVERIES * (at + 1)));
  const worse = sorted.slice(0, found + 1).map(({ agent }) => agent);
  const of = counted(agents.length, 'agent');
  const said = { evidence, worse };
  if (evidence >= ROLLS_BACK_AT || worse.length > 0) {
    const named = worse.length === 0 ? 'none is named by itself' : worse.join(', ');
    return {
      ...said,
      decision: 'roll_back',
      sentence: `Roll back: it is worse for some of ${of}: ${named}; mean evidence ${round(evidence)}.`,
    };
  }
  const held = agents.filter(({ decision }) => decision !== 'promote').length;
  return held === 0
    ? { ...said, decision: 'promote', sentence: `Promote: each of ${of} is shown to be no worse.` }
    : {
        ...said,
        decision: 'hold',
        sentence: `Hold: ${held} of ${of} ${held === 1 ? 'is' : 'are'} not shown to be no worse; mean evidence ${round(evidence)}, and ${ROLLS_BACK_AT} rolls it back.`,
      };
}
