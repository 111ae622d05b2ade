/**
 * Templates of error messages: numbers, ids, quoted parts, addresses and long tokens are replaced, so that messages of
 * one fault give one template. Messages come from spans: a bounded beginning is read, and each pattern takes linear time.
 */
const READ_MAX = 300;
const TOKEN_MAX = 24;

/** Errors of HTTP APIs are often JSON, and the words are in one of its fields. */
const IN_JSON = /"(?:message|error|detail|reason|msg|title)"\s{0,4}:\s{0,4}"([^"]{1,200})/i;
const URLS = /[a-z][a-z+.-]{0,15}:\/\/[^\s"'<>)]{1,300}/gi;
/** An apostrophe within a word opens nothing: "can't". */
const QUOTED =
  /(?<![\p{L}\p{N}])'[^'\n]{0,200}'(?![\p{L}\p{N}])|"[^"\n]{0,200}"|`[^`\n]{0,200}`|“[^”\n]{0,200}”|«[^»\n]{0,200}»/gu;
const HAS_QUOTE = /["'`“«]/;
const TOKENS = /[^\s,;()[\]{}<>=]+/g;
const HAS_NUMBER = /\p{N}/u;
/** Several values behind one another, as in a list, are one. */
const RUNS = /#(?:[\s,;.:/-]{1,3}#)+/g;

/** Undefined where no words are left. */
export function errorTemplate(message: string): string | undefined {
  const read = message.slice(0, READ_MAX);
  const inJson = read.includes('{') ? IN_JSON.exec(read)?.[1] : undefined;
  let line = (inJson ?? read).trimStart().split('\n', 1)[0] ?? '';
  if (line.includes('://')) line = line.replace(URLS, '…');
  if (HAS_QUOTE.test(line)) line = line.replace(QUOTED, '…');
  const template = line.replace(TOKENS, shortened).replace(RUNS, '#').replace(/\s+/g, ' ').trim();
  return /\p{L}{2}/u.test(template) ? template : undefined;
}

/** Numbers, times and ids of every kind have a digit. */
function shortened(token: string): string {
  if (HAS_NUMBER.test(token)) return `#${/[.:]$/.test(token) ? token.slice(-1) : ''}`;
  const isLong = token.length > TOKEN_MAX && !token.includes('…');
  return isLong || token.includes('@') ? '…' : token;
}
