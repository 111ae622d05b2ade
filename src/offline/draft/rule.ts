/** A rule of a drafted suite: what it claims, where it comes from, how it is asked, and what shows that it can be kept and broken. */
import type { Json } from '../../model/json.ts';
import { visibleText } from '../../model/visible-text.ts';
import type { ArgumentPlace } from './argument-places.ts';

export type Claim =
  /** Each call of `later` comes after one of `first`. */
  | { readonly is: 'before'; readonly first: string; readonly later: readonly string[] }
  /** The user's message just before says yes. */
  | { readonly is: 'confirmed'; readonly tools: readonly string[] }
  | { readonly is: 'never'; readonly tool: string }
  | { readonly is: 'at_most'; readonly tool: string; readonly most: number }
  | { readonly is: 'once'; readonly tools: readonly string[] }
  /** A list has so many items at most: all of them, or those whose member begins with a prefix. */
  | {
      readonly is: 'items';
      readonly tool: string;
      readonly list: string;
      readonly most: number;
      readonly which: { readonly member: string; readonly prefix: string } | undefined;
    }
  | ({ readonly is: 'value' } & ValueClaim);

/** Something holds of a value in the arguments of each call. */
export interface ValueClaim {
  readonly tool: string;
  readonly place: Place;
  /** End of the rule's name. */
  readonly name: string;
  readonly question: string;
  /** Calls that were refused count as well, unless `done`. */
  readonly calls: 'all' | 'done';
  /** As an expression about the value. */
  readonly holds: (value: string) => string;
  readonly good: Json;
  readonly bad: Json;
}

/** Empty for the arguments as a whole. */
export type Place = Pick<ArgumentPlace, 'path' | 'isNullable'>;

/** A claim as a criterion, with the calls of a conversation that keeps it and of one that breaks it. */
export interface Form {
  readonly name: string;
  readonly question: string;
  readonly asks: { readonly when?: string; readonly check?: string; readonly order?: object };
  /** Tools whose calls that went through it asks about. */
  readonly done?: readonly string[];
  readonly keeps: readonly FormCall[];
  readonly breaks: readonly FormCall[];
}

/** Arguments are what the schema allows, with one value put in. */
export interface FormCall {
  readonly tool: string;
  readonly put?: { readonly place: Place; readonly value: Json };
}

interface Origin {
  /** By the prompt, by a schema, of tools that change something, or by traffic. */
  readonly is: 'said' | 'stated' | 'assumed' | 'shown';
  /** In words, on one line. */
  readonly text: string;
}

export interface Rule {
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

const QUOTED_MAX = 200;

/** Text of others on one line of a comment. */
export function plainLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, ' ').trim().slice(0, QUOTED_MAX).toWellFormed();
}
