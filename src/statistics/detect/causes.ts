/**
 * Which part of the traffic explains a fall, and how probably: one value, two of them together, everything alike, or none
 * of these.
 *
 * A sample of conversations from before and since is kept (fall-sample.ts). From those before, each conversation is
 * expected to be as bad as its values let expect (additive.ts). A cause says that success fell to f times what it was in
 * its own conversations, and nowhere else. Its weight is
 *
 *     prior × mean over f of (likelihood of its conversations since, with f / without)^(n / (n + m))
 *
 * where m of them are since and n are known from before: what is not known of before must not look like a change. A part
 * is weighed against the whole by its complement alone, because in the part both say the same. The
 * prior of a kind of cause is shared by all that were looked at, so one of many needs more evidence. A segment that was
 * found to have fallen shares with nobody, but has less than the whole: in a fall of everything one may be found first.
 *
 * None of these: it was chance, or the values of one trait fell by different amounts.
 */
import { additiveLevel, type Group } from './additive.ts';

/** A conversation of the sample. */
export interface Sampled {
  readonly bad: number;
  /** Numbers of its segments, each once. */
  readonly segments: readonly number[];
}

export interface Cause {
  /** One segment, or two that hold together; none where the fall is everywhere. */
  readonly segments: readonly number[];
  /** From 0 to 1, with causes that are nearly the same conversations. The rest is for none of these. */
  readonly probability: number;
  /** Part of the excess of all, or of the segment that was found, that is in these conversations, at most 1. */
  readonly share: number;
  /** Counted in the sample since the onset. */
  readonly conversations: number;
  readonly expected: number;
  readonly observed: number;
}

interface Part {
  readonly segments: readonly number[];
  since: number;
  bad: number;
  /** Sum of the expected values of its conversations since the onset. */
  expected: number;
  before: number;
  /** Bad before beyond what was expected. */
  over: number;
}

interface Asked {
  /** Segment that was found to have fallen, where it was one. */
  readonly found?: number | undefined;
  /** Such as `tool`. */
  readonly traitOf?: (segment: number) => string;
}

const SINCE_MIN = 5;
/** Conversations as usual that are added to those of a part before, so that few of them say little. */
const DRAWN_BY = 50;
const SHOWN = 5;
const SHOWN_FROM = 0.05;
/** Two parts that share so much of what they have are one. */
const ALIKE = 0.7;
const LEAST_SHARE = 0.1;
/** Part of the evidence that is left, because the stretch was chosen for looking bad. */
const NOT_CHOSEN = 0.9;
/** Parts of success that may be left. */
const LEFT = [0.97, 0.94, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.15, 0.05];
/** Naming a part that did not fall sends people to the wrong team, so a part needs more than the best likelihood. */
const PRIOR = { everywhere: 0.76, found: 0.04, single: 0.14, pair: 0.04, chance: 0.03, mixed: 0.02 };
/** An error is a result, and must not explain why its conversation is bad. */
const RESULT = 'error';

export function causesOf(
  before: readonly Sampled[],
  since: readonly Sampled[],
  { found, traitOf = () => '' }: Asked = {},
): readonly Cause[] {
  if (since.length < SINCE_MIN || before.length === 0) return [];
  const expectedOf = expectations(before, traitOf);
  const whole = newPart([]);
  const parts = new Map<number, Part>();
  for (const one of since) {
    const expected = expectedOf(one);
    for (const key of keysOf(one, whole, parts)) {
      key.since += 1;
      key.bad += one.bad;
      key.expected += expected;
    }
  }
  for (const [key, part] of parts) if (part.since < SINCE_MIN) parts.delete(key);
  for (const one of before) {
    const over = one.bad - expectedOf(one);
    for (const key of keysOf(one, whole, parts, { isKnownOnly: true })) {
      key.before += 1;
      key.over += over;
    }
  }
  return ranked(whole, parts, { found, traitOf });
}

function expectations(before: readonly Sampled[], traitOf: (segment: number) => string): (one: Sampled) => number {
  const valuesOf = ({ segments }: Sampled) => segments.filter((segment) => traitOf(segment) !== RESULT);
  const groups = new Map<string, Group & { bad: number; quantity: number }>();
  for (const one of before) {
    const values = valuesOf(one);
    const key = values.join();
    const group = groups.get(key) ?? { bad: 0, quantity: 0, values };
    group.bad += one.bad;
    group.quantity += 1;
    groups.set(key, group);
  }
  const levelOf = additiveLevel([...groups.values()]);
  return (one) => confine(levelOf(valuesOf(one)));
}

const SEGMENTS_MAX = 1024;

function newPart(segments: readonly number[]): Part {
  return { segments, since: 0, bad: 0, expected: 0, before: 0, over: 0 };
}

/** The whole, each of its segments and each pair of them. */
function* keysOf(
  { segments }: Sampled,
  whole: Part,
  parts: Map<number, Part>,
  { isKnownOnly } = { isKnownOnly: false },
): Iterable<Part> {
  yield whole;
  for (const [place, one] of segments.entries())
    for (const other of [0, ...segments.slice(place + 1)]) {
      const key = keyOf(one, other);
      let part = parts.get(key);
      if (part === undefined) {
        if (isKnownOnly) continue;
        part = newPart(other === 0 ? [one] : [Math.min(one, other), Math.max(one, other)]);
        parts.set(key, part);
      }
      yield part;
    }
}

/** A pair, or a segment and 0. */
function keyOf(one: number, other: number): number {
  return other === 0 ? one * SEGMENTS_MAX : Math.min(one, other) * SEGMENTS_MAX + Math.max(one, other);
}

interface Weighed {
  readonly part: Part;
  weight: number;
}

function ranked(whole: Part, known: ReadonlyMap<number, Part>, { found, traitOf }: Required<Asked>): readonly Cause[] {
  const own = found === undefined ? undefined : known.get(keyOf(found, 0));
  const all = excessOf(own ?? whole);
  if (!(all > 0)) return [];
  const hasMuch = (part: Part) => excessWithin(own, part, known) >= LEAST_SHARE * all;
  // The fall of a segment has no cause in conversations without it.
  const parts = [...known.values()].filter((part) => own === undefined || hasMuch(part));
  const singles = [...known.values()].filter(({ segments }) => segments.length === 1);
  const priorOf = (part: Part) => {
    if (part === whole) return PRIOR.everywhere;
    if (part === own) return PRIOR.found;
    return part.segments.length === 1 ? PRIOR.single / singles.length : PRIOR.pair / (known.size - singles.length);
  };
  const ofWhole = meanOf(likelihoods(whole));
  // Whether it is this part or everything is decided by the others: if everything fell, they did as well.
  const against = (part: Part) => {
    const own = likelihoods(part);
    return meanOf(own) - meanOf(sumOf([own, likelihoods(without(whole, part))]));
  };
  const logs = [whole, ...parts].map((part) => ({
    part,
    log: Math.log(priorOf(part)) + ofWhole + (part === whole ? 0 : against(part)),
  }));
  const none = [Math.log(PRIOR.chance), ...mixedOf(singles, whole, traitOf).map((log) => log + ofWhole)];
  const most = Math.max(...none, ...logs.map(({ log }) => log));
  const sum = [...none, ...logs.map(({ log }) => log)].reduce((total, log) => total + Math.exp(log - most), 0);
  const candidates: Weighed[] = logs
    .map(({ part, log }) => ({ part, weight: Math.exp(log - most) / sum }))
    .toSorted((a, b) => b.weight - a.weight || a.part.segments.length - b.part.segments.length);
  const shown: Weighed[] = [];
  for (const { part, weight } of candidates) {
    const same = shown.find((other) => isAlike(part, other.part));
    if (same !== undefined) same.weight += weight;
    else if (part === whole || hasMuch(part)) shown.push({ part, weight });
  }
  return shown
    .filter(({ weight }) => weight >= SHOWN_FROM)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, SHOWN)
    .map(({ part, weight }) => ({
      segments: part.segments,
      probability: Math.min(1, weight),
      share: part === whole ? 1 : Math.min(1, excessWithin(own, part, known) / all),
      conversations: part.since,
      expected: expectedIn(part),
      observed: part.bad / part.since,
    }));
}

/** Each value of a trait fell by itself. Only traits of which a conversation has one value. */
function mixedOf(singles: readonly Part[], whole: Part, traitOf: (segment: number) => string): readonly number[] {
  const traits = [...Map.groupBy(singles, ({ segments }) => traitOf(segments[0] ?? 0)).values()].filter(
    (values) => values.length > 1 && values.reduce((sum, { since }) => sum + since, 0) <= whole.since,
  );
  return traits.map((values) => {
    const all = values.map(likelihoods);
    const each = all.reduce((sum, one) => sum + Math.log((1 + Math.exp(Math.min(500, meanOf(one)))) / 2), 0);
    return Math.log(PRIOR.mixed / traits.length) + each - meanOf(sumOf(all));
  });
}

function expectedIn({ since, expected, before, over }: Part): number {
  return confine(expected / since + over / (before + DRAWN_BY));
}

function excessOf(part: Part): number {
  return part.bad - part.since * expectedIn(part);
}

/** Excess in the conversations that a part has in common with the segment that was found, if one was. */
function excessWithin(own: Part | undefined, part: Part, known: ReadonlyMap<number, Part>): number {
  const [found] = own?.segments ?? [];
  if (found === undefined || part.segments.includes(found)) return excessOf(part);
  const shared = part.segments.map((segment) => known.get(keyOf(found, segment)));
  return Math.min(...shared.map((one) => (one === undefined ? 0 : excessOf(one))));
}

function without(whole: Part, part: Part): Part {
  return {
    segments: [],
    since: whole.since - part.since,
    bad: whole.bad - part.bad,
    expected: whole.expected - part.expected,
    before: whole.before - part.before,
    over: whole.over - part.over,
  };
}

/** For each size of a fall, the logarithm of how much more likely it makes these conversations. */
function likelihoods(part: Part): readonly number[] {
  const { since, bad, before } = part;
  if (since === 0) return LEFT.map(() => 0);
  const expected = expectedIn(part);
  const known = NOT_CHOSEN / (1 + since / (before + DRAWN_BY));
  return LEFT.map((left) => {
    const rate = 1 - (1 - expected) * left;
    return known * (bad * Math.log(rate / expected) + (since - bad) * Math.log((1 - rate) / (1 - expected)));
  });
}

function sumOf(all: readonly (readonly number[])[]): readonly number[] {
  return LEFT.map((_, place) => all.reduce((sum, one) => sum + (one[place] ?? 0), 0));
}

/** Logarithm of the mean of what these are logarithms of. */
function meanOf(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / logs.length);
}

function confine(rate: number): number {
  return Math.min(0.99, Math.max(0.01, rate));
}

/** A segment and a pair with it, of which nearly all have both; or nearly the same conversations by their number. */
function isAlike(one: Part, other: Part): boolean {
  const shared = one.segments.some((segment) => other.segments.includes(segment));
  if (!shared && one.segments.length + other.segments.length !== 2) return false;
  const [less, more] = one.since < other.since ? [one, other] : [other, one];
  return shared
    ? less.since > ALIKE * more.since || less.segments.length > 1
    : less.since === more.since && less.bad === more.bad;
}
