/** Texts in commands that people copy into a terminal: a shell must take each as one word, and run nothing of it. */
/** A pasted command must not run what an id contains. */
export function quotedForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
