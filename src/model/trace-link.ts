/**
 * Links to a turn or a step in the team's own backend of traces. A template, which the configuration has, holds names in
 * braces; values take their places percent-encoded. Other braces are text of the address.
 */
import { didYouMean } from './did-you-mean.ts';

const PLACEHOLDERS = ['trace_id', 'span_id', 'start_ms', 'end_ms', 'conversation_id'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** `start_ms` and `end_ms` are milliseconds since 1970. */
export interface LinkedPlace {
  readonly trace_id: string;
  /** Undefined for a tool call that has no span of its own. */
  readonly span_id: string | undefined;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly conversation_id: string;
}

const TEMPLATE_MAX = 2_000;
const NAMED = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
export const TEMPLATE_EXPECTED = `an http or https address with ${NAMED}, such as https://tempo.example/trace/{trace_id}`;
/** Backends search a span of time, and the clocks of machines differ. */
const MARGIN_MS = 60_000;

/** Why it is no template; undefined where it is one. */
export function templateMistake(template: string): string | undefined {
  if (template.length > TEMPLATE_MAX) return `at most ${TEMPLATE_MAX} characters`;
  const names = [...template.matchAll(placeholders())].map(([, name = '']) => name);
  const unknown = names.find((name) => !isPlaceholder(name));
  if (unknown !== undefined) {
    const nearest = didYouMean(unknown, PLACEHOLDERS);
    return `one of ${NAMED}, and not {${unknown}}${nearest === undefined ? '' : `; did you mean {${nearest}}?`}`;
  }
  const [one, other] = ['1', '2'].map((value) => tryUrl(template.replaceAll(placeholders(), value)));
  if (one === undefined || other === undefined || !/^https?:$/.test(one.protocol)) return TEMPLATE_EXPECTED;
  if (one.username !== '' || one.password !== '') return 'an address without a user name and a password';
  if (one.origin !== other.origin) return 'names in braces behind the host only';
  if (!names.some((name) => name === 'trace_id' || name === 'span_id' || name === 'conversation_id'))
    return `${TEMPLATE_EXPECTED}: without an id every link would lead to the same place`;
  return undefined;
}

/** Undefined where the template asks for something that the place does not have. */
export function traceLink(template: string, place: LinkedPlace): string | undefined {
  if (place.span_id === undefined && linksSpans(template)) return undefined;
  const values: Readonly<Record<Placeholder, string>> = {
    trace_id: place.trace_id,
    span_id: place.span_id ?? '',
    start_ms: String(Math.max(0, place.start_ms - MARGIN_MS)),
    end_ms: String(place.end_ms + MARGIN_MS),
    conversation_id: place.conversation_id,
  };
  return template.replaceAll(placeholders(), (whole, name: string) =>
    isPlaceholder(name) ? encoded(values[name]) : whole,
  );
}

export function linksSpans(template: string): boolean {
  return template.includes('{span_id}');
}

/** A new one each time, because a global pattern remembers its place. */
function placeholders(): RegExp {
  return /\{([A-Za-z_][\w-]*)\}/g;
}

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((known) => known === name);
}

/** Also the characters that `encodeURIComponent` leaves, because templates put values between quotes and brackets. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function tryUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
