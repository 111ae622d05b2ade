/** Errors of spans, in the words that say something. */
const KIND_OF_NOTHING = '_OTHER: ';

/**
 * An error whose kind begins its message as well, said once: `500: 500 The server failed` is `500 The server failed`.
 * `_OTHER` is OpenTelemetry's word for a kind that nobody knows.
 */
export function errorText(whole: string): string {
  const error = whole.startsWith(KIND_OF_NOTHING) ? whole.slice(KIND_OF_NOTHING.length) : whole;
  const colon = error.indexOf(': ');
  const message = error.slice(colon + 2);
  const begins = colon > 0 && message.startsWith(error.slice(0, colon));
  return begins && !/^[\w]/.test(message.slice(colon)) ? message : error;
}
