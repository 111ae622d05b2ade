/**
 * Forms of an English word, so that a search for `refunds` finds `refunded`. Forms that do not exist do no harm, because
 * nobody wrote them; irregular ones, and those of other languages, are not known. And the words of a search in a text, which
 * a list marks: the index has them without the places where they stand.
 */
const MARKS = /\p{M}+/gu;
const RUNS = /[\p{L}\p{N}]+/gu;
const IS_UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Shorter words are as they are: `is` is no plural. */
const SHORTEST = 4;
const IS_PLAIN = /^[a-z]+$/;

/** With the word itself, which comes first. */
export function formsOf(word: string): readonly string[] {
  if (word.length < SHORTEST || !IS_PLAIN.test(word)) return [word];
  const roots = rootsOf(word).filter((root) => root.length >= SHORTEST - 1 && /[aeiouy]/.test(root));
  return [...new Set([word, ...(roots.length === 0 ? [word] : roots).flatMap(inflected)])];
}

/** Words that this one may be a form of; empty where it has no ending. */
function rootsOf(word: string): readonly string[] {
  const without = (letters: number, more = '') => word.slice(0, -letters) + more;
  if (/[^aeiou]ies$|[^aeiou]ied$/.test(word)) return [without(3, 'y')];
  if (/(?:[sxz]|[cs]h)es$/.test(word)) return [without(2), without(1)];
  if (/[^suai]s$|[^e]as$/.test(word)) return [without(1)];
  const [ending] = /(?:ed|ing)$/.exec(word) ?? [];
  if (ending === undefined) return [];
  const bare = without(ending.length);
  return /([^aeiou])\1$/.test(bare) ? [bare, bare.slice(0, -1)] : [bare, `${bare}e`];
}

function inflected(root: string): readonly string[] {
  if (/[^aeiou]y$/.test(root)) return [root, `${root.slice(0, -1)}ies`, `${root.slice(0, -1)}ied`, `${root}ing`];
  if (root.endsWith('e')) return [root, `${root}s`, `${root}d`, `${root.slice(0, -1)}ing`];
  const plural = /(?:[sxz]|[cs]h)$/.test(root) ? `${root}es` : `${root}s`;
  const doubled = /[^aeiou][aeiou][^aeiouwxy]$/.test(root) ? root + root.slice(-1) : undefined;
  const stems = doubled === undefined ? [root] : [root, doubled];
  return [root, plural, ...stems.flatMap((stem) => [`${stem}ed`, `${stem}ing`])];
}

interface MarkedPart {
  readonly text: string;
  readonly isFound: boolean;
}

/** A test for the words of a search; the last one may be a beginning. */
export function wordFinder(asked: string): (word: string) => boolean {
  const words = [...folded(asked).matchAll(RUNS)].map(([word]) => word);
  const forms = new Set(words.flatMap(formsOf));
  const last = words.at(-1);
  return (word) => {
    const plain = folded(word);
    if (forms.has(plain) || (last !== undefined && plain.startsWith(last))) return true;
    return IS_UNSPACED.test(plain) && words.some((one) => plain.includes(one));
  };
}

/** The text in its parts; one part where none is found. */
export function markedParts(text: string, isFound: (word: string) => boolean): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(RUNS)) {
    if (!isFound(word)) continue;
    if (index > from) parts.push({ text: text.slice(from, index), isFound: false });
    parts.push({ text: word, isFound: true });
    from = index + word.length;
  }
  return from < text.length || parts.length === 0 ? [...parts, { text: text.slice(from), isFound: false }] : parts;
}

/** The text around the first word that is found; undefined where none is. */
export function excerptOf(
  text: string,
  isFound: (word: string) => boolean,
  { before, after }: { readonly before: number; readonly after: number },
): string | undefined {
  for (const { 0: word, index } of text.matchAll(RUNS)) {
    if (!isFound(word)) continue;
    // From the beginning of a word.
    const from = index <= before ? 0 : text.indexOf(' ', index - before) + 1 || index;
    const begin = Math.min(from, index);
    const end = index + word.length + after;
    return `${begin > 0 ? '… ' : ''}${text.slice(begin, end).toWellFormed()}${end < text.length ? ' …' : ''}`;
  }
  return undefined;
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase();
}
