/**
 * Checks that an answer does not give a thing another state than the tool did: "has been delivered" after `{"status": "shipped"}`.
 *
 * One tool at least told a state, by a member such as `status`. The answer says the contrary of it in a sentence that denies, supposes and
 * announces nothing, and has the true state nowhere. Nothing is decided where several things have different states, or where something was
 * changed after the look: the state may be another one by then.
 *
 * States are known in English, which is what tools speak; of answers in other languages, those states that are actions
 * (`../../language/actions.ts`).
 */
import type { Json } from '../../model/json.ts';
import type { ToolCall } from '../../model/turn.ts';
import { notApplicable } from '../subject/answer.ts';
import { actionsIn, speaksOf } from '../../language/actions.ts';
import { plainText, sentencesOf } from '../../language/plain-text.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';

const TEXT_READ_MAX = 4000;
const VALUES_MAX = 200;
const STATE_MEMBER = /^(?:status|state|(?:\w{1,20}_)?(?:status|state)|\w{1,20}(?:Status|State))$/;

/** States that tools give, words by which an answer says the same, and words that say the contrary. */
const STATES: readonly { readonly is: RegExp; readonly same: RegExp; readonly contrary: RegExp }[] = [
  {
    is: /^(?:shipped|in_transit|dispatched|out_for_delivery|on_the_way)$/,
    same: /\b(?:shipped|transit|dispatched|out for delivery|on (?:its|the|their) way|under way|underway|en route|sent)\b/,
    contrary: /\b(?:delivered|arrived|cancell?ed)\b/,
  },
  {
    is: /^(?:lost|returned_to_sender|undeliverable)$/,
    same: /\b(?:lost|missing|returned|undeliver\w+|disappeared|gone)\b/,
    contrary: /\b(?:delivered|arrived|on (?:its|the|their) way|in transit|arrive soon)\b/,
  },
  {
    is: /^cancell?ed$/,
    same: /\b(?:cancel\w*|called off|off)\b/,
    contrary: /\b(?:shipped|delivered|on time|as planned|confirmed|active|on (?:its|the|their) way)\b/,
  },
  {
    is: /^(?:pending|queued|waiting|processing|in_progress|in_review|under_review|submitted|unconfirmed)$/,
    same: /\b(?:pending|queued?|waiting|wait|process\w*|progress|review\w*|submitted|unconfirmed|soon|open)\b/,
    contrary:
      /\b(?:confirmed|completed|approved|delivered|shipped|settled|refunded|paid|finished|rejected|went through)\b/,
  },
  {
    is: /^(?:failed|failure|error|errored|crashed|aborted)$/,
    same: /\b(?:fail\w*|error\w*|problem\w*|crash\w*|abort\w*|wrong|unsuccessful\w*)\b/,
    contrary: /\b(?:completed|complete|successful\w*|succeeded|went through|worked|finished|fine|ok)\b/,
  },
  {
    is: /^(?:rejected|declined|denied|refused)$/,
    same: /\b(?:reject\w*|declin\w*|den(?:y|ied)|refus\w*|turned down)\b/,
    contrary: /\b(?:approved|accepted|granted|confirmed|paid out)\b/,
  },
  {
    is: /^(?:approved|accepted|granted)$/,
    same: /\b(?:approv\w*|accept\w*|grant\w*)\b/,
    contrary: /\b(?:rejected|declined|denied|refused)\b/,
  },
  {
    is: /^(?:unpaid|overdue|past_due|outstanding)$/,
    same: /\b(?:unpaid|overdue|due|outstanding|owe\w*|open)\b/,
    contrary: /\b(?:paid|settled)\b/,
  },
  { is: /^paid$/, same: /\b(?:paid|settled|payment)\b/, contrary: /\b(?:unpaid|overdue|outstanding)\b/ },
  { is: /^unlocked$/, same: /\bunlocked\b/, contrary: /\blocked\b/ },
  { is: /^locked$/, same: /\blocked\b/, contrary: /\bunlocked\b/ },
  {
    is: /^(?:offline|down|disconnected|unreachable)$/,
    same: /\b(?:offline|down|disconnect\w*|unreachable)\b/,
    contrary: /\b(?:online|working|works|connected|up and running)\b/,
  },
  {
    is: /^(?:online|up|connected|running)$/,
    same: /\b(?:online|up|connected|running|works?|working)\b/,
    contrary: /\b(?:offline|disconnected|unreachable)\b/,
  },
  {
    is: /^(?:inactive|expired|suspended|disabled|deactivated)$/,
    same: /\b(?:inactive|expired?|suspended|disabled|deactivated)\b/,
    contrary: /\b(?:active|valid|enabled)\b/,
  },
  { is: /^closed$/, same: /\b(?:closed?|shut)\b/, contrary: /\b(?:open|still running)\b/ },
  {
    is: /^delivered$/,
    same: /\b(?:deliver\w*|arrived)\b/,
    contrary: /\b(?:on (?:its|the|their) way|in transit|lost)\b/,
  },
];
/** Words before a state that deny or suppose it, or place it in another time. */
const NOT_STATED =
  /\b(?:not|n't|no|never|none|cannot|without|yet|if|once|when|until|unless|after|before|will|would|should|may|might|can|could|expect\w*|supposed|were you|was to|nicht|kein\w*|nie|wenn|sobald|wird|bis)\b|n't\b/;
const WORDS_BEFORE = 40;

export const agreesWithStatus = builtInCheck({
  summary: 'the answer does not say the contrary of the state that a tool gave',
  needs: ['final_answer'],
  make: () => (subject) => {
    const { turn } = subject;
    if (!hasAnswer(turn)) return NO_ANSWER;
    const told = subject.toolCalls.length === 0 ? undefined : stateTold(subject);
    const state = told === undefined ? undefined : STATES.find(({ is }) => is.test(told.state));
    if (told === undefined || state === undefined) return NO_STATE;
    const answer = plainText(subject.finalAnswer.slice(0, TEXT_READ_MAX));
    if (state.same.test(answer)) return AGREES;
    const sentences = sentencesOf(answer).filter((sentence) => !/[?？]\s*$/.test(sentence));
    const contrary =
      sentences.find((sentence) => states(sentence, state.contrary)) ??
      otherAction(told.state, answer, sentences, subject);
    if (contrary === undefined) return AGREES;
    return {
      pass: false,
      reason: `The answer says "${toExcerpt(contrary.trim())}", and ${toExcerpt(told.call.name)} gave ${toExcerpt(told.state)}.`,
      evidence: [told.call.spanId ?? told.call.requestedBy],
    };
  },
});

const NO_STATE = notApplicable('No tool gave one state that is known.');
const AGREES = { pass: true, reason: 'The answer does not say the contrary of a state that a tool gave.' };
function states(sentence: string, words: RegExp): boolean {
  const at = sentence.search(words);
  return at >= 0 && !NOT_STATED.test(sentence.slice(Math.max(0, at - WORDS_BEFORE), at));
}

const CANCELLED = actionsIn('cancelled');
const CONFIRMED = actionsIn('confirmed');

/** Finds a contrary action in other languages: "bestätigt" after `cancelled`. */
function otherAction(
  state: string,
  answer: string,
  sentences: readonly string[],
  { turn }: Subject,
): string | undefined {
  const reading = readingOf(turn);
  if (reading === undefined || reading.language === 'English' || !/^cancell?ed$/.test(state)) return undefined;
  if (speaksOf(answer, CANCELLED)) return undefined;
  return sentences.find((sentence) => speaksOf(sentence, CONFIRMED) && !NOT_STATED.test(sentence));
}

interface ToldState {
  readonly call: ToolCall;
  readonly state: string;
}

/** The only state that the tools of the turn reported, unless something was changed after it. */
function stateTold(subject: Subject): ToldState | undefined {
  let told: ToldState | undefined;
  const states = new Set<string>();
  for (const call of subject.toolCalls) {
    if (call.error !== undefined || call.result.state !== 'whole') continue;
    const found = statesIn(call.result.json);
    if (found.length === 0) {
      if (told !== undefined && subject.effectOf(call.name) !== 'reads') return undefined;
      continue;
    }
    // A later look at the same thing, as in polling, is the one that counts.
    if (told?.call.name === call.name && told.call.args.text === call.args.text) states.clear();
    for (const state of found) states.add(state);
    const [state = ''] = found;
    told = { call, state };
  }
  if (told === undefined || states.size > 1) return undefined;
  return subject.effectOf(told.call.name) === 'reads' || isMentioned(told.call.name) ? told : undefined;
}

/** `lock_state`, `refund_status` and names without any verb look something up. */
function isMentioned(tool: string): boolean {
  return /(?:state|status)$/i.test(tool);
}

function statesIn(json: Json): readonly string[] {
  const states: string[] = [];
  let left = VALUES_MAX;
  const read = (value: Json, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 4 || left <= 0) return;
    left -= 1;
    if (Array.isArray(value)) for (const one of value as readonly Json[]) read(one, depth + 1);
    else
      for (const [name, member] of Object.entries(value as Readonly<Record<string, Json>>)) {
        if (typeof member === 'string' && member.length <= 40 && STATE_MEMBER.test(name))
          states.push(
            member
              .trim()
              .toLowerCase()
              .replaceAll(/[\s-]+/g, '_'),
          );
        else read(member, depth + 1);
      }
  };
  read(json, 0);
  return states;
}
