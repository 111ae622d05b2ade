/**
 * Checks that a change which adds up was made once: one refund, one mail, one booking. Fails if a call of such a tool succeeded twice with
 * the same arguments, and nothing says that it was meant.
 *
 * Changes that are the same after the second time (set, update, close) are no fault, and neither are
 *
 *   a wish for several     the user names as many, or says *each*, *again* and the like. A number that measures ("2 nights") or that the
 *                          call has as an argument counts no changes
 *   one result             both calls gave the same id, or the arguments have a key by which the tool knows a repetition
 *   a change taken back    before it was made again (`undone-call.ts`)
 *   a call that came to nothing: it failed, or never ended
 *
 * Names tell which tools add up. A tool whose name does not is never at fault here.
 */
import type { Json } from '../../model/json.ts';
import type { ToolCall } from '../../model/turn.ts';
import { wordSet, wordsOf } from '../subject/effect-by-name.ts';
import { userMessages } from '../subject/earlier-messages.ts';
import { notApplicable } from '../subject/answer.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { builtInCheck } from './built-in-check.ts';
import { canonicalJson } from './canonical-json.ts';
import { numbersInWords } from '../../language/number-words.ts';
import { undoneBy } from './undone-call.ts';

const ADDS_UP = wordSet(`
  refund reimburse pay charge transfer send resend forward email mail sms message notify reply invite book order create add insert submit post buy purchase
  reserve schedule issue credit debit withdraw deposit ship dispatch restart reboot redeem donate tip prescribe dispense append open file register enroll
  enrol publish tweet comment escalate call
`);
/** Verbs that lead to the same state when they are repeated, or that are meant to be repeated. */
const DOES_NOT = wordSet(`
  set update upsert edit modify change cancel delete remove close reopen archive find get run execute exec test click press scroll toggle type read list
  check search track unsubscribe disable enable block unblock
`);
const KEY_OF_REPETITION = /idempoten|dedup|request_?id|nonce/i;
const AGAIN =
  /(?<!\p{L})(?:each|both|again|twice|another|more|every|separate(?:ly)?|times|jeweils|je|beide[nrsm]?|nochmals?|zweimal|doppelt|cada|ambos|ambas|otra vez|dos veces|chaque|deux fois|encore|de novo|duas vezes)(?!\p{L})|それぞれ|もう一度|两次|再/u;
const WORD = /(?<![\d.,:/-])\d{1,2}(?![\d.,:/-]*\d)|\p{L}+/gu;
const ARGUMENT = /(?<![\w.-])\d{1,2}(?![\w.-])/g;
/** After a number of time, money or weight. */
const MEASURES =
  /^[\s-]*(?:[%€$£]|(?:nights?|days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|[ap]m|o'clock|percent|euros?|dollars?|pounds?|cents?|kg|km|miles?|n[aä]chten?|tagen?|tage|wochen?|monaten?|monate|jahren?|jahre|stunden?|minuten?|uhr|prozent|noches|d[ií]as|semanas?|meses|a[nñ]os|horas?|minutos?|nuits?|jours?|semaines?|mois|ans|heures?|minutes?|noites?|dias?|anos?)(?!\p{L}))|^\s*(?:泊|晩|夜|日|天|晚|時|时|点|分|円|元)/u;
const TEXT_READ_MAX = 8000;
const REPEATED_MAX = 50;

export const changeMadeOnce = builtInCheck({
  summary: 'no change that adds up was made twice with the same arguments',
  needs: ['tools'],
  make: () => (subject) => {
    const twice = madeTwice(subject);
    if (twice === undefined) return MADE_ONCE;
    if (twice === 'nothing') return NOTHING_ADDS_UP;
    const { calls, call } = twice;
    return {
      pass: false,
      reason: `${toExcerpt(call.name)} was called ${calls.length} times with the same arguments, and no result says that it failed.`,
      evidence: [call, ...calls].map(({ spanId, requestedBy }) => spanId ?? requestedBy),
    };
  },
});

const MADE_ONCE = { pass: true, reason: 'No change that adds up was made twice with the same arguments.' };
const NOTHING_ADDS_UP = notApplicable('Nothing was changed that adds up.');

interface MadeTwice {
  readonly calls: readonly ToolCall[];
  readonly call: ToolCall;
}

function madeTwice(subject: Subject): MadeTwice | 'nothing' | undefined {
  const { toolCalls } = subject;
  if (!toolCalls.some(({ name }) => addsUp(name) && subject.effectOf(name) === 'writes')) return 'nothing';
  // Most turns have no two calls of one tool, and are done with before anything is read.
  if (new Set(toolCalls.map(({ name }) => name)).size === toolCalls.length) return undefined;
  const made = new Map<string, ToolCall[]>();
  for (const call of toolCalls) {
    if (
      !addsUp(call.name) ||
      subject.effectOf(call.name) !== 'writes' ||
      !call.answered ||
      call.args.state !== 'whole' ||
      subject.hasFailed(call)
    )
      continue;
    if (KEY_OF_REPETITION.test(call.args.text)) continue;
    const key = `${call.name}\n${canonicalJson(call.args.json)}`;
    const calls = made.get(key);
    if (calls === undefined) made.set(key, [call]);
    else calls.push(call);
  }
  const repeated = [...made.values()].filter(({ length }) => length > 1).slice(0, REPEATED_MAX);
  for (const calls of repeated) {
    const [first, second] = calls;
    if (first === undefined || second === undefined) continue;
    if (isOneResult(first, second) || isMeant(first, calls.length, subject)) continue;
    const between = toolCalls.slice(0, toolCalls.indexOf(second));
    if (undoneBy(first, between, (one) => !subject.hasFailed(one)) !== undefined) continue;
    return { calls, call: second };
  }
  return undefined;
}

function addsUp(tool: string): boolean {
  const words = wordsOf(tool);
  return words.some((word) => ADDS_UP.has(word)) && !words.some((word) => DOES_NOT.has(word));
}

/** True if both results name the same id: the tool recognised the repetition. */
function isOneResult(first: ToolCall, second: ToolCall): boolean {
  const [one, other] = [idsOf(first.result.json), idsOf(second.result.json)];
  return one.length > 0 && one.join('\n') === other.join('\n');
}

function idsOf(result: Json): readonly string[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  return Object.entries(result)
    .filter(
      ([name, value]) =>
        /(?:^|_)(?:id|ref|reference|code|number|no|booking|ticket|confirmation)$|[a-z]Id$/i.test(name) ||
        (typeof value === 'string' && /^(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[\w-]{2,60}$/i.test(value)),
    )
    .map(([name, value]) => `${name}=${String(value)}`);
}

function isMeant(call: ToolCall, times: number, { turn, userInput }: Subject): boolean {
  if (turn.userInput.state !== 'whole') return true;
  // The input is among the messages where a model was shown it.
  const said = [...new Set([userInput, ...userMessages(turn).slice(-3)])]
    .join('\n')
    .slice(0, TEXT_READ_MAX)
    .toLowerCase();
  if (AGAIN.test(said)) return true;
  const named = [...said.matchAll(WORD)].filter(([word]) => [Number(word), ...numbersInWords(word)].includes(times));
  const measuring = named.filter(({ 0: word, index }) => MEASURES.test(said.slice(index + word.length)));
  const given = [...call.args.text.matchAll(ARGUMENT)].filter(([value]) => Number(value) === times);
  return named.length > Math.max(measuring.length, given.length);
}
