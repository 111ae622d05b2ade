/**
 * Globs over names: `*` is any run of characters, `?` is one, everything else is itself. The walk goes back only to the
 * last star, so that no pattern and no name, however chosen, costs more than their lengths multiplied.
 */
export type Matcher = (text: string) => boolean;

export function compileGlob(glob: string): Matcher {
  if (!glob.includes('*') && !glob.includes('?')) return (text) => text === glob;
  if (glob === '*') return () => true;
  return (text) => globMatches(glob, text);
}

/** Whether each text that the other glob matches is one that this glob matches. */
export function globCovers(glob: string, other: string): boolean {
  // A star in the other glob stands for any text, so a `?` does not cover it.
  return globMatches(glob, other, (char) => char !== '*');
}

function globMatches(glob: string, text: string, isOne: (char: string | undefined) => boolean = () => true): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (g < glob.length && glob[g] === '*') {
      star = g++;
      resumeAt = t;
    } else if (g < glob.length && ((glob[g] === '?' && isOne(text[t])) || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star >= 0) {
      g = star + 1;
      t = ++resumeAt;
    } else {
      return false;
    }
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
