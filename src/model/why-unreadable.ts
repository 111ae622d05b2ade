/** Says in words why a file that a person named could not be read. */

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'this user may not read it'],
  ['EISDIR', 'it is a folder, not a file'],
]);

export function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = 'code' in error && typeof error.code === 'string' ? REASONS.get(error.code) : undefined;
  return reason ?? error.message;
}

/** A sentence about the file. */
export function unreadable(file: string, error: unknown): string {
  const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isAbsent ? `there is no file ${file}` : `cannot read ${file}: ${whyUnreadable(error)}`;
}
