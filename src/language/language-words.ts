/**
 * The shape of a language: all that the rules of thumb know of it. A language is one file in `languages/`, and a line in `languages.ts`.
 *
 * Entries are patterns over text as `plainText` gives it. Each list is compiled to one regular expression, so that a text is passed over
 * once for each. They have no repetition inside a repetition and every gap in them is bounded, so that no text takes long. A string of
 * alternatives is joined with those of the other languages where a text may be in any of them; alternatives that another language has
 * already need not be repeated there.
 */
export interface LanguageWords {
  /** Whether words are separated by spaces. Scripts other than Latin are told apart in `recognise.ts`. */
  readonly spaces: boolean;
  /** Marks that no other language has; undefined if there are none. All but the elisions of French are beyond ASCII. */
  readonly marks: RegExp | undefined;
  /** Words of a close relative that is not covered. Most words are the same, so only those that one of the two has tell them apart. */
  readonly relative: string | undefined;
  readonly phrases: Phrases;
  readonly requests: RequestWords;
  readonly clauses: ClauseWords;
  /** Sentences that close an answer and say nothing: "Is there anything else I can help you with?" */
  readonly closings: readonly string[];
  readonly drafts: DraftWords;
  /** Undefined if it is not known how the language states a rule. */
  readonly rules: RuleWords | undefined;
  /** Stems of what an agent does, in answers, requests and results of tools. May be empty if other languages have the stem. */
  readonly actions: Readonly<Record<Action, string>>;
  readonly days: DayWords;
  /**
   * Patterns of 1 to 20, 30, 40, 50, 60, 90, 100 and a dozen, in this order, with a space between; `-` if there is none. Noon and midnight
   * belong to 12, a quarter to 15, a half to 30.
   */
  readonly numbers: string;
}

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
  readonly question: readonly string[];
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

/** How a request asks for a text or an explanation (`asked-for.ts`). */
interface RequestWords {
  /** Words before the verb that change nothing, each with the space after it. Empty in languages without spaces. */
  readonly opening: string;
  readonly text: string;
  readonly explanation: string;
  /** The beginning of a question, or words in it. */
  readonly report: string;
  /** A second half that asks for an action. */
  readonly action: string;
}

/** How sentences are put together (`read-answer.ts`). */
interface ClauseWords {
  /** Words that begin a clause after a comma; in languages without spaces, the place where it begins. */
  readonly next: string;
  /** Words that set a clause against the one before. */
  readonly but: string;
  /** Objects that take a claim back: "I have changed nothing". */
  readonly nothing: string;
  readonly because: string;
  /** Words that give no reason after "because": "something went wrong". */
  readonly noReason: string;
  /** Characters that bind words and mean nothing, in languages without spaces. */
  readonly particles: string;
}

/** How a draft is announced: "here is the letter:" (`frames.ts`). */
interface DraftWords {
  readonly announced: string;
  readonly named: string;
}

/** How a rule is told from a claim (`general-statement.ts`). */
export interface RuleWords {
  /** The verb of a passive in the present. */
  readonly present: string;
  /** Words that make it a claim all the same: "is now cancelled". */
  readonly byNow: string;
  readonly and: string;
  readonly within: string;
  readonly atMost: string;
  /** Stems of units of time. */
  readonly units: string;
}

/** Groups of actions that words are compared by (`actions.ts`). */
export const ACTIONS = [
  'cancel',
  'refund',
  'book',
  'change',
  'send',
  'delete',
  'pay',
  'approve',
  'confirm',
  'complete',
  'deploy',
  'activate',
  'disable',
  'reset',
  'create',
  'enrol',
  'upgrade',
  'transfer',
  'add',
] as const;

type Action = (typeof ACTIONS)[number];

/** How a day is named (`day-words.ts`). */
export interface DayWords {
  readonly today: string;
  readonly tomorrow: string;
  readonly afterTomorrow: string;
  readonly yesterday: string;
  /** From Sunday on, with a space between. */
  readonly weekdays: string;
  /** A stretch of time, and no day of it: any date within reach. */
  readonly period: string;
  /** Words in front of the date of today. */
  readonly dateIs: string;
}
