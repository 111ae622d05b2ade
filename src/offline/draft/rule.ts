/**
 * A rule of a drafted suite: what it claims, and where it comes from. Claims are a closed set, whoever makes them, so
 * that what a prompt says becomes a criterion of a known form, or nothing.
 */
import type { ArgumentPlace, Scalar } from './argument-places.ts';

export type ValueClaim =
  /** The value was said by the user or given by a tool. */
  | { readonly is: 'known'; readonly tool: string; readonly place: ArgumentPlace }
  | { readonly is: 'one_of'; readonly tool: string; readonly place: ArgumentPlace; readonly values: readonly Scalar[] }
  | { readonly is: 'pattern'; readonly tool: string; readonly place: ArgumentPlace; readonly pattern: string }
  | {
      readonly is: 'range';
      readonly tool: string;
      readonly place: ArgumentPlace;
      readonly least: number | undefined;
      readonly most: number | undefined;
    };

export interface WholeClaim {
  readonly is: 'arguments';
  readonly tool: string;
  readonly required: readonly string[];
  /** Undefined where others are allowed. */
  readonly known: readonly string[] | undefined;
}

/** A list has so many items at most: all of them, or those whose member begins with a prefix. */
export interface ItemsClaim {
  readonly is: 'items';
  readonly tool: string;
  readonly list: string;
  readonly most: number;
  readonly which: { readonly member: string; readonly prefix: string } | undefined;
}

type CallClaim =
  /** Each call of `later` comes after one of `first`. */
  | { readonly is: 'before'; readonly first: string; readonly later: readonly string[] }
  /** The user's message just before says yes. */
  | { readonly is: 'confirmed'; readonly tools: readonly string[] }
  | { readonly is: 'never'; readonly tool: string }
  | { readonly is: 'at_most'; readonly tool: string; readonly most: number }
  | { readonly is: 'once'; readonly tools: readonly string[] };

export type Claim = CallClaim | ValueClaim | WholeClaim | ItemsClaim;

export type Origin =
  | { readonly is: 'prompt'; readonly line: number; readonly sentence: string }
  | { readonly is: 'schema'; readonly at: string }
  | { readonly is: 'traffic' };

export interface Rule {
  readonly name: string;
  readonly claim: Claim;
  readonly origin: Origin;
}

/** How often a rule arises in a recording, and how often it is broken. */
export interface Measured {
  readonly applies: number;
  readonly fails: number;
  /** A few conversations that break it. */
  readonly failing: readonly string[];
}

const NAME_LENGTH_MAX = 60;

/** Names of criteria are labels of metrics: letters, digits and `_`, each once. */
export function named(rules: readonly Omit<Rule, 'name'>[]): readonly Rule[] {
  const taken = new Set<string>();
  return rules.map((rule) => {
    const plain = nameOf(rule.claim).replaceAll(/\W+/g, '_').slice(0, NAME_LENGTH_MAX).replace(/_+$/, '');
    let name = plain;
    for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
    taken.add(name);
    return { ...rule, name };
  });
}

function nameOf(claim: Claim): string {
  switch (claim.is) {
    case 'before':
      return `${claim.first}_first`;
    case 'confirmed':
      return 'user_said_yes_first';
    case 'never':
      return `never_${claim.tool}`;
    case 'at_most':
      return `${claim.tool}_at_most_${claim.most}`;
    case 'known':
      return `${claim.tool}_${pathName(claim.place)}_known`;
    case 'once':
      return 'no_change_made_twice';
    case 'arguments':
      return `${claim.tool}_arguments`;
    case 'one_of':
    case 'pattern':
    case 'range':
      return `${claim.tool}_${pathName(claim.place)}_allowed`;
    case 'items':
      return `${claim.tool}_${claim.which?.prefix ?? claim.list}_at_most_${claim.most}`;
  }
}

export function pathName({ path }: ArgumentPlace): string {
  return path.map(({ name }) => name).join('_');
}
