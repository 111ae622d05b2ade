/** An error whose kind begins its message as well, said once: `500: 500 The server failed` is `500 The server failed`. */
export function errorText(error: string): string {
  const colon = error.indexOf(': ');
  const message = error.slice(colon + 2);
  const begins = colon > 0 && message.startsWith(error.slice(0, colon));
  return begins && !/^[\w]/.test(message.slice(colon)) ? message : error;
}
