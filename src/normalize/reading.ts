/** All dialects as one: their rows compiled into tables, their finders in one order. Made once, when the module loads. */
import type { Attributes, SpanView } from '../model/otlp/views.ts';
import type { ContentFinders, Finder } from './dialect.ts';
import { DIALECTS } from './dialects.ts';
import { DETAILS, Draft } from './draft.ts';
import type { Evidence } from './evidence.ts';
import { RowTable } from './rows.ts';

const rows = DIALECTS.flatMap((dialect) => dialect.rows ?? []);
const basicRows = new RowTable(
  rows.filter((row) => !DETAILS.has(row.field)),
  DIALECTS.flatMap((dialect) => dialect.captured ?? []),
);
const detailRows = new RowTable(
  rows.filter((row) => DETAILS.has(row.field)),
  [],
);
const resourceRows = new RowTable(
  DIALECTS.flatMap((dialect) => dialect.resourceRows ?? []),
  [],
);
const inferring = DIALECTS.flatMap((dialect) => dialect.infer ?? []);
const inferringDetails = DIALECTS.flatMap((dialect) => dialect.inferDetails ?? []);

export const FINDERS: ContentFinders = {
  messagesIn: all('messagesIn'),
  messagesOut: all('messagesOut'),
  systemInstructions: all('systemInstructions'),
  input: all('input'),
  output: all('output'),
  toolArgs: all('toolArgs'),
  toolResult: all('toolResult'),
  error: all('error'),
};

function all<K extends keyof ContentFinders>(kind: K): ContentFinders[K] {
  const finders: unknown[] = [];
  for (const dialect of DIALECTS) finders.push(...(dialect[kind] ?? []));
  // The cast holds: lists of finders of one kind, one after the other, are a list of finders of that kind.
  return finders as unknown as ContentFinders[K];
}

/** Reads the attributes of a span. `rules`, where given, receives which rule decided each field. */
export function readFields(span: SpanView, rules: Map<string, string> | undefined): Draft {
  const draft = new Draft(rules);
  basicRows.apply(span.attributes, draft, '');
  draft.hasEvents = span.events.length > 0;
  for (const infer of inferring) infer(draft, span);
  if (draft.kind === undefined) draft.settle('kind', 'other', 'none');
  return draft;
}

/** Adds the fields that {@link readFields} leaves for later. */
export function readDetails(span: SpanView, draft: Draft): void {
  detailRows.apply(span.attributes, draft, '');
  for (const infer of inferringDetails) infer(draft, span);
}

/** What a resource says; it holds where the span itself says nothing. */
export function readResource(resource: Attributes, rules: Map<string, string> | undefined): Draft {
  const draft = new Draft(rules);
  resourceRows.apply(resource, draft, 'resource:');
  return draft;
}

export interface Found<T> {
  readonly value: T;
  readonly rule: string;
}

export function firstFound<T>(finders: readonly Finder<T>[], evidence: Evidence): Found<T> | undefined {
  for (const { rule, find } of finders) {
    const value = find(evidence);
    if (value !== undefined) return { value, rule };
  }
  return undefined;
}
