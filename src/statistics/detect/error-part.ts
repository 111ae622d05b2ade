/** Parts of the traffic that are kinds of an error. An error is what came of a conversation: it explains no fall. */
const ERROR = 'error: ';

export function isErrorPart(name: string): boolean {
  return name.startsWith(ERROR);
}
