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
 * and so it adds no false find.
 */
import { type FactTable, membersOf } from './fact-table.ts';
import { chanceOfAtLeast, leastChance, type Lift, liftOf, type Share } from './over-represented.ts';

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
  readonly lift: Lift;
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

interface Tested extends Omit<Find, 'lift' | 'withIt' | 'members'> {
  /** Number of the fact in the table. */
  readonly place: number;
}

export function findsIn(table: FactTable, contrasts: readonly Contrast[]): Found {
  const sized = contrasts.map((contrast) => ({ contrast, ...sizeOf(contrast.sides) }));
  const enough = sized.filter(({ within, beside }) => Math.min(within, beside) >= WITHIN_MIN);
  const tested = enough.flatMap(({ contrast }) => testedIn(table, contrast));
  const held = heldOf(tested).filter(({ within, beside }) => isMore(within, beside));
  return {
    finds: enough
      .flatMap(({ contrast }) =>
        withoutRedundant(
          table,
          contrast,
          held.filter(({ of }) => of === contrast.name),
        ),
      )
      .toSorted(byChance),
    lookedAt: tested.length,
    sizes: enough.map(({ contrast: { name }, within, beside }) => ({ name, within, beside })),
  };
}

function byChance(one: Pick<Find, 'chance' | 'within' | 'fact'>, other: Pick<Find, 'chance' | 'within' | 'fact'>) {
  return one.chance - other.chance || other.within.count - one.within.count || (one.fact < other.fact ? -1 : 1);
}

function isMore(within: Share, beside: Share): boolean {
  return within.count * beside.of >= LIFT_MIN * beside.count * within.of;
}

function sizeOf(sides: Sides): { readonly within: number; readonly beside: number } {
  let [within, beside] = [0, 0];
  for (const side of sides) {
    if (side > 0) within += 1;
    else if (side < 0) beside += 1;
  }
  return { within, beside };
}

function testedIn(
  { facts, shapes }: FactTable,
  { name, sides, isTrivial = () => false, isOfNew = false }: Contrast,
): readonly Tested[] {
  const [within, beside] = [new Int32Array(facts.length), new Int32Array(facts.length)];
  const size = sizeOf(sides);
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
  readonly all: readonly number[];
  readonly having: ReadonlySet<number>;
  /** Conversations within that have it. */
  readonly members: ReadonlySet<number>;
  readonly withIt: string[];
}

function withoutRedundant(table: FactTable, { sides }: Contrast, held: readonly Tested[]): readonly Find[] {
  const some = held.slice(0, KEPT_MAX);
  const places = some.map(({ place }) => place);
  const having = membersOf(table, places);
  const kept: Kept[] = [];
  for (const tested of some) {
    const all = having.get(tested.place) ?? [];
    const members = new Set(all.filter((member) => sides[member] === 1));
    const one = { ...tested, all, having: new Set(all), members };
    const stronger = kept.find((other) => isSaidBy(other, one, sides));
    if (stronger === undefined) kept.push({ ...one, withIt: [] });
    else stronger.withIt.push(one.fact);
  }
  return kept.map(({ of, fact, within, beside, chance, members, withIt }) => ({
    ...{ of, fact, within, beside, chance, withIt, members: [...members] },
    lift: liftOf(within, beside),
  }));
}

/** The same conversations; or it is over-represented neither among those with the stronger one nor among the others. */
function isSaidBy(stronger: Kept, one: Omit<Kept, 'withIt'>, sides: Sides): boolean {
  const both = one.members.intersection(stronger.members).size;
  if (both >= ALIKE * one.members.union(stronger.members).size) return true;
  const beside = one.all.reduce((sum, each) => sum + Number(sides[each] === -1 && stronger.having.has(each)), 0);
  const amongThose = chanceOfAtLeast(
    { count: both, of: stronger.within.count },
    { count: beside, of: stronger.beside.count },
  );
  const amongOthers = chanceOfAtLeast(
    { count: one.within.count - both, of: one.within.of - stronger.within.count },
    { count: one.beside.count - beside, of: one.beside.of - stronger.beside.count },
  );
  return Math.min(amongThose, amongOthers) > FALSE_MAX;
}
