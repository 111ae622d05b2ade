/**
 * The name by which evaluations of a suite are kept, and its checks watched. A shadow has that of the live suite behind
 * a mark that no name of a suite can have, so that whatever holds for the rows of suites (uniqueness, revisions,
 * waiting, moves with a turn, deletion) holds for those of shadows, beside them.
 */
const SHADOW_MARK = 'shadow:';

interface SuiteKeyParts {
  readonly suite: string;
  /** Absent where it is live. */
  readonly shadow?: true | undefined;
}

export function suiteKey({ suite, shadow }: SuiteKeyParts): string {
  return shadow === undefined ? suite : `${SHADOW_MARK}${suite}`;
}

/** Key of a suite rather than of its evaluations. */
export function keyOfSuite({ name, shadow }: { readonly name: string; readonly shadow?: true | undefined }): string {
  return suiteKey({ suite: name, shadow });
}

export function fromSuiteKey(key: string): { readonly suite: string; readonly shadow?: true } {
  return isShadowKey(key) ? { suite: key.slice(SHADOW_MARK.length), shadow: true } : { suite: key };
}

export function isShadowKey(key: string): boolean {
  return key.startsWith(SHADOW_MARK);
}
