/**
 * Whether an answer claims an action for another thing than the calls acted on:
 *
 *   failed   "I have refunded orders 17 and 18", and the refund of 18 failed
 *   other    "I have cancelled order 17", as the user asked, and order 18 was cancelled, which nobody named
 *   beside   "I have refunded orders 17 and 18", and there was no call for 18
 *
 * Things are told by ids, that is by words with a digit. Only ids of the clause that claims count, and an answer that admits trouble is left to
 * the criteria about trouble.
 */
import type { ToolCall } from '../../model/turn.ts';
import { userMessages } from '../subject/earlier-messages.ts';
import { asWritten } from '../../language/plain-text.ts';
import type { AnswerReading, Claim } from '../../language/read-answer.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer } from '../subject/answer.ts';
import { isKnown, thingsOf } from './made-good.ts';

const ID = /(?<![\p{L}\d./-])(?<!\d[:,])#?(?=[A-Za-z-]{0,12}\d)[A-Za-z\d]+(?:-[A-Za-z\d]+)*(?![\p{L}\d]|[.,:]\d)/gu;
const ID_LENGTH_MIN = 2;
const IDS_MAX = 20;

interface Calls {
  /** Calls that may have done what is claimed. */
  readonly succeeded: readonly ToolCall[];
  /** Calls that should have done it. */
  readonly failed: readonly ToolCall[];
}

/** Undefined where nothing speaks against the claim. */
export function claimOfAnotherThing(
  reading: AnswerReading,
  { succeeded, failed }: Calls,
  subject: Subject,
): Answer | undefined {
  const calls = [...succeeded, ...failed];
  if (succeeded.length === 0 || calls.some(({ args }) => args.state !== 'whole') || reading.admitsTrouble)
    return undefined;
  const acted = new Set(succeeded.flatMap(({ args, result }) => [...idsIn(args.text), ...idsIn(result.text)]));
  const quoted = ({ sentence }: Claim) => asWritten(sentence, subject.finalAnswer);
  for (const claim of reading.claimed) {
    const ids = idsIn(claim.wholeClause).filter((id) => !acted.has(id));
    const undone = failed.find((call) => ids.some((id) => idsOfThings(call).includes(id)));
    if (undone !== undefined) return failing(quoted(claim), `${toExcerpt(undone.name)} failed for it`, undone);
    const named = idsOfRequest(subject);
    const beside = ids.find((id) => named.has(id) && isListedWith(id, acted, claim.wholeClause));
    if (beside !== undefined) return failing(quoted(claim), `no call did it for ${toExcerpt(beside)}`, succeeded[0]);
    const asked = ids.filter((id) => named.has(id) && !isAmount(id, claim.wholeClause));
    if (asked.length === 0) continue;
    for (const call of succeeded) {
      const other = idsOfThings(call).find((id) => !named.has(id) && !isKnown(id, call, subject));
      if (other !== undefined && asked.some((id) => isAlike(id, other)))
        return failing(quoted(claim), `${toExcerpt(call.name)} was called with ${toExcerpt(other)}`, call);
    }
  }
  return undefined;
}

function failing(claimed: string, because: string, call: ToolCall | undefined): Answer {
  return {
    pass: false,
    reason: `The answer claims "${toExcerpt(claimed)}", and ${because}.`,
    evidence: [call?.spanId ?? call?.requestedBy],
  };
}

/** "17 and 18": one of them was acted on, and the other is of the same kind. */
function isListedWith(id: string, acted: ReadonlySet<string>, clause: string): boolean {
  const at = clause.toLowerCase().indexOf(id);
  const before = BEFORE.exec(clause.toLowerCase().slice(0, at))?.[1];
  const behind = BEHIND.exec(clause.toLowerCase().slice(at + id.length))?.[1];
  return [before, behind].some((other) => other !== undefined && acted.has(other) && isAlike(id, other));
}

const AND = `(?:,? ?(?:and|und|y|e|et|&|,)|と|、|和)`;
const BEFORE = new RegExp(String.raw`([a-z\d-]*\d)${AND} ?#?$`, 'u');
const BEHIND = new RegExp(String.raw`^${AND} ?#?([a-z\d-]*\d)`, 'u');

function idsIn(text: string): readonly string[] {
  return [...text.slice(0, TEXT_READ_MAX).toLowerCase().matchAll(ID)]
    .map(([id]) => id.replace('#', ''))
    .filter((id) => id.length >= ID_LENGTH_MIN)
    .slice(0, IDS_MAX);
}

const TEXT_READ_MAX = 4000;

function idsOfThings(call: ToolCall): readonly string[] {
  return [...thingsOf(call).values()].flatMap(idsIn);
}

function idsOfRequest({ turn }: Subject): ReadonlySet<string> {
  return new Set([turn.userInput.text, ...userMessages(turn)].flatMap(idsIn));
}

/** "30 euros", "$30", "30 %". */
function isAmount(id: string, clause: string): boolean {
  const at = clause.toLowerCase().indexOf(id);
  return CURRENCY_BEFORE.test(clause.slice(0, at)) || UNIT_BEHIND.test(clause.slice(at + id.length));
}

const CURRENCY_BEFORE = /(?:[$€£¥₹]|\b(?:usd|eur|gbp|chf|r\$)) ?$/iu;
const UNIT_BEHIND =
  /^ ?(?:[$€£¥₹%円元]|(?:percent|prozent|usd|eur|gbp|chf|dollars?|euros?|pounds?|francs?|reais|pesos|yen|points?|miles|nights?|days?|people|guests)(?!\p{L}))/iu;

/** Ids of one kind: the same letters, and as many digits. */
function isAlike(one: string, other: string): boolean {
  return shapeOf(one) === shapeOf(other);
}

function shapeOf(id: string): string {
  return id.replaceAll(/\d/g, '9');
}
