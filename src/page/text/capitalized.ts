/** At the beginning of a line. */
export function capitalized(text: string): string {
  return (text[0]?.toUpperCase() ?? '') + text.slice(1);
}
