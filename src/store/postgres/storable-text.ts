/**
 * Text from spans as PostgreSQL can hold it. Its text type has no NUL, and a conversation that could not be stored
 * because of one character would block all later ones. So NUL is written as two characters from the private use area,
 * and the first of them as itself twice. Reading returns exactly the written text.
 */
const ESCAPE = '\uE0A5';
const NUL = `${ESCAPE}0`;

export function toStorable(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', NUL);
}

export function fromStorable(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(/\uE0A5(.)/gs, (_, next: string) => (next === '0' ? '\0' : next));
}
