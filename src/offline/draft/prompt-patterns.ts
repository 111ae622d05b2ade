/**
 * Rules in a prompt that fixed words show, in English: an order of two tools, a tool that is never called, a limit, a
 * yes before a change. A sentence that could mean anything else gives no rule. A condition (*unless*, *if*) makes a ban
 * ambiguous; so does a second tool.
 */
import { wordsOf } from '../../score/subject/effect-by-name.ts';
import { placesIn } from './argument-places.ts';
import type { Sentence } from './prompt-sentences.ts';
import type { Claim } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

interface PromptTools {
  readonly all: readonly ToolSchema[];
  /** Tools that change something. */
  readonly writing: readonly ToolSchema[];
}

export function claimsIn({ text }: Sentence, tools: PromptTools): readonly Claim[] {
  const lower = text.toLowerCase();
  const found = [banIn(lower, tools), orderIn(lower, tools), timesIn(lower, tools), yesIn(lower, tools)];
  return [...found.filter((claim) => claim !== undefined), ...itemsIn(lower, tools)];
}

const BAN = /\b(?:never|do not|don't|must not|may not|cannot|forbidden to|not allowed to)\b(?: ever)?/;
const CONDITION =
  /\b(?:unless|if|before|until|without|except|when|only|more than|twice|after|once|where|while|first|again|proactively|for)\b/;

function banIn(sentence: string, { all }: PromptTools): Claim | undefined {
  const ban = BAN.exec(sentence);
  if (ban === null || CONDITION.test(sentence)) return undefined;
  const rest = sentence.slice(ban.index + ban[0].length);
  const [only, ...others] = mentioned(rest, all);
  if (only === undefined || others.length > 0 || rest.indexOf(only.toLowerCase()) > 30) return undefined;
  // "Never promise a refund" is not about the tool `refund`.
  if (isPlainWord(only) && !/^ (?:call|use|invoke|run|execute)\b/.test(rest)) return undefined;
  return { is: 'never', tool: only };
}

const OBLIGES = /\b(?:must|always|never|first|have to|has to|need to|needs to|do not|don't|should|make sure|ensure)\b/;

function orderIn(sentence: string, { all, writing }: PromptTools): Claim | undefined {
  const sides = splitAtOrder(sentence);
  if (sides === undefined) return undefined;
  const [first, ...more] = spokenOf(sides.first, sentence, all, 2);
  const later = spokenOf(sides.later, sentence, all, 2);
  // "before you refund" is about a tool that is named with this one word.
  const tools = [...new Set([...later, ...spokenOf(sides.later, sentence, writing, 1)])].filter(
    (tool) => tool !== first,
  );
  if (first === undefined || more.length > 0 || tools.length === 0 || tools.length > 5) return undefined;
  const isAsked = OBLIGES.test(sentence) || isForm(sentence.match(/[a-z]+/)?.[0] ?? '', wordsOf(first)[0] ?? '');
  return isAsked ? { is: 'before', first, later: tools } : undefined;
}

/** Text of what comes first, and of what comes later. */
function splitAtOrder(sentence: string): { readonly first: string; readonly later: string } | undefined {
  const word = /\b(?:only after|before|without|until)\b/.exec(sentence);
  if (word === null) return undefined;
  const left = sentence.slice(0, word.index);
  const right = sentence.slice(word.index + word[0].length);
  const comma = right.indexOf(',');
  if (left.trim() === '' && word[0] === 'before' && comma > 0)
    return { first: right.slice(comma), later: right.slice(0, comma) };
  const isTurned = word[0] !== 'before' || /\b(?:never|do not|don't|must not|may not|cannot)\b/.test(left);
  return isTurned ? { first: right, later: left } : { first: left, later: right };
}

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const NUMBER = `(\\d{1,4}|${NUMBERS.slice(1).join('|')}|a single)`;
const TIMES = new RegExp(`\\b(?:at most|no more than|up to|only|a maximum of|more than) ${NUMBER} times\\b`);

function timesIn(sentence: string, { all }: PromptTools): Claim | undefined {
  const count = TIMES.exec(sentence.replaceAll(/\bonce\b/g, '1 times').replaceAll(/\btwice\b/g, '2 times'))?.[1];
  const [only, ...others] = mentioned(sentence, all);
  if (count === undefined || only === undefined || others.length > 0) return undefined;
  return { is: 'at_most', tool: only, most: numberOf(count) };
}

const ITEMS = new RegExp(`\\b(?:at most|no more than|up to|a maximum of) ${NUMBER} ((?:[a-z]+[ -]){0,2}[a-z]+)`, 'g');

/** "at most five passengers", where a tool that changes something has a list of them; or ids that begin with the words. */
function itemsIn(sentence: string, { writing }: PromptTools): readonly Claim[] {
  return [...sentence.matchAll(ITEMS)].flatMap(([, count = '', noun = '']) => {
    const [most, nouns] = [numberOf(count), nounsIn(noun)];
    return writing.flatMap((tool): readonly Claim[] => {
      const claims = placesIn(tool).flatMap(({ path: [list, member, ...deeper], schema }): readonly Claim[] => {
        if (list?.isList !== true || deeper.length > 0) return [];
        const claim = { is: 'items', tool: tool.name, list: list.name, most } as const;
        if (nouns.includes(singular(list.name.toLowerCase()))) return [{ ...claim, which: undefined }];
        const prefix = nouns.find((one) => idsIn(schema).some((id) => id.startsWith(`${one}_`)));
        return member === undefined || prefix === undefined
          ? []
          : [{ ...claim, which: { member: member.name, prefix } }];
      });
      return claims.slice(0, 1);
    });
  });
}

/** Names that a noun may have, the longest first: *one credit card for* is credit_card_for, credit_card, card. */
function nounsIn(words: string): readonly string[] {
  const all = words.split(/[ -]/).map(singular);
  return all.flatMap((_, from) => all.slice(from).map((__, less) => all.slice(from, all.length - less).join('_')));
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word;
}

const DESCRIPTION_MAX = 2000;

/** Ids that a description gives as examples. */
function idsIn({ description }: { readonly [key: string]: unknown }): readonly string[] {
  if (typeof description !== 'string') return [];
  return description.slice(0, DESCRIPTION_MAX).match(/[a-z]+(?:_[a-z]+)*_\d+/g) ?? [];
}

function numberOf(word: string): number {
  const named = NUMBERS.indexOf(word === 'a single' ? 'one' : word);
  return named >= 0 ? named : Number(word);
}

const ASKS = /\b(?:confirm\w*|approv\w+|consent|yes|explicit(?:ly)? (?:yes|agree\w*|permission))\b/;
const WHOSE = /\b(?:user|customer|caller|client|guest|patient|member|explicit)\w*\b/;
const FIRST = /\b(?:before|prior to|without|until|unless|first)\b/;
const ANY_CHANGE = /\b(?:any|all|every|each)\b.{0,40}\b(?:actions?|changes?|updates?|modif\w+|writes?|consequential)\b/;

/** Tools by name, or else by words, or else all that change something if the sentence speaks of any change. */
function yesIn(sentence: string, { writing }: PromptTools): Claim | undefined {
  if (!ASKS.test(sentence) || !WHOSE.test(sentence) || !FIRST.test(sentence)) return undefined;
  if (ANY_CHANGE.test(sentence)) return writing.length === 0 ? undefined : { is: 'confirmed', tools: namesOf(writing) };
  const tools = spokenOf(sentence, sentence, writing, 1);
  return tools.length === 0 ? undefined : { is: 'confirmed', tools };
}

function namesOf(tools: readonly ToolSchema[]): readonly string[] {
  return tools.map(({ name }) => name);
}

/** Tools by their names, in the order of the list. */
function mentioned(text: string, tools: readonly ToolSchema[]): readonly string[] {
  return namesOf(tools).filter((name) => hasName(text, name.toLowerCase()));
}

const LITTLE_WORDS = new Set('the a an to of by for do is details detail info data record status'.split(' '));
const LOOKS = new Set('get find look lookup search fetch retrieve read check load'.split(' '));

/**
 * Tools that a part of a sentence speaks of: by their names, or else by the words of a name. The first, the verb, is in
 * the part, and the others are anywhere in the sentence, because the part may say *it*.
 */
function spokenOf(part: string, sentence: string, tools: readonly ToolSchema[], wordsMin: number): readonly string[] {
  const named = mentioned(part, tools);
  if (named.some((name) => !isPlainWord(name))) return named;
  const [inPart, inSentence] = [part, sentence].map((text) => text.match(/[a-z0-9]+/g) ?? []);
  return namesOf(tools).filter((name) => {
    const [verb = '', ...others] = wordsOf(name).filter((word) => !LITTLE_WORDS.has(word));
    if (others.length + 1 < wordsMin || !inPart?.some((token) => isForm(token, verb))) return false;
    return wordsMin === 1 || others.every((word) => inSentence?.some((token) => isForm(token, word)));
  });
}

function isPlainWord(name: string): boolean {
  return /^[a-z]+$/.test(name);
}

function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/\w/.test(text[at - 1] ?? ' ') && !/\w/.test(text[at + name.length] ?? ' ')) return true;
  return false;
}

/** *cancelling*, *cancelled* and *cancels* are forms of *cancel*. Verbs that only look are one. */
function isForm(token: string, word: string): boolean {
  if (LOOKS.has(word)) return LOOKS.has(token);
  return token === word || (word.length >= 4 && token.startsWith(word.slice(0, Math.max(4, word.length - 1))));
}
