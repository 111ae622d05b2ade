/**
 * What an answer does, as far as its words tell: refuse, admit that something was not done, claim that something was, ask. By the phrases of
 * its language; of an answer in another language than the rules know, nothing is said. Rules of thumb: they read words, not meaning.
 *
 * `isBare`: without apologies, refusals, words that only say that something went wrong, and what fills such sentences, hardly a word is left.
 * "I can't share another customer's address" says what it refuses; "I can't help with that" does not. Long answers are never bare.
 */
import type { Turn } from '../../model/turn.ts';
import { type Language, LANGUAGES, PHRASES } from './languages.ts';
import { type PhraseKind, type PhraseTests, plainText, sentencesOf } from './phrases.ts';
import { languageOf } from './recognise.ts';

export interface AnswerReading {
  readonly language: Language;
  readonly isBare: boolean;
  /** The user knows afterwards that what was asked was not done, or not all of it. */
  readonly admitsTrouble: boolean;
  /** `own`: the agent says that it did it; `stated`: that it is done. */
  readonly claims: 'own' | 'stated' | undefined;
  /** The sentence that claims it. */
  readonly claim: string | undefined;
  /** It waits for something from the user. */
  readonly asks: boolean;
  readonly refuses: boolean;
  readonly handsOver: boolean;
  /** It says what will happen or what the user can do. */
  readonly saysWhatNext: boolean;
}

export const LANGUAGE_NOT_KNOWN = `The answer is in no language that this rule of thumb knows (${LANGUAGES.join(', ')}), or too short to tell.`;

const NEVER_BARE_FROM = 400;
const WORDS_LEFT_MAX = 2;
/** Characters, in scripts without spaces: about as much as two words. */
const CHARACTERS_LEFT_MAX = 4;

const READ = new WeakMap<Turn, AnswerReading | 'unknown'>();

/** Of the answer of a turn, once: several checks ask. Undefined where its language is not known. */
export function readingOf(turn: Turn): AnswerReading | undefined {
  let reading = READ.get(turn);
  if (reading === undefined) {
    reading = readAnswer(turn.finalAnswer.text) ?? 'unknown';
    READ.set(turn, reading);
  }
  return reading === 'unknown' ? undefined : reading;
}

/** Undefined where its language is not known. */
export function readAnswer(answer: string): AnswerReading | undefined {
  const language = languageOf(answer);
  return language === undefined ? undefined : new Reading(language, plainText(answer).trim());
}

/** Every answer is read, and of most of them only one or two things are asked: each is looked for when it is. */
class Reading implements AnswerReading {
  readonly language: Language;
  readonly #known: PhraseTests;
  readonly #text: string;
  #sentences: readonly string[] | undefined;
  #isBare: boolean | undefined;
  #claim: Claim | 'none' | undefined;

  constructor(language: Language, text: string) {
    this.language = language;
    this.#known = PHRASES[language];
    this.#text = text;
  }

  get isBare(): boolean {
    this.#isBare ??= bare(this.#text, this.#known);
    return this.#isBare;
  }

  get admitsTrouble(): boolean {
    const { trouble, failure, refusal } = this.#known;
    const said = this.#said.filter((sentence) => !isQuestion(sentence, this.#known)).join('\n');
    return this.isBare || trouble.test(said) || failure.test(said) || refusal.test(said);
  }

  get claims(): Claim['kind'] | undefined {
    return this.#claimed?.kind;
  }

  get claim(): string | undefined {
    return this.#claimed?.sentence;
  }

  get asks(): boolean {
    return asks(this.#said, this.#known);
  }

  get refuses(): boolean {
    return this.#said.some((sentence) => refuses(sentence, this.#known));
  }

  get handsOver(): boolean {
    return this.#known.handOver.test(this.#text);
  }

  get saysWhatNext(): boolean {
    const { nextStep, request } = this.#known;
    return nextStep.test(this.#text) || request.test(this.#text) || this.handsOver || this.#text.includes('?');
  }

  get #said(): readonly string[] {
    this.#sentences ??= sentencesOf(this.#text);
    return this.#sentences;
  }

  get #claimed(): Claim | undefined {
    this.#claim ??= claimIn(this.#said, this.#known) ?? 'none';
    return this.#claim === 'none' ? undefined : this.#claim;
  }
}

interface Claim {
  readonly kind: 'own' | 'stated';
  readonly sentence: string;
}

/** In this order: an apology is part of many a filler. */
const EMPTY = [
  'apology',
  'filler',
  'failure',
  'courtesy',
  'refusal',
  'trouble',
] as const satisfies readonly PhraseKind[];

function bare(text: string, known: PhraseTests): boolean {
  if (text.length >= NEVER_BARE_FROM) return false;
  const isEmptying = known.apology.test(text) || known.failure.test(text) || known.refusal.test(text);
  if (!isEmptying || known.handOver.test(text)) return false;
  let rest = text;
  for (const kind of EMPTY) rest = rest.replace(everywhere(known[kind]), ' · ');
  if (known.substance.test(rest) || /\d|@/.test(rest)) return false;
  if (known.words.size === 0)
    return (rest.match(/[\p{L}]/gu)?.length ?? 0) - (rest.match(PARTICLES)?.length ?? 0) <= CHARACTERS_LEFT_MAX;
  const words = (rest.match(/\p{L}+(?:'\p{L}+)*/gu) ?? []).filter((word) => !known.words.has(word));
  return words.length <= WORDS_LEFT_MAX;
}

/** What binds words in Japanese and Chinese and says nothing. */
const PARTICLES = /[はがをにでとのもへますせんたいただくし我您你的了是吗请]/gu;

const GLOBAL = new WeakMap<RegExp, RegExp>();

function everywhere(pattern: RegExp): RegExp {
  const known = GLOBAL.get(pattern);
  if (known !== undefined) return known;
  const global = new RegExp(pattern.source, 'gu');
  GLOBAL.set(pattern, global);
  return global;
}

function claimIn(sentences: readonly string[], known: PhraseTests): Claim | undefined {
  let stated: string | undefined;
  for (const sentence of sentences) {
    const kinds = clausesOf(sentence).flatMap((clause) => claimOf(clause, known) ?? []);
    if (kinds.length === 0 || isQuestion(sentence, known)) continue;
    if (kinds.includes('own')) return { kind: 'own', sentence: sentence.trim() };
    stated ??= sentence.trim();
  }
  return stated === undefined ? undefined : { kind: 'stated', sentence: stated };
}

/** Few clauses claim anything, so what takes the claim back is looked for last. */
function claimOf(clause: string, known: PhraseTests): Claim['kind'] | undefined {
  const kind = known.ownClaim.test(clause) ? 'own' : known.doneClaim.test(clause) ? 'stated' : undefined;
  return kind === undefined || known.unclaimed.test(clause) ? undefined : kind;
}

/** A "not" in one half of a sentence says nothing of the other. */
function clausesOf(sentence: string): readonly string[] {
  return sentence.split(/;|(?<=,) ?(?=but |and |aber |und |pero |y |mais |et |mas |e )|—|–/u);
}

function refuses(sentence: string, known: PhraseTests): boolean {
  return known.refusal.test(sentence) && !known.failure.test(sentence) && !isQuestion(sentence, known);
}

/** In one of the last two sentences: what is asked in the middle of a text was most often answered by its end. */
function asks(sentences: readonly string[], known: PhraseTests): boolean {
  return sentences
    .slice(-2)
    .some(
      (sentence) => (isQuestion(sentence, known) || known.request.test(sentence)) && !known.courtesy.test(sentence),
    );
}

function isQuestion(sentence: string, known: PhraseTests): boolean {
  return endsAsQuestion(sentence) || known.question.test(sentence);
}

/** In any language. */
export function endsAsQuestion(text: string): boolean {
  return /[?？؟]["'”’)\]*_\s]*$/u.test(text.slice(-20));
}
