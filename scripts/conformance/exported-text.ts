/** All texts and numbers of an export outside its resources: the place to look for what an exporter sends. */
import type { Json } from '../capture/otlp-json.ts';

export interface ExportedText {
  /** Whether the text is anywhere in a span or a log record. */
  readonly has: (text: string) => boolean;
  /** Whether the number is anywhere, by itself. */
  readonly hasNumber: (value: number) => boolean;
  /** Whether a value is exactly this name, or a span's name contains it as a word. */
  readonly hasName: (name: string) => boolean;
  /** Whether the text is said to be a failure: in a span that failed, or beside a mark of failure. */
  readonly hasFailure: (text: string) => boolean;
  readonly failedSpans: number;
  readonly spans: number;
}

export function exportedText(requests: readonly Json[]): ExportedText {
  const texts: string[] = [];
  const names = new Set<string>();
  const failures: string[] = [];
  let failedSpans = 0;
  let spans = 0;
  const walk = (value: Json, key: string) => {
    if (typeof value === 'string' || typeof value === 'number') {
      texts.push(String(value));
      if (typeof value !== 'string') return;
      names.add(value);
      // Values are often JSON as text.
      for (const [, name] of value.matchAll(/\\*"(?:name|agent_?[nN]ame|sender|role)\\*": ?\\*"([^"\\]+)/g))
        if (name !== undefined) names.add(name);
      if (key === 'name') for (const word of value.split(/[^\w-]+/)) names.add(word);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) walk(item, key);
      return;
    }
    // The cast holds: arrays were walked above.
    if (isFailure(value as Record<string, Json>)) failures.push(JSON.stringify(value));
    for (const [name, item] of Object.entries(value)) {
      if (name === 'resource' || name === 'scope' || name === 'traceId' || name === 'spanId') continue;
      if (name === 'startTimeUnixNano') spans += 1;
      if (name === 'status' && isError(item)) failedSpans += 1;
      // Keys may carry a name too, as those of flattened lists.
      walk(item, name);
    }
  };
  for (const request of requests) walk(request, '');
  const all = texts.join('\n');
  const unescaped = all.replaceAll(/\\+(["'/])/g, '$1');
  return {
    has: (text) => all.includes(text) || unescaped.includes(text),
    hasNumber: (value) => new RegExp(`(?<![\\d.])${value}(?![\\d])`).test(all),
    hasName: (name) => names.has(name),
    hasFailure: (message) =>
      failures.some((failure) => failure.includes(message)) ||
      texts.some((item) => item.includes(message) && SAYS_FAILURE.test(item)),
    failedSpans,
    spans,
  };
}

/** Marks of failure in messages that are JSON as text. */
const SAYS_FAILURE = /(?:status\\*": ?\\*"error|is_?error\\*": ?true)/i;

/** A span, log record or event that failed, or an attribute that says what failed. */
function isFailure(item: Readonly<Record<string, Json>>): boolean {
  const { status, attributes, key, name } = item;
  if (status !== undefined && isError(status)) return true;
  if (name === 'exception') return true;
  if (typeof key === 'string' && /error|exception/.test(key)) return true;
  return Array.isArray(attributes) && attributes.some((each) => JSON.stringify(each).includes('"error.type"'));
}

function isError(status: Json): boolean {
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return false;
  const { code } = status as { readonly code?: Json };
  return code === 2 || code === 'STATUS_CODE_ERROR';
}
