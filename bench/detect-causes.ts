/**
 * node bench/detect-causes.ts <seed> <runs> <conversations an hour> [correlated]
 *
 * Whether the cause that was planted is named first at the alarm, and with which probability. Traits have values of
 * unequal frequency and difficulty. `correlated`: languages choose among tools, and there is one trait more.
 */
import { CLEAR_FROM } from '../src/model/detection.ts';
import { Detection } from '../src/statistics/detect/detection.ts';
import { arrivals, observation } from './detect-parts.ts';
import { DAY, MONDAY_MS } from './detect-traffic.ts';
import { randomFrom } from './detect-world.ts';

const HOUR = 3_600_000;
const CHANGE_DAY = 14;
const SEARCH_DAYS = 14;

const [seed = 1, runs = 8, perHour = 200] = process.argv.slice(2, 5).map(Number);
const isCorrelated = process.argv[5] === 'correlated';

type Values = readonly (readonly [value: string, share: number, harder: number])[];

const TRAITS: Readonly<Record<string, Values>> = {
  tool: [
    ['search', 0.3, 0],
    ['book', 0.2, 0.03],
    ['cancel', 0.15, 0.02],
    ['pay', 0.12, 0.05],
    ['refund', 0.1, 0.08],
    ['mail', 0.07, -0.03],
    ['map', 0.04, 0],
    ['print', 0.02, 0.02],
  ],
  language: [
    ['en', 0.6, -0.01],
    ['de', 0.2, 0.02],
    ['fr', 0.15, 0.03],
    ['it', 0.05, 0.05],
  ],
  model: [
    ['large', 0.6, -0.02],
    ['middle', 0.3, 0.02],
    ['small', 0.1, 0.06],
  ],
  intent: [
    ['travel', 0.45, -0.02],
    ['change', 0.25, 0.02],
    ['complaint', 0.15, 0.06],
    ['invoice', 0.1, 0],
    ['other', 0.05, 0.03],
  ],
  ...(isCorrelated
    ? {
        prompt: [
          ['a', 0.5, 0],
          ['b', 0.5, 0.01],
        ],
      }
    : {}),
};

interface Planted {
  readonly name: string;
  /** All that a conversation must have; `hidden` is what no span says. */
  readonly traits: readonly string[];
  readonly after: (usual: number) => number;
}

const only: string | undefined = process.argv[6];

const PLANTED: readonly Planted[] = [
  { name: 'tool print, 2 % to .3', traits: ['tool: print'], after: () => 0.3 },
  { name: 'tool map, 4 % to .3', traits: ['tool: map'], after: () => 0.3 },
  { name: 'language it, 5 % to .5', traits: ['language: it'], after: () => 0.5 },
  { name: 'tool refund, 10 % to .65', traits: ['tool: refund'], after: () => 0.6 },
  { name: 'intent complaint, 15 % to .65', traits: ['intent: complaint'], after: () => 0.65 },
  { name: 'tool book and language de, 4 % to .3', traits: ['tool: book', 'language: de'], after: () => 0.3 },
  { name: 'everywhere -10', traits: [], after: (usual) => usual * (0.8 / 0.9) },
  { name: 'hidden, 15 % to .3', traits: ['hidden'], after: () => 0.3 },
  { name: 'hidden, 5 % to .3', traits: ['rarely'], after: () => 0.3 },
];

for (const planted of PLANTED) if (only === undefined || planted.name.includes(only)) console.log(namedFirst(planted));

function namedFirst(planted: Planted): string {
  let right = 0;
  let all = 0;
  let missed = 0;
  const hours: number[] = [];
  const probabilities: number[] = [];
  const wrong: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    const found = alarm(planted, seed + run);
    if (found === undefined) missed += 1;
    if (found === undefined || found.at < MONDAY_MS + CHANGE_DAY * DAY) continue;
    hours.push((found.at - MONDAY_MS - CHANGE_DAY * DAY) / HOUR);
    const [first] = found.causes;
    const named = first === undefined || first.probability < CLEAR_FROM ? 'not clear' : first.segments.join(' & ');
    const isHidden = planted.traits.some((trait) => !trait.includes(':'));
    const isRight = isHidden
      ? named === '' || named === 'not clear'
      : named === [...planted.traits].sort().join(' & ') || named === [...planted.traits].join(' & ');
    all += 1;
    if (isRight) {
      right += 1;
      probabilities.push(first?.probability ?? 0);
    } else wrong.push(`${named || 'everywhere'} ${(first?.probability ?? 0).toFixed(2)} (${found.metric})`);
  }
  hours.sort((a, b) => a - b);
  const mean = probabilities.reduce((sum, one) => sum + one, 0) / probabilities.length;
  return `${planted.name}, ${perHour}/h: right first in ${right} of ${all} (mean probability ${mean.toFixed(2)}), median ${(hours[Math.floor(hours.length / 2)] ?? Number.NaN).toFixed(1)} h, not found ${missed}${wrong.length > 0 ? `; else ${wrong.join(', ')}` : ''}`;
}

function alarm({ traits: wanted, after }: Planted, of: number) {
  const random = randomFrom(of);
  const detection = new Detection();
  const changeAt = MONDAY_MS + CHANGE_DAY * DAY;
  let looked = 0;
  for (const at of arrivals(perHour, CHANGE_DAY + SEARCH_DAYS, random)) {
    let usual = 0.92;
    const traits: string[] = [];
    let isOfLanguage = false;
    for (const [trait, values] of Object.entries(TRAITS)) {
      const own = drawn(values, random);
      const isForced: boolean = isCorrelated && trait === 'language' && isOfLanguage;
      const [value, , harder]: Values[number] = (isForced ? values[1] : undefined) ?? own;
      isOfLanguage ||= value === 'pay' && random() < 0.7;
      traits.push(`${trait}: ${value}`);
      usual -= harder;
    }
    const hidden = random();
    if (hidden < 0.15) traits.push('hidden');
    if (hidden < 0.05) traits.push('rarely');
    const isHit = at >= changeAt && wanted.every((trait) => traits.includes(trait));
    const isGood = random() < (isHit ? Math.min(usual, after(usual)) : usual);
    detection.observe(observation(at, isGood, { traits: traits.filter((trait) => trait.includes(':')) }));
    if (at < looked) continue;
    looked = at + HOUR / 12;
    for (const change of detection.takeTransitions())
      if (change.to === 'regressed' && (change.metric === 'tcr' || change.metric === 'segment'))
        return { at, metric: `${change.metric} ${change.part ?? ''}`, causes: change.causes };
  }
  return undefined;
}

function drawn(values: Values, random: () => number): Values[number] {
  let left = random();
  for (const value of values) {
    left -= value[1];
    if (left < 0) return value;
  }
  return values[0] ?? ['', 1, 0];
}
