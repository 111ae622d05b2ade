/**
 * Recognises a line by which a tool says that it did not do what was asked: "The request could not be processed", "Failed to connect to the calendar",
 * "Permission denied". The line must be the whole result, because in a longer text such words are its subject. Sentences are read in English; in other
 * languages, the word for an error before a colon.
 *
 * If the tool reads, the line must speak of the call itself: "The order was declined" is what the tool found out, and "Could not find order 7" that
 * there is none.
 */
import type { ToolEffect } from './effect-by-name.ts';

const LENGTH_MAX = 300;

const FAILS =
  "(?:(?:could|can|was|were|has|have|is|are|did|will)(?: not|n't|not) (?:be |been |have been )?(?:process|complet|execut|perform|carried|fulfil|handl|submit|sent|authori[sz]|permit|allow|accept|succe|cancel|creat|updat|delet|chang|book|sav|plac|found|go through|gone through|work|respond)[a-z]*|(?:has |have )?failed|(?:has |have )?timed out|(?:was|were|has been|have been|is) (?:rejected|declined|denied|refused|aborted|unsuccessful))(?![\\w])";
const BEGINNING =
  '(?:(?:failed|unable|not able) to|could ?(?:not|n.t)|access denied|permission denied|not authori[sz]ed|unauthori[sz]ed(?=[.!:]|$)|operation not permitted|something went wrong|an? (?:unexpected |internal |unknown )?error (?:has )?occurred|internal error|error (?:while |when )?(?:executing|running|performing|processing|calling|invoking|fetching|retrieving|reading|writing|creating|updating|deleting|sending|connecting|loading|opening|saving|accessing)\\b[^:]{0,60}:|connection (?:refused|reset|timed out|failed)|(?:the )?(?:read |write )?operation timed out|(?:request |connection )?(?:timed out\\b|timeout(?=[.!]?$))|rate limit exceeded|quota exceeded)';

/** A line of any tool: the call is the subject, or there is none. */
const OF_THE_CALL = new RegExp(
  `^(?:sorry[,:]? )?(?:(?:(?:the|your|this) )?(?:request|operation|action|call|command|query|transaction|tool(?: call)?) ${FAILS}|${BEGINNING})`,
  'i',
);
/** A line of a tool that is there to do something: the thing may be the subject, and the line say what holds in general. */
const OF_A_THING = new RegExp(
  `^(?:sorry[,:]? )?(?:(?:(?:the|your|this) )?(?:[\\w#-]+ ){1,3}${FAILS}|can(?:not| not|.t) )`,
  'i',
);
/** "Refund rejected: outside the window", "Payment declined." */
const REJECTED =
  /^(?:(?:the|your|this) )?(?:[\w#-]+ ){1,3}(?:rejected|declined|denied|refused|aborted|unsuccessful)(?:[.!]?$|[:;,] )/i;
const IN_OTHER_LANGUAGES =
  /^(?:(?:fehler|erreur|erro|errore|error)(?: (?:beim|bei|lors|al|ao|en|na|no|de|durante) [^:\n]{1,80})? ?[:：]|(?:エラー|错误|錯誤|失敗|失败)\s?[:：])/iu;
/** "Refund not possible: …", "Order 17 is not eligible for a refund.", "Event not found.", "Insufficient permissions", "No such order". */
const NOT_DONE =
  /^(?:sorry[,:]? )?(?:(?:(?:the|your|this) )?(?:[\w#-]+ ){1,5}(?:not (?:possible|eligible|allowed|permitted|authori[sz]ed|refundable|cancell?able|supported|found)|ineligible|does ?(?:not|n.t) exist|(?:is|was) (?:incorrect|invalid))\b|(?:insufficient|no such|invalid|unknown|expired) [\w-]+(?: [\w-]+){0,3}(?:[.:,!]|$)|(?:insufficient|no such) )|^no (?:agents?|operators?|representatives?|humans?|staff|one) (?:is |are )?(?:currently |now )?(?:available|online|free)|\binsufficient (?:funds|balance|permissions?|privileges)\b/i;
const NOT_DONE_IN_OTHER_LANGUAGES =
  /^(?:[\p{L}\d#'-]+ ){1,6}?(?:(?:leider )?(?:nicht möglich|nicht gefunden|nicht zulässig|fehlgeschlagen|abgelehnt|verweigert)|no (?:es|fue|ha sido) posible|no (?:encontrad|permitid|autorizad)[oa]|(?:rechazad|denegad)[oa]|(?:est |n'est pas |non )?(?:impossible|refusée?|introuvable|possible pas)|(?:a )?échoué|não (?:é|foi) possível|não (?:encontrad|permitid|autorizad)[oa]|(?:recusad|negad)[oa])(?!\p{L})|(?:できません(?:でした)?|失敗しました|見つかりません(?:でした)?|拒否されました|対象外です)[。!]?$|^[^。，,]{0,20}(?:失败|无法|不能|未找到|不存在|被拒绝)/iu;
const CODE =
  /^(?:E|ERR|ERROR)_[A-Z\d_]+$|^[A-Z\d]+(?:_[A-Z\d]+)*_(?:NOT_(?:FOUND|ALLOWED|PERMITTED|ELIGIBLE|POSSIBLE)|FAILED|FAILURE|DENIED|INVALID|EXPIRED|CLOSED|ERROR|EXCEEDED|UNAVAILABLE|REJECTED|DECLINED|FORBIDDEN)$|^(?:NOT_FOUND|FORBIDDEN|UNAUTHORI[SZ]ED|FAILED|DENIED|REJECTED|DECLINED)$/;
/** Without a colon these are sentences, and those of a tool that reads may be what it read. */
const OF_A_CHANGE_IN_OTHER_LANGUAGES = /^(?:fehler beim|erreur lors|erro ao|error al|errore durante) /i;
const NOT_FOUND = /^(?:sorry[,:]? )?(?:(?:unable|not able) to|could ?(?:not|n.t)) (?:find|locate)\b/i;

const OF_A_CHANGE = [
  OF_THE_CALL,
  OF_A_THING,
  REJECTED,
  NOT_DONE,
  OF_A_CHANGE_IN_OTHER_LANGUAGES,
  NOT_DONE_IN_OTHER_LANGUAGES,
  CODE,
];

/** `ERR_REFUND_WINDOW_CLOSED`, `ORDER_NOT_FOUND`. */
export function isErrorCode(text: string): boolean {
  return CODE.test(text);
}

export function isFailureLine(text: string, effect: ToolEffect): boolean {
  if (text.length > LENGTH_MAX || text.includes('\n')) return false;
  if (IN_OTHER_LANGUAGES.test(text)) return true;
  if (effect === 'writes') return OF_A_CHANGE.some((line) => line.test(text));
  return OF_THE_CALL.test(text) && !NOT_FOUND.test(text);
}
