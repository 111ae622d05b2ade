/**
 * The name by which evaluations of a suite are kept, and its checks watched. A shadow has the name of the live suite
 * behind a mark that no suite's name can contain. So its rows are treated like those of suites (uniqueness, revisions,
 * waiting, moves with a turn, deletion), next to them.
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
