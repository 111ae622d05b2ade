/**
 * Cookies of sign-in. No script can read them, and no request of another site has them, except when a person follows a
 * link. Over TLS they have the prefix `__Host-`, so that no neighbouring host can set them.
 */
export interface CookieKind {
  readonly name: string;
  readonly isSecure: boolean;
}

export function cookieKind(name: string, { isSecure }: { readonly isSecure: boolean }): CookieKind {
  return { name: isSecure ? `__Host-${name}` : name, isSecure };
}

export function setCookie({ name, isSecure }: CookieKind, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.floor(seconds)}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

export function clearCookie(kind: CookieKind): string {
  return setCookie(kind, '', 0);
}

/** The first of that name. */
export function readCookie({ name }: CookieKind, header: string | undefined): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
