/** Errors as programs print them: where one is all there is of a text, nobody wrote it for a reader. */

/**
 * `CalendarError: 503 upstream timed out`: an exception as a runtime prints it, class first or with its traceback; or what CrewAI, MCP and
 * the OpenAI Agents SDK put before one (`Error executing tool: …`). A tool may well answer so; but
 * where its span never came, as that of a function which throws does not, it is what the program made of the exception.
 */
export function isPrintedException(text: string): boolean {
  return PRINTED_EXCEPTION.test(text.slice(0, 160));
}

/** `Error: 500 Internal Server Error`, `HTTP 429`, `Error code: 429 - {…}`. A code that a sentence goes on from may be meant for a reader, a bare number anything. */
export function isPrintedHttpError(text: string): boolean {
  const beginning = text.slice(0, 160);
  return HTTP_ERROR.test(beginning) && !/^\d+$/.test(beginning);
}

const PRINTED_EXCEPTION =
  /^(?:(?:An )?[Ee]rror(?: occurred)?: ['"]?(?:\w{1,40}' object (?:has no|is not) |Cannot read propert|\w[\w.]{0,60} is not (?:a function|defined)|list index out of range)|[A-Za-z][\w.$]{0,120}(?:Error|Exception): \S|Error executing tool\b|An error occurred while running the tool\b|(?:ExceptionGroup )?Traceback \(most recent call last\):|Uncaught [A-Za-z]{0,60}Error: \S|Exception in thread "|panic: runtime error:)/;

const PHRASE =
  '(?:internal server error|bad gateway|service unavailable|gateway time-?out|bad request|unauthori[sz]ed|forbidden|not found|request time-?out|too many requests|conflict|payment required|unprocessable (?:entity|content))';
/** These are said of nothing else. */
const PHRASE_ALONE = '(?:internal server error|bad gateway|service unavailable|gateway time-?out|too many requests)';
const PREFIX = '(?:(?:http )?error:? |http(?:/\\d(?:\\.\\d)?)? |status(?: code)?:? |error code:? ){0,3}';
const GOES_ON = '(?:[.!]?$|:? ?[\\n{(<]|: | for url)';
const HTTP_ERROR = new RegExp(
  `^${PREFIX}(?:[45]\\d\\d(?:$| - (?:$|[{'"])|[ :-]{1,3}${PHRASE}${GOES_ON})|${PHRASE_ALONE}[.!]?$)`,
  'i',
);
