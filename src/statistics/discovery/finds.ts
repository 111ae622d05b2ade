/**
 * Finds: facts over-represented in some conversations, against others. Several contrasts are looked at together:
 * conversations that came out bad, those that users complained of, and so on.
 *
 * **Errors.** The share of false finds is held at 10 % over everything that is looked at, by Benjamini and Yekutieli
 * (2001): the k-th smallest of m chances must not exceed
 *
 *     0.1 k / (m (1 + 1/2 + … + 1/m))
 *
 * which holds whatever the facts have to do with each other. Any find is a false one if nothing is over-represented:
 * then nothing at all is found in nine of ten cases or more.
 *
 * **Left out** before anything is tested, by what does not depend on which conversation is where: facts so rare or so
 * common that no division of them would be a find, and facts that are true by construction (`isTrivial`).
 *
 * **Redundant ones** are shown with a stronger find: those of the same conversations, and those that are
 * over-represented neither among the conversations with the stronger fact nor among those without it. That shows less,
 * and so it adds no false find. If the redundant one says what went wrong and the stronger does not, it is shown with
 * its own figures, and the stronger one with it.
 */
import { tellsLess } from '../../model/trouble-facts.ts';
import { type FactTable, membersOf } from './fact-table.ts';
import { chanceOfAtLeast, leastChance, liftOf, type Share } from './over-represented.ts';

/** Side of a conversation: 1 is within, −1 beside, 0 neither. */
type Sides = Int8Array;

export interface Contrast {
  readonly name: string;
  readonly sides: Sides;
  /** True of facts that follow from how the conversations were chosen. */
  readonly isTrivial?: (fact: string) => boolean;
  /** Only facts that none of the others has. */
  readonly isOfNew?: boolean;
}

export interface Find {
  /** Name of the contrast. */
  readonly of: string;
  readonly fact: string;
  readonly within: Share;
  readonly beside: Share;
  readonly chance: number;
  /** Facts of nearly the same conversations. */
  readonly withIt: readonly string[];
  /** Conversations within that have it. */
  readonly members: readonly number[];
}

interface Found {
  /** The least likely ones first. */
  readonly finds: readonly Find[];
  /** Facts that were tested, of all contrasts. */
  readonly lookedAt: number;
  /** Conversations of the contrasts that were looked at. */
  readonly sizes: readonly { readonly name: string; readonly within: number; readonly beside: number }[];
}

const FALSE_MAX = 0.1;
/** In fewer conversations nothing is looked for. */
const WITHIN_MIN = 8;
/** A fact that could not come below it is left out; so small a chance is a find only among few others. */
const ATTAINABLE = 0.001;
/** Less may be true, and leads nowhere. */
const LIFT_MIN = 1.25;
const ALIKE = 0.8;
const KEPT_MAX = 60;

interface Sized extends Contrast {
  /** Conversations on either side. */
  readonly within: number;
  readonly beside: number;
}

interface Tested extends Omit<Find, 'withIt' | 'members'> {
  /** Number of the fact in the table. */
  readonly place: number;
}

export function findsIn(table: FactTable, contrasts: readonly Contrast[]): Found {
  const sized = contrasts
    .map((one): Sized => ({ ...one, within: countOf(one.sides, 1), beside: countOf(one.sides, -1) }))
    .filter(({ within, beside }) => Math.min(within, beside) >= WITHIN_MIN);
  const tested = sized.flatMap((contrast) => testedIn(table, contrast));
  const held = Map.groupBy(heldOf(tested).filter(isMore), ({ of }) => of);
  return {
    finds: sized.flatMap(({ name, sides }) => withoutRedundant(table, sides, held.get(name) ?? [])).toSorted(byChance),
    lookedAt: tested.length,
    sizes: sized.map(({ name, within, beside }) => ({ name, within, beside })),
  };
}

function byChance(one: Pick<Find, 'chance' | 'within' | 'fact'>, other: Pick<Find, 'chance' | 'within' | 'fact'>) {
  return one.chance - other.chance || other.within.count - one.within.count || (one.fact < other.fact ? -1 : 1);
}

/** Its interval is shown beside it, and must not say that it may be none. */
function isMore({ within, beside }: Tested): boolean {
  return within.count * beside.of >= LIFT_MIN * beside.count * within.of && liftOf(within, beside).low > 1;
}

function countOf(sides: Sides, wanted: 1 | -1): number {
  return sides.reduce((sum, side) => sum + Number(side === wanted), 0);
}

function testedIn(
  { facts, shapes }: FactTable,
  { name, sides, isTrivial = () => false, isOfNew = false, ...size }: Sized,
): readonly Tested[] {
  const [within, beside] = [new Int32Array(facts.length), new Int32Array(facts.length)];
  for (const { facts: places, members } of shapes) {
    let [ofWithin, ofBeside] = [0, 0];
    for (const member of members) {
      const side = sides[member] ?? 0;
      if (side > 0) ofWithin += 1;
      else if (side < 0) ofBeside += 1;
    }
    for (const place of places) {
      within[place] = (within[place] ?? 0) + ofWithin;
      beside[place] = (beside[place] ?? 0) + ofBeside;
    }
  }
  return facts.flatMap((fact, place) => {
    const [inside, outside] = [within[place] ?? 0, beside[place] ?? 0];
    const isTold = inside + outside > 0 && !isTrivial(fact);
    if (!isTold || leastChance({ having: inside + outside, ...size }) > ATTAINABLE) return [];
    const shares = { within: { count: inside, of: size.within }, beside: { count: outside, of: size.beside } };
    const chance = isOfNew && outside > 0 ? 1 : chanceOfAtLeast(shares.within, shares.beside);
    return [{ of: name, fact, place, ...shares, chance }];
  });
}

/** The facts that Benjamini and Yekutieli let stand. */
function heldOf(tested: readonly Tested[]): readonly Tested[] {
  const sorted = tested.toSorted(byChance);
  let [harmonic, held] = [0, 0];
  for (let rank = 1; rank <= sorted.length; rank += 1) harmonic += 1 / rank;
  for (const [at, { chance }] of sorted.entries())
    if (chance <= (FALSE_MAX * (at + 1)) / (sorted.length * harmonic)) held = at + 1;
  return sorted.slice(0, held);
}

interface Kept extends Tested {
  /** Conversations that have it, on either side and on neither. */
  readonly all: ReadonlySet<number>;
  readonly withIt: string[];
}

function withoutRedundant(table: FactTable, sides: Sides, held: readonly Tested[]): readonly Find[] {
  const some = held.slice(0, KEPT_MAX);
  const having = membersOf(
    table,
    some.map(({ place }) => place),
  );
  const kept: Kept[] = [];
  for (const tested of some) {
    const one = { ...tested, all: having.get(tested.place) ?? new Set(), withIt: [] };
    const stronger = kept.find((other) => isSaidBy(other, one, sides));
    if (stronger === undefined) kept.push(one);
    else if (tellsLess(one.fact) < tellsLess(stronger.fact))
      kept[kept.indexOf(stronger)] = { ...one, withIt: [stronger.fact, ...stronger.withIt] };
    else stronger.withIt.push(one.fact);
  }
  return kept.map(({ all, place: _, ...find }) => ({ ...find, members: [...all].filter((one) => sides[one] === 1) }));
}

/** The same conversations; or it is over-represented neither among those with the stronger one nor among the others. */
function isSaidBy(stronger: Kept, one: Kept, sides: Sides): boolean {
  const both = Int8Array.from(one.all.intersection(stronger.all), (member) => sides[member] ?? 0);
  const [within, beside] = [countOf(both, 1), countOf(both, -1)];
  if (within >= ALIKE * (one.within.count + stronger.within.count - within)) return true;
  const amongThose = chanceOfAtLeast(
    { count: within, of: stronger.within.count },
    { count: beside, of: stronger.beside.count },
  );
  const amongOthers = chanceOfAtLeast(
    { count: one.within.count - within, of: one.within.of - stronger.within.count },
    { count: one.beside.count - beside, of: one.beside.of - stronger.beside.count },
  );
  return Math.min(amongThose, amongOthers) > FALSE_MAX;
}
