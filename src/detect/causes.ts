/**
 * Which part of the traffic explains a fall: the segment, or two of them together, whose conversations since the onset
 * are bad beyond what they were expected to be, while the others are as before.
 *
 * A sample of conversations from before and since is kept (fall-sample.ts). For a part with n conversations since the
 * onset, of which a share r is bad and e was expected from before,
 *
 *     gain = n × (r log(r / e) + (1 − r) log((1 − r) / (1 − e)))
 *
 * is what is gained by saying that this part changed and nothing else did. The part with the greatest gain comes first,
 * less the logarithm of how many parts of its kind were looked at. The whole traffic is one of them, and where it wins
 * the fall is everywhere. A segment that was found to have fallen has been chosen already, and costs nothing. A rare value does not come first for being frequent among failures: a frequent one always is.
 */

/** A conversation of the sample. */
export interface Sampled {
  readonly bad: number;
  /** Numbers of its segments, each once. */
  readonly segments: readonly number[];
}

export interface Cause {
  /** One segment, or two that hold together; none where the fall is everywhere. */
  readonly segments: readonly number[];
  /** Part of the excess of all that is in these conversations, at most 1. */
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
  before: number;
  badBefore: number;
}

const SINCE_MIN = 5;
/** Conversations of all that are added to those of a part before, so that few of them say little. */
const DRAWN_BY = 20;
/** Added for two things together, because one of them alone is the simpler reason. */
const PAIR_COSTS = 1.5;
const SHOWN = 5;
/** Two parts that share so much of what they have are one. */
const ALIKE = 0.7;
const LEAST_SHARE = 0.1;

/** `found` is the segment that was found to have fallen, where it was one. */
export function causesOf(before: readonly Sampled[], since: readonly Sampled[], found?: number): readonly Cause[] {
  if (since.length < SINCE_MIN || before.length === 0) return [];
  const whole: Part = { segments: [], since: 0, bad: 0, before: 0, badBefore: 0 };
  const parts = new Map<number, Part>();
  const partsOf = function* ({ segments }: Sampled): Iterable<Part> {
    yield whole;
    for (const [place, one] of segments.entries()) {
      yield partOf(parts, one, 0);
      for (const other of segments.slice(place + 1)) yield partOf(parts, Math.min(one, other), Math.max(one, other));
    }
  };
  for (const one of since)
    for (const part of partsOf(one)) {
      part.since += 1;
      part.bad += one.bad;
    }
  for (const [key, part] of parts) if (part.since < SINCE_MIN) parts.delete(key);
  const isKept = (key: number) => parts.get(key);
  for (const one of before) {
    whole.before += 1;
    whole.badBefore += one.bad;
    for (const part of keptParts(one, isKept)) {
      part.before += 1;
      part.badBefore += one.bad;
    }
  }
  return ranked(whole, [...parts.values()], found);
}

const SEGMENTS_MAX = 1024;

function keyOf(one: number, other: number): number {
  return one * SEGMENTS_MAX + other;
}

function partOf(parts: Map<number, Part>, one: number, other: number): Part {
  const key = keyOf(one, other);
  let part = parts.get(key);
  if (part === undefined) {
    part = { segments: other === 0 ? [one] : [one, other], since: 0, bad: 0, before: 0, badBefore: 0 };
    parts.set(key, part);
  }
  return part;
}

function* keptParts({ segments }: Sampled, kept: (key: number) => Part | undefined): Iterable<Part> {
  for (const [place, one] of segments.entries()) {
    const single = kept(keyOf(one, 0));
    if (single !== undefined) yield single;
    for (const other of segments.slice(place + 1)) {
      const pair = kept(keyOf(Math.min(one, other), Math.max(one, other)));
      if (pair !== undefined) yield pair;
    }
  }
}

function ranked(whole: Part, parts: readonly Part[], found: number | undefined): readonly Cause[] {
  const usual = whole.badBefore / whole.before;
  const expectedOf = ({ before, badBefore }: Part) => confine((badBefore + DRAWN_BY * usual) / (before + DRAWN_BY));
  const excessOf = (part: Part) => part.bad - part.since * expectedOf(part);
  const own = parts.find(({ segments }) => segments.length === 1 && segments[0] === found);
  // The excess of a small segment may be lost in the chance of all.
  const all = Math.max(excessOf(whole), own === undefined ? 0 : excessOf(own));
  if (!(all > 0)) return [];
  const pairs = parts.filter(({ segments }) => segments.length === 2).length;
  const costs = [
    own === undefined ? 0 : Math.log(parts.length - pairs),
    Math.log(Math.max(1, parts.length - pairs)),
    Math.log(Math.max(1, parts.length)) + PAIR_COSTS,
  ];
  const costOf = (part: Part) => (part === own ? 0 : (costs[part.segments.length] ?? 0));
  const candidates = [whole, ...parts]
    .map((part) => ({ part, gain: gainOf(part, expectedOf(part)) - costOf(part) }))
    .filter(({ gain }) => gain > 0)
    .toSorted((a, b) => b.gain - a.gain || a.part.segments.length - b.part.segments.length);
  const shown: Part[] = [];
  for (const { part } of candidates) {
    if (shown.length >= SHOWN) break;
    const isWhole = part.segments.length === 0;
    // Parts after the whole explain less than saying that the fall is everywhere, and this beside a part contradicts it.
    if (isWhole && shown.length > 0) break;
    if (shown.some((other) => isAlike(part, other)) || excessOf(part) < LEAST_SHARE * all) continue;
    shown.push(part);
    if (isWhole) break;
  }
  return shown.map((part) => ({
    segments: part.segments,
    share: Math.min(1, excessOf(part) / all),
    conversations: part.since,
    expected: expectedOf(part),
    observed: part.bad / part.since,
  }));
}

function gainOf({ bad, since }: Part, expected: number): number {
  const rate = bad / since;
  if (rate <= expected) return 0;
  return since * (term(rate, expected) + term(1 - rate, 1 - expected));
}

function term(rate: number, expected: number): number {
  return rate > 0 ? rate * Math.log(rate / expected) : 0;
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
