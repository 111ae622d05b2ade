/**
 * Decides whether a later success of the same tool made a failed call good.
 *
 * It did, unless the tool acts on a thing that exists and the two calls name different things: a refund of one order is
 * not a refund of another. A corrected id is a recovery if the first id is not known from the conversation, or if the
 * failure says that there is no such thing. A tool that makes something new (`book_room`) may take another one.
 */
import type { ToolCall, Turn } from '../../model/turn.ts';
import { messagesShownTo } from '../subject/earlier-messages.ts';
import { wordSet, wordsOf } from '../subject/effect-by-name.ts';
import type { Subject } from '../subject/subject.ts';
import { canonicalJson } from './canonical-json.ts';

/** Verbs whose object exists before the call. */
const ON_A_THING = wordSet(`
  cancel refund delete remove update modify edit change return exchange close reopen pay charge approve reject restore ship renew upgrade downgrade
  terminate revoke unsubscribe reset extend waive reactivate reinstate deactivate activate disable enable block unblock lock unlock void reverse rename move archive
`);
const NAMES_A_THING =
  /(?:^|_)(?:ids?|number|no|ref|reference|code|email|phone|account|order|booking|reservation|customer|user|card|claim|ticket|invoice|subscription)$|(?:Id|Number|Ref)$/;
const NO_SUCH_THING =
  /not[ _]found|no such|does(?: not|n't) exist|unknown|invalid|malformed|40[04]|nicht gefunden|ungültig|no encontrad|introuvable|não encontrad|見つかりません|找不到|不存在/i;
const VALUE_LENGTH_MIN = 2;

export function isMadeGood(failed: ToolCall, successes: readonly ToolCall[], subject: Subject): boolean {
  if (successes.length === 0) return false;
  if (!wordsOf(failed.name).some((word) => ON_A_THING.has(word))) return true;
  if (NO_SUCH_THING.test(failed.error?.message ?? failed.result.text)) return true;
  const things = thingsOf(failed);
  return successes.some((success) =>
    differing(things, thingsOf(success)).every((value) => !isKnown(value, failed, subject)),
  );
}

/** Finds no such thing because the same call had succeeded before in the turn: what was deleted is not there to delete. */
export function isDoneBefore(failed: ToolCall, { toolCalls }: Turn, subject: Subject): boolean {
  if (!wordsOf(failed.name).some((word) => ON_A_THING.has(word))) return false;
  if (failed.args.state !== 'whole' || !NO_SUCH_THING.test(failed.error?.message ?? failed.result.text)) return false;
  const args = canonicalJson(failed.args.json);
  return toolCalls
    .slice(0, toolCalls.indexOf(failed))
    .some(
      (call) =>
        call.name === failed.name &&
        call.answered &&
        !subject.hasFailed(call) &&
        canonicalJson(call.args.json) === args,
    );
}

/** Ids in the arguments, by the names of the arguments. */
export function thingsOf({ args }: ToolCall): ReadonlyMap<string, string> {
  const { json } = args;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return new Map();
  return new Map(
    Object.entries(json).flatMap(([name, value]) =>
      NAMES_A_THING.test(name) && (typeof value === 'string' || typeof value === 'number')
        ? [[name, String(value)]]
        : [],
    ),
  );
}

/** The values of the first that the second has others for. */
function differing(failed: ReadonlyMap<string, string>, succeeded: ReadonlyMap<string, string>): readonly string[] {
  return [...failed].flatMap(([name, value]) => {
    const other = succeeded.get(name);
    return other === undefined || other === value ? [] : [value];
  });
}

/** The user said it, or a tool gave it. */
export function isKnown(value: string, failed: ToolCall, { turn, turns, toolCalls }: Subject): boolean {
  if (value.length < VALUE_LENGTH_MIN) return true;
  const shown = messagesShownTo(turn).flatMap(({ parts, role }) =>
    parts.map((part) =>
      part.type === 'text' && role === 'user' ? part.text : part.type === 'tool_result' ? part.result.text : '',
    ),
  );
  const found = toolCalls.flatMap((call) => (call === failed ? [] : [call.result.text]));
  return [...turns.map(({ userInput }) => userInput.text), ...found, ...shown].some((text) => text.includes(value));
}
