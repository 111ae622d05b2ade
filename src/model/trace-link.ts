/** Links to a turn or a step in the team's own backend of traces. */
import { LinkTemplates } from './link-template.ts';

const TEMPLATES = new LinkTemplates(
  ['trace_id', 'span_id', 'start_ms', 'end_ms', 'conversation_id'],
  'https://tempo.example/trace/{trace_id}',
);
const IDS: readonly string[] = ['trace_id', 'span_id', 'conversation_id'];

/** `start_ms` and `end_ms` are milliseconds since 1970. */
export interface LinkedPlace {
  readonly trace_id: string;
  /** Undefined for a tool call that has no span of its own. */
  readonly span_id: string | undefined;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly conversation_id: string;
}

export const TRACE_TEMPLATE_EXPECTED = TEMPLATES.expected;
/** Backends search a span of time, and the clocks of machines differ. */
const MARGIN_MS = 60_000;

/** Why it is no template; undefined where it is one. */
export function traceTemplateMistake(template: string): string | undefined {
  const mistake = TEMPLATES.mistakeIn(template);
  if (mistake !== undefined || TEMPLATES.namesIn(template).some((name) => IDS.includes(name))) return mistake;
  return `${TEMPLATES.expected}: without an id every link would lead to the same place`;
}

/** Undefined where the template asks for something that the place does not have. */
export function traceLink(template: string, place: LinkedPlace): string | undefined {
  const { trace_id, span_id, start_ms, end_ms, conversation_id } = place;
  if (span_id === undefined && linksSpans(template)) return undefined;
  return TEMPLATES.link(template, {
    ...{ trace_id, conversation_id, span_id: span_id ?? '' },
    start_ms: String(Math.max(0, start_ms - MARGIN_MS)),
    end_ms: String(end_ms + MARGIN_MS),
  });
}

export function linksSpans(template: string): boolean {
  return template.includes('{span_id}');
}
