/**
 * A line by which a tool says that it did not do what was asked, in English, as programs are written: "The request could not be processed",
 * "Failed to connect to the calendar", "Permission denied". Only where the line is the whole result: such words in a longer text are what the
 * text is about.
 *
 * Of a tool that reads, the line must speak of the call itself. "The order was declined" is what it found out, and "Could not find order 7"
 * that there is none.
 */
import type { ToolEffect } from './effect-by-name.ts';

const LENGTH_MAX = 300;

const FAILS =
  "(?:(?:could|can|was|were|has|have|is|are|did|will)(?: not|n't|not) (?:be |been |have been )?(?:process|complet|execut|perform|carried|fulfil|handl|submit|sent|authori[sz]|permit|allow|accept|succe|cancel|creat|updat|delet|chang|book|sav|plac|found|go through|gone through|work|respond)[a-z]*|(?:has |have )?failed|(?:has |have )?timed out|(?:was|were|has been|have been|is) (?:rejected|declined|denied|refused|aborted|unsuccessful))(?![\\w])";
const BEGINNING =
  '(?:(?:failed|unable|not able) to|could ?(?:not|n.t)|access denied|permission denied|not authori[sz]ed|unauthori[sz]ed(?=[.!:]|$)|operation not permitted|something went wrong|an? (?:unexpected |internal |unknown )?error (?:has )?occurred|internal error|connection (?:refused|reset|timed out|failed)|(?:the )?(?:read |write )?operation timed out|(?:request |connection )?(?:timed out\\b|timeout(?=[.!]?$))|rate limit exceeded|quota exceeded)';

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
const NOT_FOUND = /^(?:sorry[,:]? )?(?:(?:unable|not able) to|could ?(?:not|n.t)) (?:find|locate)\b/i;

export function isFailureLine(text: string, effect: ToolEffect): boolean {
  if (text.length > LENGTH_MAX || text.includes('\n')) return false;
  if (effect === 'writes') return OF_THE_CALL.test(text) || OF_A_THING.test(text);
  return OF_THE_CALL.test(text) && !NOT_FOUND.test(text);
}
