/**
 * Text from elsewhere for people and programs: without characters that nobody sees and that a terminal or a browser
 * obeys. These are control characters (C0 except the line feed and the tab, DEL, C1), those of direction and of no width,
 * tags, and separators of lines and paragraphs. A zero-width joiner stays within an emoji.
 *
 *   visibleText   for texts: a run of them becomes one blank
 *   visibleJson   for JSON: they are escaped, so that it is the same JSON
 *   writtenOut    for places that hold nothing but text, such as a choice: they are written as `[U+202E]`
 */
export function visibleText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, ' ');
}

export function visibleJson(value: unknown, indent?: number): string {
  return visibleJsonText(JSON.stringify(value, undefined, indent));
}

/** Visible text of JSON that is written already. */
export function visibleJsonText(json: string): string {
  return PLAIN.test(json) ? json : json.replace(HIDDEN, (run) => run.replace(/[\s\S]/g, escaped));
}

/** Most texts: it saves the search for the others. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
const HIDDEN =
  /(?:(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?![\t\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+/gu;

/** The text with each run of hidden characters written in another way. */
export function withHidden(text: string, write: (run: string) => string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, write);
}

export function writtenOut(text: string): string {
  return withHidden(text, (run) => `[${[...run].map(codePointName).join(' ')}]`);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A part of a text as it is shown: words, or characters that nobody would see, by their code points. */
type VisiblePart = { readonly words: string } | { readonly hidden: readonly string[] };

/** The text in parts, so that a page shows what is hidden rather than obeys it. */
export function visibleParts(text: string): readonly VisiblePart[] {
  if (PLAIN.test(text)) return text === '' ? [] : [{ words: text }];
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    if (index > from) parts.push({ words: text.slice(from, index) });
    parts.push({ hidden: [...run].map(codePointName) });
    from = index + run.length;
  }
  if (from < text.length) parts.push({ words: text.slice(from) });
  return parts;
}

/** The beginning of the text with at most so many runs of hidden characters. */
export function withFewHidden(text: string, runsMax: number): string {
  if (PLAIN.test(text)) return text;
  let runs = 0;
  for (const { index } of text.matchAll(HIDDEN)) {
    if (runs === runsMax) return text.slice(0, index);
    runs += 1;
  }
  return text;
}

function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
