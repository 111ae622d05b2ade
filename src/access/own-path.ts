/** An origin that nobody has. */
const OWN = 'http://assay';

/** The path as a browser goes to it, if it stays here; else `/`. A browser that signed in follows it without a question. */
export function ownPath(given: string | undefined): string {
  // Browsers take a backslash for a slash.
  if (given === undefined || !/^\/[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(given)) return '/';
  const url = URL.parse(given, OWN);
  if (url?.origin !== OWN) return '/';
  // Without its dots, `/..//host` begins with two slashes, and these begin the name of a host.
  const path = `${url.pathname}${url.search}`;
  return !path.startsWith('//') && URL.parse(path, OWN)?.origin === OWN ? path : '/';
}
