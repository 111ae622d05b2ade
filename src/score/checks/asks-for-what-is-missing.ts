/**
 * Checks that an answer does not ask for what the user has just given:
 *
 *     "My order number is A5530."       "What is your order number?"
 *     "mia@example.org"                 "Which email address …?"
 *     "on 12 May 2026"                  "On what date …?"
 *
 * An identifier was given where its noun stands near a word with a digit ("account 5530-118", "mi reserva es 99341"), and is asked for
 * where a question names the noun together with *number*, *code* and the like. Other values are known by their form, and the questions for
 * them by words of several languages. Passes if the question is for another one, or if a tool was called with the value or failed: then
 * the first value may have been wrong. In a language without these words it finds nothing.
 */
import { notApplicable } from '../subject/answer.ts';
import { sentencesOf, plainText } from '../../language/plain-text.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { toExcerpt } from '../subject/sentences.ts';

const TEXT_READ_MAX = 4000;
const VALUES_MAX = 20;
const NEAR_WORDS = 3;

export const asksForWhatIsMissing = builtInCheck({
  summary: 'the answer does not ask for what the user has just given',
  needs: ['user_input', 'final_answer'],
  make: () => (subject) => {
    const { turn, finalAnswer, userInput } = subject;
    if (!hasAnswer(turn)) return NO_ANSWER;
    const asked = questionsIn(finalAnswer);
    if (asked.length === 0) return ASKS_NOTHING;
    const given = givenIn(userInput.slice(0, TEXT_READ_MAX));
    if (given.length === 0) return ASKS_NOTHING_GIVEN;
    if (subject.toolCalls.some((call) => subject.hasFailed(call))) return ASKS_NOTHING_GIVEN;
    const wasUsed = (value: string) => subject.toolCalls.some(({ args }) => args.text.toLowerCase().includes(value));
    const found = given.find(
      ({ value, isAskedBy }) => asked.some((question) => isAskedBy(question)) && !wasUsed(value),
    );
    if (found === undefined) return ASKS_NOTHING_GIVEN;
    return {
      pass: false,
      reason: `The answer asks for what the user gave: "${toExcerpt(found.value)}".`,
      evidence: [turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId],
    };
  },
});

const ASKS_NOTHING = notApplicable('The answer asks for nothing.');
const ASKS_NOTHING_GIVEN = { pass: true, reason: 'The answer asks for nothing that the user gave.' };

const ASKS = /[?？]\s*$|\bplease (?:\w+ ){0,2}(?:provide|tell|give|share|send|enter)\b/;
/** The question is for another one than the given, or checks it. */
const FOR_ANOTHER =
  /\b(?:other|another|else|second|new|old|different|correct|right|confirm|verify|digits|change|instead|back|return|ander\w*|zweite\w*|neue\w*|richtig\w*|otr[oa]s?|segund[oa]|nuev[oa]|correct[oa]|autres?|nouvelle|nouveau|outr[oa]s?|nov[oa])\b/;

function questionsIn(answer: string): readonly string[] {
  const plain = plainText(answer.slice(-TEXT_READ_MAX));
  if (!/[?？]|please/.test(plain)) return [];
  return sentencesOf(plain).filter((sentence) => ASKS.test(sentence.trim()) && !FOR_ANOTHER.test(sentence));
}

interface Given {
  readonly value: string;
  readonly isAskedBy: (question: string) => boolean;
}

function givenIn(userInput: string): readonly Given[] {
  const plain = plainText(userInput);
  const byForm = FORMS.flatMap(({ form, asked }) => {
    const value = form.exec(plain)?.[0];
    return value === undefined
      ? []
      : [{ value, isAskedBy: (question: string) => asked.test(question) && !question.includes(value) }];
  });
  return [...byForm, ...identifiersIn(plain)];
}

const FORMS: readonly { readonly form: RegExp; readonly asked: RegExp }[] = [
  {
    form: /[a-z\d][\w.+-]{0,60}@[a-z\d][a-z\d-]{0,60}\.[a-z\d.-]{2,40}/,
    asked: /\b(?:your|deine?|ihre?|su|tu|votre|seu|sua)\b.{0,20}\be-?mail/,
  },
  {
    form: /\+\d[\d ()/-]{6,20}\d/,
    asked:
      /\b(?:phone|telephone|mobile) number\b|\btelefonnummer\b|\bn[uú]mero de tel[eé]fono\b|\bnuméro de téléphone\b/,
  },
  {
    form: /\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}\b|\b\d{4}-\d{2}-\d{2}\b/,
    asked:
      /\b(?:on )?(?:what|which) (?:date|day)\b(?! (?:do|would) you (?:want|like) to (?:come back|return))|\ban welchem (?:tag|datum)\b|\bqué (?:fecha|día)\b/,
  },
  {
    form: /\b(?:[01]?\d|2[0-3]):[0-5]\d\b/,
    asked: /\b(?:at )?(?:what|which) time\b|\bum wie viel uhr\b|\ba qué hora\b|\bà quelle heure\b/,
  },
  {
    form: /[$€£] ?\d[\d.,]*|\b\d[\d.,]* ?(?:euros?|dollars?|pounds?|eur|usd|gbp|chf)\b|\b\d[\d.,]* ?[$€£]/,
    asked:
      /\bhow much (?:would|do|did|should) (?:you|i)\b|\b(?:what|which) amount\b|\bwelchen betrag\b|\bqué (?:importe|cantidad)\b/,
  },
  {
    form: /\b[\w.-]{1,60}(?:\/[\w.-]{1,60}){1,10}\.[a-z]{1,5}\b/,
    asked: /\b(?:which|what) file\b|\bpath (?:of|to) the file\b|\bwelche datei\b/,
  },
];

/** Nouns of identifiers that stand in one word with *number*: "Kundennummer". */
const NUMBER_WORD = /^(?:\p{L}{3,20}(?:nummer|nr))$/u;
const GENERIC =
  /^(?:number|no|nr|id|code|reference|ref|num|número|numero|numéro|nummer|código|codigo|référence|referencia|referência)$/;

/** Values near a noun: words with a digit, and the words up to three before or one behind. */
function identifiersIn(plain: string): readonly Given[] {
  const words = plain.split(/[\s,;:()"“”]+/u).slice(0, 600);
  const given: Given[] = [];
  for (const [at, raw] of words.entries()) {
    const value = raw.replace(/[.!?]+$/, '');
    if (!isIdentifier(value) || given.length >= VALUES_MAX) continue;
    const near = words.slice(Math.max(0, at - NEAR_WORDS - 1), at);
    const nouns = near.filter((word) => /^\p{L}{4,20}$/u.test(word) && !GENERIC.test(word));
    if (nouns.length === 0) continue;
    given.push({
      value,
      isAskedBy: (question) => !question.includes(value) && nouns.some((noun) => asksForNumberOf(noun, question)),
    });
  }
  return given;
}

/** At least three digits, or letters and digits together. */
function isIdentifier(word: string): boolean {
  return word.length <= 40 && /^#?[\p{L}\d][\p{L}\d/-]*$/u.test(word) && (word.match(/\d/g)?.length ?? 0) >= 2;
}

function asksForNumberOf(noun: string, question: string): boolean {
  const words = question.split(/[^\p{L}\p{N}]+/u);
  const at = words.indexOf(noun);
  if (at < 0) return false;
  if (NUMBER_WORD.test(noun)) return true;
  return [words[at + 1], words[at - 1], words[at - 2]].some((word) => word !== undefined && GENERIC.test(word));
}
