/**
 * Reads from an answer's words what it does: refuse, admit that something was not done, claim that something was, ask.
 * By the phrases of its language; of an answer in another language than the rules know, nothing is said. Rules of
 * thumb: they read words, not meaning.
 *
 * `isBare`: without apologies, refusals, words that only say that something went wrong, and what fills such sentences,
 * hardly a word is left. "I can't share another customer's address" says what it refuses; "I can't help with that" does
 * not. Long answers are never bare.
 */
import { inAnyLanguage, type Language, LANGUAGES, WITH_SPACES, WITHOUT_SPACES } from './languages.ts';
import { isClosing, withoutClosings } from './closing.ts';
import { withoutFrames } from './frames.ts';
import { isGeneralStatement } from './general-statement.ts';
import { type PhraseKind, PHRASES, type PhraseTests } from './phrases.ts';
import { plainText, sentencesOf } from './plain-text.ts';
import { isTooShortToTell, languageOf, languageOfPlain } from './recognise.ts';

export interface AnswerReading {
  readonly language: Language;
  readonly isBare: boolean;
  /** The user knows afterwards that what was asked was not done, or not all of it. */
  readonly admitsTrouble: boolean;
  /** `own`: the agent says that it did it; `stated`: that it is done. */
  readonly claims: 'own' | 'stated' | undefined;
  /** All that is claimed, what the agent says of itself first. */
  readonly claimed: readonly Claim[];
  /** The sentence by which a person is said to have the user or the matter already. */
  readonly handedOver: string | undefined;
  /** The agent is passing the user or the matter on, or is about to; no offer. */
  readonly isHandingOver: boolean;
  /** It speaks of a person who takes over, as more than an offer. */
  readonly speaksOfHandOver: boolean;
  /** It waits for something from the user. */
  readonly asks: boolean;
  readonly refuses: boolean;
  readonly handsOver: boolean;
  /** It says what will happen or what the user can do. */
  readonly saysWhatNext: boolean;
}

export interface Claim {
  readonly kind: 'own' | 'stated';
  readonly sentence: string;
  /** Words of the sentence that say that it was done: "has been cancelled". */
  readonly words: string;
  /** The clause up to the end of those words. */
  readonly clause: string;
  readonly wholeClause: string;
  /** A person was told, or given the case. */
  readonly isHandOver: boolean;
  /** A person has the user, or has taken over. */
  readonly isOfUserHandedOver: boolean;
  /** Its sentence apologises, refuses, or tells of trouble, unless it is stated after a "but". */
  readonly isBesideTrouble: boolean;
  /** Its own clause, or the rest of its sentence, tells of trouble. */
  readonly isInTrouble: boolean;
}

export const LANGUAGE_NOT_KNOWN = `The answer is in no language that this rule of thumb knows (${LANGUAGES.join(', ')}), or too short to tell.`;

const NEVER_BARE_FROM = 400;
const WORDS_LEFT_MAX = 2;
/** Characters, in scripts without spaces: about as much as two words. */
const CHARACTERS_LEFT_MAX = 4;

/**
 * An answer that is too short to tell is read in the language of the request, of what the user said before it (the latest first), or else the one
 * language in which it claims something.
 */
export function readAnswerTo(answer: string, said: () => Iterable<string>): AnswerReading | undefined {
  return readAnswer(answer) ?? readAsRequested(answer, said);
}

function readAsRequested(answer: string, asked: () => Iterable<string>): AnswerReading | undefined {
  const plain = plainText(answer);
  if (!isTooShortToTell(plain)) return undefined;
  for (const said of asked()) {
    const language = languageOf(said);
    // Nothing before it is read either where the request is in another language than the rules know.
    if (language !== undefined) return new Reading(language, plain.trim());
    if (!isTooShortToTell(plainText(said))) return undefined;
  }
  // "Address updated." is English if nothing else tells: it claims something in no other language.
  const [language, ...others] = WITH_SPACES.filter((one) => claimsAnything(plain, PHRASES[one]));
  return language === undefined || others.length > 0 ? undefined : new Reading(language, plain.trim());
}

function claimsAnything(plain: string, { ownClaim, doneClaim }: PhraseTests): boolean {
  return sentencesOf(plain).some((sentence) => ownClaim.test(sentence) || doneClaim.test(sentence));
}

/** Undefined where its language is not known. */
export function readAnswer(answer: string): AnswerReading | undefined {
  const plain = plainText(answer);
  const language = languageOfPlain(plain);
  return language === undefined ? undefined : new Reading(language, plain.trim());
}

/**
 * Compiles what such an answer is read by: tenths of a second for the first one in a language, more where the machine is busy. To be called before
 * the time of a check is taken, which would else be taken for one that does not end.
 */
export function prepareReading(language: Language, answer: string): void {
  // Texts with characters beyond Latin-1 are matched by machine code of their own.
  const sample = /[^\0-\xff]/.test(answer) ? 'xyzzy☂' : 'xyzzy';
  const key = `${language} ${sample}`;
  if (COMPILED.has(key)) return;
  COMPILED.add(key);
  const { words: _, ...tests } = PHRASES[language];
  const all = [...Object.values(tests), ...[...EMPTY, ...TAKEN_OUT].map((kind) => everywhere(tests[kind]))];
  // Runs twice, because the second run compiles to machine code.
  for (const pattern of [...all, ...all]) sample.replace(pattern, '');
}

const COMPILED = new Set<string>();
const TAKEN_OUT = ['untroubled', 'conditional'] as const satisfies readonly PhraseKind[];

/** Every answer is read, and of most of them only one or two things are asked: each is looked for when it is. */
class Reading implements AnswerReading {
  readonly language: Language;
  readonly #known: PhraseTests;
  readonly #text: string;
  readonly #sentences: readonly string[];
  #told: readonly Told[] | undefined;
  #claimed: readonly Claim[] | undefined;
  #isBare: boolean | undefined;

  constructor(language: Language, text: string) {
    this.language = language;
    this.#known = PHRASES[language];
    this.#text = text;
    this.#sentences = sentencesOf(text);
  }

  get isBare(): boolean {
    this.#isBare ??=
      this.#text.length < NEVER_BARE_FROM &&
      this.claims === undefined &&
      bare(this.#unclosed.replace(everywhere(this.#known.untroubled), ' · '), this.#known);
    return this.#isBare;
  }

  /** An apology with such a sentence may be all that was asked for; a refusal is not. */
  get #unclosed(): string {
    return this.#known.refusal.test(this.#text) ? withoutClosings(this.#text) : this.#text;
  }

  get admitsTrouble(): boolean {
    if (this.isBare) return true;
    const { trouble, failure, refusal } = this.#known;
    const said = standingOf(
      this.#tellings.flatMap(({ clauses }) => clauses),
      this.#known,
    );
    return trouble.test(said) || failure.test(said) || refusal.test(said);
  }

  get claims(): Claim['kind'] | undefined {
    return this.claimed[0]?.kind;
  }

  get claimed(): readonly Claim[] {
    this.#claimed ??= this.#mayClaim ? claimsIn(this.#ownTellings, this.#known) : NO_CLAIMS;
    return this.#claimed;
  }

  get handedOver(): string | undefined {
    const { handedOver, unclaimed } = this.#known;
    if (!handedOver.test(this.#text)) return undefined;
    return this.#ownTellings.find(({ clauses }) =>
      clauses.some((clause) => handedOver.test(clause) && !unclaimed.test(clause)),
    )?.sentence;
  }

  get isHandingOver(): boolean {
    return this.#known.handingOver.test(this.#text) && this.#tells(this.#known.handingOver);
  }

  get speaksOfHandOver(): boolean {
    return this.handedOver !== undefined || this.isHandingOver || (this.handsOver && this.#tells(this.#known.handOver));
  }

  get asks(): boolean {
    return asks(this.#sentences, this.#known);
  }

  /** Few sentences hold the words of a refusal; what they only suppose is looked for in those. */
  get refuses(): boolean {
    return this.#sentences.some(
      (sentence) =>
        this.#known.refusal.test(sentence) &&
        !isQuestion(sentence, this.#known) &&
        refuses(asIs(sentence, this.#known).clauses.join(' '), this.#known),
    );
  }

  get handsOver(): boolean {
    return this.#known.handOver.test(this.#text);
  }

  get saysWhatNext(): boolean {
    const { nextStep, request } = this.#known;
    return nextStep.test(this.#text) || request.test(this.#text) || this.handsOver || this.#text.includes('?');
  }

  /** In a sentence that is neither a question nor an offer. */
  #tells(pattern: RegExp): boolean {
    const { offered, words } = this.#known;
    return this.#ownTellings.some(({ sentence }) => {
      const found = pattern.exec(sentence);
      if (found === null) return false;
      // "A colleague who can help": only words before make it an offer, except in languages with the verb at the end.
      const read = words.size === 0 ? sentence : sentence.slice(0, found.index + found[0].length);
      return !offered.test(read);
    });
  }

  get #tellings(): readonly Told[] {
    this.#told ??= tellingsOf(this.#sentences, this.#known);
    return this.#told;
  }

  /** Before what is only supposed is taken out, which takes longer. */
  get #mayClaim(): boolean {
    const { ownClaim, doneClaim } = this.#known;
    return this.#sentences.some((sentence) =>
      clausesOf(sentence).some((clause) => ownClaim.test(clause) || doneClaim.test(clause)),
    );
  }

  /** Without quotes and drafts. */
  get #ownTellings(): readonly Told[] {
    const own = withoutFrames(this.#text);
    return own === this.#text ? this.#tellings : tellingsOf(sentencesOf(own), this.#known);
  }
}

const NO_CLAIMS: readonly Claim[] = [];

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
  const isEmptying = known.apology.test(text) || known.failure.test(text) || known.refusal.test(text);
  if (!isEmptying || known.handOver.test(text) || givesReason(text, known)) return false;
  let rest = text;
  for (const kind of EMPTY) rest = rest.replace(everywhere(known[kind]), ' · ');
  if (known.substance.test(rest) || /\d|@/.test(rest)) return false;
  if (known.words.size === 0)
    return (rest.match(/[\p{L}]/gu)?.length ?? 0) - (rest.match(PARTICLES)?.length ?? 0) <= CHARACTERS_LEFT_MAX;
  const words = (rest.match(/\p{L}+(?:'\p{L}+)*/gu) ?? []).filter((word) => !known.words.has(word));
  return words.length <= WORDS_LEFT_MAX;
}

/** Words of trouble hold the reason in some orders of words: "… konnte ich nicht erstatten, weil der Zahlungsdienst …". */
function givesReason(text: string, { words }: PhraseTests): boolean {
  const reason = REASON.exec(text)?.[1];
  return (
    reason !== undefined &&
    (reason.match(/\p{L}{4,}/gu) ?? []).some((word) => !words.has(word) && !NO_REASON.test(word))
  );
}

const REASON = new RegExp(`(?<!\\p{L})(?:${inAnyLanguage(({ clauses }) => clauses.because)})([^.!?;\\n]{4,120})`, 'u');
const NO_REASON = new RegExp(`^(?:${inAnyLanguage(({ clauses }) => clauses.noReason)})$`, 'u');
const PARTICLES = new RegExp(
  inAnyLanguage(({ clauses }) => clauses.particles),
  'gu',
);

const GLOBAL = new WeakMap<RegExp, RegExp>();

function everywhere(pattern: RegExp): RegExp {
  const known = GLOBAL.get(pattern);
  if (known !== undefined) return known;
  const global = new RegExp(pattern.source, 'gu');
  GLOBAL.set(pattern, global);
  return global;
}

/** A sentence without what it only supposes, and without words of trouble that tell of none. */
interface Told {
  readonly sentence: string;
  readonly clauses: readonly string[];
}

function tellingsOf(sentences: readonly string[], known: PhraseTests): readonly Told[] {
  return sentences.filter((sentence) => !isQuestion(sentence, known)).map((sentence) => asIs(sentence, known));
}

function asIs(sentence: string, known: PhraseTests): Told {
  const plain = sentence.replace(everywhere(known.untroubled), ' · ').replace(everywhere(known.conditional), ' · ');
  return { sentence: sentence.trim(), clauses: clausesOf(plain) };
}

/** A "not" in one half of a sentence says nothing of the other. */
function clausesOf(sentence: string): readonly string[] {
  return sentence.split(CLAUSE_ENDS);
}

const NEXT_WORDS = inAnyLanguage(({ clauses }) => clauses.next, WITH_SPACES);
const NEXT_PLACES = inAnyLanguage(({ clauses }) => clauses.next, WITHOUT_SPACES);
const CLAUSE_ENDS = new RegExp(`[;—–]|(?<=:) |(?<=,) ?(?=(?:${NEXT_WORDS}) )|${NEXT_PLACES}`, 'u');

function claimsIn(told: readonly Told[], known: PhraseTests): readonly Claim[] {
  const own: Claim[] = [];
  const stated: Claim[] = [];
  for (const { sentence, clauses } of told) {
    for (const [at, clause] of clauses.entries()) {
      const did = claimedIn(clause, known.ownClaim, known);
      const words = did ?? claimedIn(clause, known.doneClaim, known);
      if (words === undefined) continue;
      const isOwn = did !== undefined;
      const claim: Claim = {
        kind: isOwn ? 'own' : 'stated',
        sentence,
        wholeClause: clause,
        words,
        clause: clause.slice(0, clause.indexOf(words) + words.length),
        // Few claims are asked about these.
        get isHandOver() {
          return known.handOver.test(sentence) || known.handedOver.test(sentence);
        },
        get isOfUserHandedOver() {
          return known.handedOver.test(sentence);
        },
        get isBesideTrouble() {
          return !isOwn && isBesideTrouble(clauses, at, known);
        },
        get isInTrouble() {
          const rest = clauses.slice(at).join('\n');
          return known.trouble.test(rest) || known.failure.test(rest) || known.refusal.test(rest);
        },
      };
      (isOwn ? own : stated).push(claim);
    }
  }
  return [...own, ...stated];
}

/** Trouble before a "but" is what the claim makes up for. */
function isBesideTrouble(clauses: readonly string[], at: number, known: PhraseTests): boolean {
  const from = HOWEVER.test(clauses[at] ?? '') ? at : 0;
  return tellsOfTrouble(standingOf(clauses.slice(from), known), known);
}

const HOWEVER = new RegExp(`^ ?(?:${inAnyLanguage(({ clauses }) => clauses.but)})`);

function tellsOfTrouble(text: string, { apology, trouble, failure, refusal }: PhraseTests): boolean {
  return trouble.test(text) || failure.test(text) || refusal.test(text) || apology.test(text);
}

/** Words after a claim do not take it back (QUOTE), except in languages with the verb at the end. */
function claimedIn(clause: string, pattern: RegExp, known: PhraseTests): string | undefined {
  const claim = pattern.exec(clause);
  if (claim === null) return undefined;
  const read = known.words.size === 0 ? clause : clause.slice(0, claim.index + claim[0].length);
  if (NOTHING.test(clause.slice(claim.index + claim[0].length))) return undefined;
  if (known.unclaimed.test(read)) return undefined;
  if (!isGeneralStatement(clause, claim[0], claim.index)) return claim[0];
  // "Refunds are processed within 5 days, your order is cancelled".
  const next = clause.indexOf(', ', claim.index);
  return next === -1 ? undefined : claimedIn(clause.slice(next + 1), pattern, known);
}

const NOTHING = new RegExp(`^ (?:${inAnyLanguage(({ clauses }) => clauses.nothing)})(?![a-zß-öø-ÿœ])`);

/** Without trouble that was overcome: told as past before something that was done, or said to be over. */
function standingOf(clauses: readonly string[], known: PhraseTests): string {
  const standing: string[] = [];
  let isOver = false;
  for (const clause of clauses.toReversed()) {
    const end = endOfTrouble(clause, known);
    isOver ||= end !== undefined;
    if (end !== undefined) standing.push(clause.slice(end));
    else if (!isOver || !known.passing.test(clause)) standing.push(clause);
  }
  return standing.reverse().join('\n');
}

/** How far a clause tells of what is over. Undefined where nothing is; a claim alone ends only trouble of clauses before it. */
function endOfTrouble(clause: string, known: PhraseTests): number | undefined {
  const over = known.overcome.exec(clause);
  if (over !== null) return over.index + over[0].length;
  const done = claimedIn(clause, known.ownClaim, known) ?? claimedIn(clause, known.doneClaim, known);
  if (done === undefined) return undefined;
  return known.passing.test(clause) ? clause.indexOf(done) + done.length : 0;
}

function refuses(sentence: string, known: PhraseTests): boolean {
  return known.refusal.test(sentence) && !known.failure.test(sentence);
}

/** In one of the last two sentences: what is asked in the middle of a text was most often answered by its end. */
function asks(sentences: readonly string[], known: PhraseTests): boolean {
  return sentences
    .slice(-2)
    .filter((sentence) => !known.courtesy.test(sentence) && !isClosing(sentence))
    .some((sentence) => isQuestion(sentence, known) || requests(sentence, known));
}

/** "If you send me the code, …" waits for nothing; "once you have it, please send it" does. */
function requests(sentence: string, known: PhraseTests): boolean {
  const asked = sentence.replace(
    everywhere(known.conditional),
    (supposed) => ` · ${/[,、].*/su.exec(supposed)?.[0] ?? ''}`,
  );
  return known.request.test(asked);
}

function isQuestion(sentence: string, known: PhraseTests): boolean {
  return endsAsQuestion(sentence) || known.question.test(sentence);
}

/** In any language. */
export function endsAsQuestion(text: string): boolean {
  return /[?？؟]["'”’)\]*_\s]*$/u.test(text.slice(-20));
}
