/**
 * Whether a request asks for a text or an explanation, in each language that is known. "Your order has been refunded" claims nothing where a
 * letter, a translation or a summary was asked for, and "the money is returned to your card" explains how a refund works.
 *
 * A question about how things stand asks for a report.
 *
 * Verbs count where a request begins with them, because "cancel it and write me a confirmation" asks for an action. So does "write a letter
 * and send it". Japanese and Chinese have no such beginning: there the words count anywhere in a sentence.
 */
import { actionsIn } from './actions.ts';
import { LANGUAGES, WORDS } from './languages.ts';
import { plainText, sentencesOf } from './plain-text.ts';
import { endsAsQuestion } from './read-answer.ts';

export interface AskedFor {
  /** `text`: every word of the answer may belong to it; `explanation`: the answer says how things are done; `report`: how they stand. */
  readonly form: Form;
  /** The sentence that asks for it. */
  readonly sentence: string;
}

type Form = 'text' | 'explanation' | 'report';

interface Compiled {
  readonly opening: RegExp | undefined;
  readonly text: RegExp;
  readonly explanation: RegExp;
  readonly report: RegExp;
  readonly action: RegExp;
}

/** Compiled when the first request is read, which is after the first claim. */
let compiled: readonly Compiled[] | undefined;

function asking(): readonly Compiled[] {
  compiled ??= LANGUAGES.map((language) => {
    const { spaces: isSpaced, requests } = WORDS[language];
    const { opening, text, explanation, report, action } = requests;
    const from = isSpaced ? '^' : '';
    return {
      opening: isSpaced ? new RegExp(`^(?:${opening})`, 'u') : undefined,
      text: new RegExp(`${from}(?:${text})`, 'u'),
      explanation: new RegExp(`${from}(?:${explanation})`, 'u'),
      report: new RegExp(isSpaced ? `^(?:${report})(?= )` : report, 'u'),
      action: new RegExp(isSpaced ? `(?:^| )(?:${action})` : action, 'u'),
    };
  });
  return compiled;
}

/** Sentences that are read at each end of a request: a text to work on may stand before or after what is to be done with it. */
const SENTENCES_READ_MAX = 6;
const OPENINGS_MAX = 5;
/** As much of a sentence as holds its verb and the object of it. */
const BEGINNING_LENGTH = 300;
const FIRST_WORDS = /^[\p{Script=Han}]{1,4}|^[^\s]{1,30}/u;

/** Undefined where the request asks for something else, or for an action first. */
export function askedFor(request: string): AskedFor | undefined {
  const sentences = sentencesOf(plainText(request)).map((sentence) => sentence.slice(0, BEGINNING_LENGTH));
  const read =
    sentences.length <= 2 * SENTENCES_READ_MAX
      ? sentences
      : [...sentences.slice(0, SENTENCES_READ_MAX), ...sentences.slice(-SENTENCES_READ_MAX)];
  let found: AskedFor | undefined;
  for (const sentence of read) {
    const form = formOf(sentence);
    if (form === 'action') return undefined;
    if (form === 'text') return { form, sentence };
    if (form !== undefined) found ??= { form, sentence };
  }
  return found;
}

function formOf(sentence: string): Form | 'action' | undefined {
  const words = sentence.replace(BEFORE_WORDS, '');
  let found: Form | 'action' | undefined;
  for (const known of asking()) {
    const rest = withoutOpening(words, known.opening);
    const form = known.text.test(rest) ? 'text' : known.explanation.test(rest) ? 'explanation' : undefined;
    if (form !== undefined) return known.action.test(rest) ? 'action' : form;
    if (known.opening !== undefined && beginsWithAction(rest)) found = 'action';
    else if ((known.opening === undefined || endsAsQuestion(rest)) && known.report.test(rest)) found ??= 'report';
  }
  return beginsWithAction(words) ? 'action' : found;
}

const BEFORE_WORDS = /^[^\p{L}]+/u;

function withoutOpening(sentence: string, opening: RegExp | undefined): string {
  let rest = sentence;
  for (let n = 0; opening !== undefined && n < OPENINGS_MAX; n += 1) {
    const shorter = rest.replace(opening, '').trimStart();
    if (shorter === rest) break;
    rest = shorter;
  }
  return rest;
}

function beginsWithAction(sentence: string): boolean {
  return actionsIn(FIRST_WORDS.exec(sentence)?.[0] ?? '').size > 0;
}
