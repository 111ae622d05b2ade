/**
 * Why words that sound like a claim are none in their turn:
 *
 *   text         the user asked for a letter, a translation, a summary or the like, and the words may belong to it
 *   explanation  the user asked how something is done, and the answer says how it is done
 *   report       the user asked how things stand, and the agent looked something up, or the answer names a time before the turn
 *   user         the user said so first, or gave a text that does: "my card was blocked"
 *   reason       an answer that refuses or admits trouble says why: "it was already sent, so I cannot cancel it"
 *   other        a call failed, and the words are about another action that nobody asked for
 *
 * The first three do not excuse the action of a call that failed. Claims of the agent about itself ("I have refunded you") are
 * excused only within a text that was asked for.
 */
import type { ToolCall, Turn } from '../../model/turn.ts';
import { type Answer, notApplicable } from '../subject/answer.ts';
import { userMessages } from '../subject/earlier-messages.ts';
import { actionsIn } from '../../language/actions.ts';
import { type AskedFor, askedFor } from '../../language/asked-for.ts';
import { framesOf } from '../../language/frames.ts';
import { plainText } from '../../language/plain-text.ts';
import { type AnswerReading, type Claim, readAnswer } from '../../language/read-answer.ts';

type Excuse = 'text' | 'explanation' | 'report' | 'user' | 'reason' | 'other';

const EXCUSED: Readonly<Record<Excuse, Answer>> = {
  text: notApplicable('The user asked for a text, and what sounds like a claim may belong to it.'),
  explanation: notApplicable('The user asked how something is done, and what sounds like a claim may explain it.'),
  report: notApplicable('The user asked how things stand, and the answer may be a report.'),
  user: notApplicable('The answer repeats what the user said.'),
  other: notApplicable('What the answer says to be done is not what was asked for and failed.'),
  reason: { pass: true, reason: 'What sounds like a claim is the reason why something was not done.' },
};

const REQUEST_READ_MAX = 8000;
const ALREADY = /(?<!\p{L})(?:already|ya|já|déjà|bereits|schon|längst)(?!\p{L})|已经|已經|早已|すでに|既に/u;
/** A time before the turn. */
const PAST =
  /(?<!\p{L})(?:ago|yesterday|last (?:week|month|year|night)|earlier|gestern|letzte|vor (?:\p{L}{1,12} |\d{1,4} )?(?:sekunden|minuten?|stunden?|tagen?|wochen?|monate?n?|jahren?|kurzem)|hace|ayer|il y a|hier|há|ontem|(?:in|en|em|im jahre?) (?:1\d|20)\d\d)(?![\p{L}\d])|\d{4}年|(?:分|時間|日|週間|か月)前|昨日|(?:分钟|小时|天|周|个月)前|昨天/u;
/** Said of what was done for the user, and not of how things stand. */
const FOR_USER =
  /(?<!\p{L})(?:for you|as (?:you )?(?:asked|requested|wished)|für (?:sie|dich)|wie gewünscht|para (?:usted|ti|você)|como (?:pidió|pediste|solicitó|solicitado|pediu)|conforme solicitado|pour vous|comme (?:demandé|convenu))(?!\p{L})|(?:为|為|替|帮|幫)(?:您|你)|ご(?:希望|依頼|要望)(?:通り|どおり)/u;
const CREATED = actionsIn('created');
/** Beside the words that say what was done, a booking is a thing. */
const BOOKED = actionsIn('booking');

interface Calls {
  /** Calls that may have done what is claimed, and failed. */
  readonly failed: readonly ToolCall[];
  /** Something was looked up. */
  readonly isLookedUp: boolean;
}

interface ClaimContext {
  /** The first claim that nothing excuses. */
  readonly open: Claim | undefined;
  /** The verdict if all claims are excused. */
  readonly excused: Answer;
}

export function claimsInContext(
  claims: readonly Claim[],
  reading: AnswerReading,
  turn: Turn,
  calls: Calls,
): ClaimContext {
  const asking = new Asking(turn, calls);
  let first: Excuse | undefined;
  for (const claim of claims) {
    const excuse = excuseOf(claim, reading, asking);
    if (excuse === undefined) return { open: claim, excused: EXCUSED.reason };
    first ??= excuse;
  }
  return { open: undefined, excused: EXCUSED[first ?? 'reason'] };
}

function excuseOf(claim: Claim, reading: AnswerReading, asking: Asking): Excuse | undefined {
  const actions = actionsOf(claim);
  const excuse = intersect(actions, asking.tried) ? undefined : byForm(claim, asking);
  if (excuse !== undefined || claim.kind === 'own') return excuse;
  if (intersect(actions, asking.stated)) return 'user';
  return isOffered(claim) ? undefined : notOfRequest(claim, reading, asking);
}

/** "How late are you? I want to cancel it" asks for an action beside its question. */
function byForm(claim: Claim, asking: Asking): Excuse | undefined {
  const { asked } = asking;
  if (asked?.form === 'text') return 'text';
  if (asked === undefined) return undefined;
  if (claim.kind === 'own')
    return asked.form === 'report' && asking.isLookedUp && PAST.test(claim.sentence) ? 'report' : undefined;
  const actions = spokenOf(claim);
  const isNotNamed = !intersect(actions, asking.named);
  if (asked.form === 'report')
    return (isNotNamed && asking.isLookedUp) || PAST.test(claim.sentence) ? 'report' : undefined;
  return isNotNamed || intersect(actions, actionsIn(asked.sentence)) ? 'explanation' : undefined;
}

/** True for an opened case, or an action done for the user, which the answer offers in place of the request. */
function isOffered(claim: Claim): boolean {
  return claim.isHandOver || FOR_USER.test(claim.sentence) || intersect(actionsIn(claim.words), CREATED);
}

/** "Already" may be said of the action that was asked for, where the answer refuses to do it again. */
function notOfRequest(claim: Claim, reading: AnswerReading, asking: Asking): Excuse | undefined {
  const { wanted } = asking;
  const actions = spokenOf(claim);
  const isRefused = claim.isBesideTrouble || reading.refuses;
  const isOther = !intersect(actions, wanted) && (wanted.size > 0 || claim.isBesideTrouble);
  if (ALREADY.test(claim.sentence)) {
    if (isRefused || PAST.test(claim.sentence) || (isOther && reading.admitsTrouble)) return 'reason';
  }
  // "It was given to somebody else" names no action that is known; its sentence must say that something went wrong.
  if (!isOther || (actions.size === 0 && !claim.isBesideTrouble)) return undefined;
  if (isRefused || reading.admitsTrouble) return 'reason';
  return asking.tried.size > 0 && asking.named.size > 0 ? 'other' : undefined;
}

/** "The refund has been issued" speaks of a refund as well. */
function spokenOf({ words, clause }: Claim): ReadonlySet<number> {
  return actionsIn(words).union(actionsIn(clause).difference(BOOKED));
}

/** Actions that the claim's own words name, else those of its sentence. */
export function actionsOf({ words, sentence }: Claim): ReadonlySet<number> {
  const said = actionsIn(words);
  return said.size > 0 ? said : actionsIn(sentence);
}

function intersect(some: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
  return !some.isDisjointFrom(others);
}

/** The request of a turn. Each of its parts takes time, and is read when it is first asked for. */
class Asking {
  readonly #turn: Turn;
  readonly isLookedUp: boolean;
  /** Actions of calls that failed, by the names of their tools. */
  readonly tried: ReadonlySet<number>;
  #asked: AskedFor | 'nothing' | undefined;
  #stated: ReadonlySet<number> | undefined;
  #named: ReadonlySet<number> | undefined;

  constructor(turn: Turn, { failed, isLookedUp }: Calls) {
    this.#turn = turn;
    this.isLookedUp = isLookedUp;
    this.tried = actionsIn(failed.map(({ name }) => name).join(' '));
  }

  get #request(): string {
    return this.#turn.userInput.text.slice(0, REQUEST_READ_MAX);
  }

  /** "Make it shorter" names no action and belongs to the request before it. */
  get asked(): AskedFor | undefined {
    this.#asked ??= askedFor(this.#request) ?? this.#textBefore() ?? 'nothing';
    return this.#asked === 'nothing' ? undefined : this.#asked;
  }

  #textBefore(): AskedFor | undefined {
    const before = userMessages(this.#turn).at(-2);
    if (before === undefined || actionsIn(this.#request).size > 0) return undefined;
    const asked = askedFor(before.slice(0, REQUEST_READ_MAX));
    return asked?.form === 'text' ? asked : undefined;
  }

  /** Actions that the user says were done, and those that a log or a quote of the user speaks of. */
  get stated(): ReadonlySet<number> {
    this.#stated ??= new Set([
      ...(readAnswer(this.#request)?.claimed.flatMap(({ words }) => [...actionsIn(words)]) ?? []),
      ...actionsIn(framesOf(plainText(this.#request))),
    ]);
    return this.#stated;
  }

  /** Actions that the user names, and may have asked for. */
  get named(): ReadonlySet<number> {
    const messages = [this.#request, ...userMessages(this.#turn)].join('\n').slice(0, REQUEST_READ_MAX);
    this.#named ??= actionsIn(messages);
    return this.#named;
  }

  /** Actions that the user asked for, and those that were tried. */
  get wanted(): ReadonlySet<number> {
    return this.named.union(this.tried);
  }
}
