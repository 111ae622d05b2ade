/** The form of a log line's message: component, what happened, what happens now. */

/** Undefined if the message has the form. */
export function formMistakeIn(message: string): string | undefined {
  const [, happened, now] = /^[a-z]+: ([^,]+), (.+)$/.exec(message) ?? [];
  if (happened === undefined || now === undefined)
    return `'${message}': write '<component>: <what happened>, <what happens now>'`;
  if (/[.!]$/.test(message)) return `'${message}': end it without a full stop`;
  return undefined;
}
