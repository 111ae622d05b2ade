/**
 * A token that a person pasted, where nobody signs in. It is kept for this tab and until it is closed, and sent to this
 * address only.
 */
const KEPT_AS = 'assay.token';
/** It becomes a header. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

export function keptToken(): string | undefined {
  return sessionStorage.getItem(KEPT_AS) ?? undefined;
}

/** False where it can be no token. */
export function keepToken(token: string): boolean {
  if (!TOKEN.test(token)) return false;
  sessionStorage.setItem(KEPT_AS, token);
  return true;
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEPT_AS);
}
