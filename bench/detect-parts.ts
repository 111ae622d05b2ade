/**
 * One part of the traffic that breaks: found how soon, and named as the cause. Conversations have a segment, a tool, a
 * model, a language and an intent, each of several values with different frequencies, and users who come back.
 */
import { Detection } from '../src/statistics/detect/detection.ts';
import { DAY, MONDAY_MS } from './detect-traffic.ts';
import { poisson, randomFrom } from './detect-world.ts';

const HOUR = 3_600_000;
const CHANGE_DAY = 12;
const SEARCH_DAYS = 14;

export interface Breakage {
  readonly perHour: number;
  /** Share of the traffic, and what it succeeds in afterwards. */
  readonly share: number;
  readonly after: number;
}

/** Hours until the segment is called regressed; infinite where it is not within 14 days. Undefined: an alarm came before. */
export function segmentFound(seed: number, { perHour, share, after }: Breakage): number | undefined {
  const random = randomFrom(seed);
  const detection = new Detection();
  const changeAt = MONDAY_MS + CHANGE_DAY * DAY;
  for (const at of arrivals(perHour, CHANGE_DAY + SEARCH_DAYS, random)) {
    const isTail = random() < share;
    const rate = isTail && at >= changeAt ? after : 0.9;
    detection.observe(
      observation(at, random() < rate, { segment: isTail ? 'tail' : `body ${Math.floor(random() * 4)}` }),
    );
    const found = detection.takeTransitions().find(isFall);
    if (found === undefined) continue;
    return at < changeAt ? undefined : (at - changeAt) / HOUR;
  }
  return Number.POSITIVE_INFINITY;
}

const TRAITS: Readonly<Record<string, readonly (readonly [value: string, share: number])[]>> = {
  tool: [
    ['search', 0.6],
    ['book', 0.3],
    ['cancel', 0.1],
  ],
  model: [
    ['large', 0.7],
    ['small', 0.3],
  ],
  language: [
    ['en', 0.7],
    ['de', 0.2],
    ['fr', 0.1],
  ],
  intent: [
    ['travel', 0.5],
    ['refund', 0.3],
    ['other', 0.2],
  ],
};

/** The cause that is planted: one trait, two together, or none for everything. */
export type Planted = readonly string[];

export const PLANTED: readonly Planted[] = [
  ['tool: cancel'],
  ['model: small'],
  ['language: de'],
  ['language: fr'],
  ['intent: refund'],
  ['tool: book', 'language: de'],
  ['model: small', 'intent: refund'],
  ['tool: search', 'language: fr'],
  [],
];

/** Whether what was planted is named first, when a fall is found or some hours later; undefined where none was found. */
export function isNamedFirst(
  seed: number,
  planted: Planted,
  { perHour, afterHours }: { readonly perHour: number; readonly afterHours: number },
): boolean | undefined {
  const random = randomFrom(seed);
  const detection = new Detection();
  const changeAt = MONDAY_MS + CHANGE_DAY * DAY;
  let found: Found | undefined;
  for (const at of arrivals(perHour, CHANGE_DAY + SEARCH_DAYS, random)) {
    const traits = Object.entries(TRAITS).map(([trait, values]) => `${trait}: ${drawn(values, random)}`);
    const isHit = at >= changeAt && planted.every((trait) => traits.includes(trait));
    const isGood = random() < (isHit ? (planted.length === 0 ? 0.75 : 0.4) : 0.9);
    detection.observe(observation(at, isGood, { traits }));
    const change = found === undefined ? detection.takeTransitions().find(isFall) : undefined;
    if (change !== undefined) found = { ...change, at };
    if (found === undefined || at < found.at + afterHours * HOUR) continue;
    if (found.at < changeAt) return undefined;
    return isSame(afterHours === 0 ? found.causes : causesOf(detection, found), planted);
  }
  return undefined;
}

interface Found {
  readonly at: number;
  readonly metric: string;
  readonly part: string | undefined;
  readonly causes: readonly { readonly segments: readonly string[] }[];
}

function isFall({ to, metric }: { readonly to: string; readonly metric: string }): boolean {
  return to === 'regressed' && (metric === 'segment' || metric === 'tcr');
}

function causesOf(detection: Detection, { metric, part }: Found): Found['causes'] {
  for (const reading of detection.readings())
    if (reading.of === 'level' && reading.metric === metric && reading.part === part) return reading.causes;
  return [];
}

function isSame([first]: Found['causes'], planted: Planted): boolean {
  const named = [...(first?.segments ?? ['nothing'])].sort();
  return JSON.stringify(named) === JSON.stringify([...planted].sort());
}

export function observation(
  at: number,
  isGood: boolean,
  of: {
    readonly segment?: string;
    readonly traits?: readonly string[];
    readonly agent?: string;
    readonly version?: string;
  },
): Parameters<Detection['observe']>[0] {
  return {
    suite: 'suite',
    agent: of.agent ?? 'agent',
    environment: 'production',
    version: of.version ?? '1',
    segment: of.segment ?? '',
    user: '',
    traits: of.traits ?? [],
    judgedBy: '',
    judged: new Set(),
    at,
    score: isGood ? 1 : 0,
    outcome: isGood ? 'successful_completion' : 'partial_failure',
    verdicts: [],
    weights: new Map(),
    costUsd: undefined,
    steps: 5,
  };
}

export function* arrivals(perHour: number, days: number, random: () => number): Iterable<number> {
  for (let begin = MONDAY_MS; begin < MONDAY_MS + days * DAY; begin += HOUR) {
    const count = poisson(perHour, random);
    for (let index = 0; index < count; index += 1) yield begin + ((index + 0.5) / count) * HOUR;
  }
}

function drawn(values: readonly (readonly [value: string, share: number])[], random: () => number): string {
  let left = random();
  for (const [value, share] of values) {
    left -= share;
    if (left < 0) return value;
  }
  return values[0]?.[0] ?? '';
}
