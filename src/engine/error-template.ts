/**
 * Templates of error messages: numbers, ids, quoted parts, addresses and long tokens are replaced, so that messages of
 * one fault give one template. Messages come from spans: a bounded beginning is read, and each pattern takes linear time.
 */
const READ_MAX = 300;

/** Errors of HTTP APIs are often JSON, and the words are in one of its fields. */
const IN_JSON = /"(?:message|error|detail|reason|msg|title)"\s{0,4}:\s{0,4}"([^"]{1,200})/i;
const URLS = /\b[a-z][a-z+.-]{1,15}:\/\/[^\s"'<>)]{1,300}/gi;
const ADDRESSES = /[^\s@"'<>]{1,64}@[^\s@"'<>]{1,100}/g;
/** An apostrophe within a word opens nothing: "can't". */
const QUOTED =
  /(?<![\p{L}\p{N}])'[^'\n]{0,200}'(?![\p{L}\p{N}])|"[^"\n]{0,200}"|`[^`\n]{0,200}`|“[^”\n]{0,200}”|«[^»\n]{0,200}»/gu;
/** A token with a digit: numbers, times, and ids of every kind. */
const NUMBERED = /[\p{L}_#$€£.:/\\-]{0,200}\p{N}[^\s,;()[\]{}<>"']{0,300}/gu;
const LONG = /[^\s…]{25,}/gu;
/** Several values behind one another, as in a list, are one. */
const RUNS = /#(?:[\s,;.:/-]{1,3}#)+/g;

/** Undefined where no words are left. */
export function errorTemplate(message: string): string | undefined {
  const read = message.slice(0, READ_MAX);
  const line = (IN_JSON.exec(read)?.[1] ?? read).trimStart().split('\n', 1)[0] ?? '';
  const template = line
    .replace(URLS, '…')
    .replace(ADDRESSES, '…')
    .replace(QUOTED, '…')
    .replace(NUMBERED, (token) => `#${/[.:]$/.test(token) ? token.slice(-1) : ''}`)
    .replace(LONG, '…')
    .replace(RUNS, '#')
    .replace(/\s+/g, ' ')
    .trim();
  return /\p{L}{2}/u.test(template) ? template : undefined;
}
