/**
 * The shape of what a rule of thumb knows of one language. Each list is compiled to one regular expression, so that a text is passed over
 * once for each. Entries are patterns over text as `plainText` gives it; they have no repetition inside a repetition and every gap in them
 * is bounded, so that no text takes long.
 */

/** How a language shows what an answer does. */
export interface Phrases {
  /** Its function words, and words that short answers consist of: what the language is recognised by. */
  readonly words: string;
  readonly apology: readonly string[];
  /** The agent says that it will not, may not, or does not do something. */
  readonly refusal: readonly string[];
  /**
   * Words that fill a refusal or an apology and tell nothing: "with your request", "at this time", "visit our help
   * center".
   */
  readonly filler: readonly string[];
  /** Something went wrong, and no word of what: "something went wrong". */
  readonly failure: readonly string[];
  /** Something did not work, was not found, was not done. */
  readonly trouble: readonly string[];
  /** Words of trouble that tell of none: "it couldn't be easier", "no problem", "at no cost". */
  readonly untroubled: readonly string[];
  /** A clause of what is not so yet, from its first word to its end: "if it fails", "once cancelled, it cannot be restored". */
  readonly conditional: readonly string[];
  /** Trouble is told as past: "at first", "a brief problem". It stands unless something that was done follows. */
  readonly passing: readonly string[];
  /** Trouble is over: "on the second try it went through", "that is fixed now". */
  readonly overcome: readonly string[];
  /** A reason, an offer, another way, a time: what makes an apology say something. */
  readonly substance: readonly string[];
  /** A request to the user without a question mark. */
  readonly request: readonly string[];
  /** How questions are told where there is no question mark. */
  readonly question?: readonly string[];
  /** Asked of everybody at the end; nothing waits for the answer. */
  readonly courtesy: readonly string[];
  /** The next step: what will happen, or what the user can do. */
  readonly nextStep: readonly string[];
  /** The agent says that it passes the user or the matter on to a person, or that it did. */
  readonly handOver: readonly string[];
  /** The agent is passing the user on, or is about to: "I'm connecting you to a colleague". */
  readonly handingOver: readonly string[];
  /** Makes a hand-over an offer: "I can …", "if you like, …". */
  readonly offered: readonly string[];
  /** A person is said to have the user or the matter already, beyond what `ownClaim` and `doneClaim` say. */
  readonly handedOver: readonly string[];
  /** The agent says of itself that it did something that changes something: "I have refunded". */
  readonly ownClaim: readonly string[];
  /** It is said to be done, by whomever: "has been cancelled", "all done". */
  readonly doneClaim: readonly string[];
  /** Before a claim, or anywhere in its clause where a language puts it last, it makes it none: "not", "will be". */
  readonly unclaimed: readonly string[];
  /** The user agrees to what was proposed. */
  readonly assent: readonly string[];
  /** The user declines. */
  readonly dissent: readonly string[];
}

export type PhraseKind = Exclude<keyof Phrases, 'words'>;

export type PhraseTests = { readonly words: ReadonlySet<string> } & Readonly<Record<PhraseKind, RegExp>>;

/** In languages with spaces a phrase begins and ends with a word; `…` at its end stands for any ending. */
export function compilePhrases(phrases: Phrases, { spaces }: { readonly spaces: boolean }): PhraseTests {
  const compiled = (patterns: readonly string[] = []) => {
    if (patterns.length === 0) return NEVER;
    if (!spaces) return new RegExp(patterns.join('|'), 'u');
    const whole = patterns.map((pattern) =>
      pattern.endsWith('…') ? `(?:${pattern.slice(0, -1)})` : `(?:${pattern})(?![${LETTERS}])`,
    );
    return new RegExp(`(?<![${LETTERS}'])(?:${withFewLetters(whole.join('|'))})`, 'u');
  };
  return {
    words: new Set(phrases.words.match(/\S+/g)),
    apology: compiled(phrases.apology),
    refusal: compiled(phrases.refusal),
    filler: compiled(phrases.filler),
    failure: compiled(phrases.failure),
    trouble: compiled(phrases.trouble),
    untroubled: compiled(phrases.untroubled),
    conditional: compiled(phrases.conditional),
    passing: compiled(phrases.passing),
    overcome: compiled(phrases.overcome),
    substance: compiled(phrases.substance),
    request: compiled(phrases.request),
    question: compiled(phrases.question),
    courtesy: compiled(phrases.courtesy),
    nextStep: compiled(phrases.nextStep),
    handOver: compiled(phrases.handOver),
    handingOver: compiled(phrases.handingOver),
    offered: compiled(phrases.offered),
    handedOver: compiled(phrases.handedOver),
    ownClaim: compiled(phrases.ownClaim),
    doneClaim: compiled(phrases.doneClaim),
    unclaimed: compiled(phrases.unclaimed),
    assent: compiled(phrases.assent),
    dissent: compiled(phrases.dissent),
  };
}

/**
 * The letters of the languages with spaces, in plain text. `\\p{L}` has hundreds of ranges, and each of the many places that it stands in is compiled
 * by itself: the first answer of a language would wait for that, on a busy machine longer than a check may take.
 */
const LETTERS = 'a-zß-öø-ÿœ';

function withFewLetters(pattern: string): string {
  return pattern.replaceAll('[^\\p{L}', `[^${LETTERS}`).replaceAll('\\p{L}', `[${LETTERS}]`);
}

const NEVER = /(?!)/u;
const TEXT_READ_MAX = 8000;
const SENTENCE_READ_MAX = 1000;

/**
 * Lower case, composed, with straight apostrophes and marks of one width, without Markdown's bold. Takes the beginning and the end of a long
 * text.
 */
export function plainText(text: string): string {
  return inOwnCase(text).toLowerCase();
}

/** A sentence of the plain text, in the case in which it was written. */
export function asWritten(sentence: string, text: string): string {
  const written = inOwnCase(text);
  const plain = written.toLowerCase();
  const at = plain.indexOf(sentence);
  // A letter such as İ has more of them in lower case: then places are not comparable.
  return at === -1 || plain.length !== written.length ? sentence : written.slice(at, at + sentence.length);
}

function inOwnCase(text: string): string {
  const half = TEXT_READ_MAX / 2;
  const read = text.length <= TEXT_READ_MAX ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
  const composed = ASCII.test(read) ? read : read.normalize('NFKC').replaceAll(/[’‘]/g, "'");
  return composed.replaceAll('**', '');
}

const ASCII = /^[\0-\x7f]*$/;
const SENTENCE_END = /[!?。\n]|\.(?=\s)/g;

/** At full stops that are not within a number or a name, and at line ends. The mark stays with its sentence. */
export function sentencesOf(plain: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  const add = (to: number) => {
    const sentence = plain.slice(from, to);
    if (sentence.trim() !== '') {
      sentences.push(sentence.length > SENTENCE_READ_MAX ? sentence.slice(-SENTENCE_READ_MAX) : sentence);
    }
    from = to;
  };
  for (const { index } of plain.matchAll(SENTENCE_END)) add(index + 1);
  add(plain.length);
  return sentences;
}
