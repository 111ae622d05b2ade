/**
 * Results by which a tool says that it failed, although its call returned like any other. Only statements, not hints:
 *
 *     {isError: true, …}                      MCP
 *     {status: 'error', error_message: …}     what agent frameworks advise tools to return (or `message`, or `error`)
 *     {error: …}                              nothing but the error, as wrappers around a tool's exception write it
 *
 * A result that has an `error` among other things is an answer of the tool's (a query that the database refused), and
 * what to think of it is for a criterion to say.
 */
const STATEMENT = /"(?:isError|is_error|error|error_message)"/;
const MESSAGES = ['error_message', 'errorMessage', 'error', 'message', 'reason', 'detail'] as const;

/** Cheap, to ask before decoding: whether JSON text may say so. */
export function couldIndicateFailure(text: string): boolean {
  return text.startsWith('{') && STATEMENT.test(text);
}

/** The error in the tool's words, '' if it says only that something went wrong; undefined if it says no such thing. */
export function failureIn(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  if (own(result, 'isError') === true || own(result, 'is_error') === true) return messageOf(result);
  const status = own(result, 'status');
  const isStated = status === 'error' || status === 'ERROR' || isErrorAlone(result);
  const message = isStated ? messageOf(result) : '';
  return message === '' ? undefined : message;
}

function isErrorAlone(result: object): boolean {
  return Object.hasOwn(result, 'error') && Object.keys(result).length === 1;
}

function messageOf(result: object): string {
  for (const key of MESSAGES) {
    const value = own(result, key);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'object' && value !== null) return inner(value);
  }
  return textIn(own(result, 'content'));
}

/** Every result of a tool is asked, so no copy of its members is made. */
function own(result: object, key: string): unknown {
  // The cast holds for any object: the key is its own.
  return Object.hasOwn(result, key) ? (result as { readonly [name: string]: unknown })[key] : undefined;
}

/** MCP: `content: [{type: 'text', text: …}]`. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  const texts = content.flatMap((part: unknown) =>
    typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : [],
  );
  return texts.join('\n');
}

function inner(error: object): string {
  const message = Object.entries(error).find(([key]) => key === 'message')?.[1];
  return typeof message === 'string' ? message : JSON.stringify(error);
}
