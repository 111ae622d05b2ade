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
  const members = new Map(Object.entries(result));
  if (members.get('isError') === true || members.get('is_error') === true) return messageOf(members);
  const message = messageOf(members);
  const status = members.get('status');
  if ((status === 'error' || status === 'ERROR') && message !== '') return message;
  return members.size === 1 && members.has('error') && message !== '' ? message : undefined;
}

function messageOf(members: ReadonlyMap<string, unknown>): string {
  for (const key of MESSAGES) {
    const value = members.get(key);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'object' && value !== null) return inner(value);
  }
  return textIn(members.get('content'));
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
