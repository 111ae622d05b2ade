/** All dialects as one: their rows compiled into tables, their finders in one order. Made once, when the module loads. */
import type { Attributes, SpanView } from '../otlp/views.ts';
import type { ContentFinders, Dialect, Finder } from './dialect.ts';
import { DIALECTS } from './dialects.ts';
import { DETAILS, Draft, GUARDS_MAX, NO_GUARD } from './draft.ts';
import type { Evidence } from './evidence.ts';
import type { IdKeys } from './id-keys.ts';
import { RowTable } from './rows.ts';

/** A finder, and the guard of the attribute that it reads; NO_GUARD where it reads anything else. */
export interface GuardedFinder<T> extends Finder<T> {
  readonly guard: number;
}
type GuardedFinders = { readonly [K in keyof ContentFinders]: readonly GuardedFinder<FoundBy<K>>[] };
type FoundBy<K extends keyof ContentFinders> = ContentFinders[K][number] extends Finder<infer T> ? T : never;

/** Finders of keys beyond GUARDS_MAX are asked always. */
const guards = new Map<string, number>();

type Infer = NonNullable<Dialect['infer']>;

/** First of the guards' users: where a dialect's marker went unguarded, it would infer for spans of others. */
const inferring = inferringOf((dialect) => dialect.infer);
const inferringDetails = inferringOf((dialect) => dialect.inferDetails);

function inferringOf(of: (dialect: Dialect) => Infer | undefined) {
  return DIALECTS.flatMap((dialect) => {
    const infer = of(dialect);
    return infer === undefined ? [] : [{ infer, guard: guardOf(dialect.marker) }];
  });
}

function guardOf(key: string | undefined): number {
  if (key === undefined) return NO_GUARD;
  const known = guards.get(key);
  if (known !== undefined) return known;
  if (guards.size >= GUARDS_MAX) return NO_GUARD;
  const guard = guards.size;
  guards.set(key, guard);
  return guard;
}

export const FINDERS: GuardedFinders = {
  messagesIn: all('messagesIn'),
  messagesOut: all('messagesOut'),
  systemInstructions: all('systemInstructions'),
  input: all('input'),
  output: all('output'),
  toolArgs: all('toolArgs'),
  toolResult: all('toolResult'),
  error: all('error'),
};

function all<K extends keyof ContentFinders>(kind: K): GuardedFinders[K] {
  const finders: unknown[] = [];
  for (const dialect of DIALECTS) {
    for (const finder of dialect[kind] ?? []) finders.push({ ...finder, guard: guardOf(finder.key) });
  }
  // The cast holds: lists of finders of one kind, one after the other, are a list of finders of that kind.
  return finders as unknown as GuardedFinders[K];
}

const rows = DIALECTS.flatMap((dialect) => dialect.rows ?? []);
/** Last of the guards' users, since it takes all that were given out. */
const basicRows = new RowTable(
  rows.filter((row) => !DETAILS.has(row.field)),
  DIALECTS.flatMap((dialect) => dialect.captured ?? []),
  guards,
);
const detailRows = new RowTable(
  rows.filter((row) => DETAILS.has(row.field)),
  [],
);
const namingRows = rows.filter(({ field }) => field === 'conversationId');
const conversationRows = new RowTable(namingRows, []);
/** Keys of attributes in which a span may name its conversation. */
export const CONVERSATION_KEYS: ReadonlySet<string> = new Set(namingRows.map(({ key }) => key));
const resourceRows = new RowTable(
  DIALECTS.flatMap((dialect) => dialect.resourceRows ?? []),
  [],
);

/** Reads the attributes of a span. `rules`, where given, receives which rule decided each field. */
export function readFields(span: SpanView, rules: Map<string, string> | undefined, idKeys?: IdKeys): Draft {
  const draft = new Draft(rules);
  basicRows.apply(span.attributes, draft, '');
  idKeys?.apply(span, draft);
  draft.hasEvents = span.hasEvents;
  for (const { infer, guard } of inferring) if (guard === NO_GUARD || draft.noted(guard)) infer(draft, span);
  if (draft.kind === undefined) {
    draft.isUnknown = true;
    draft.set('kind', 'other', 'none');
  }
  return draft;
}

/** The conversation that a span names in an attribute. Fields that dialects infer from its content are not searched. */
export function conversationNamedBy(span: SpanView, idKeys: IdKeys): string | undefined {
  const draft = new Draft(undefined);
  conversationRows.apply(span.attributes, draft, '');
  idKeys.apply(span, draft);
  return draft.conversationId;
}

/**
 * Conversation by the {@link CONVERSATION_KEYS} alone, without keys that the user configured. The attributes must hold
 * all of them.
 */
export function conversationNamedIn(attributes: Attributes): string | undefined {
  const draft = new Draft(undefined);
  conversationRows.apply(attributes, draft, '');
  return draft.conversationId;
}

/** Adds the fields that {@link readFields} leaves for later. */
export function readDetails(span: SpanView, draft: Draft): void {
  detailRows.apply(span.attributes, draft, '');
  for (const { infer, guard } of inferringDetails) if (guard === NO_GUARD || draft.noted(guard)) infer(draft, span);
}

/** Fields of a resource; they apply if the span itself has none. */
export function readResource(resource: Attributes, rules: Map<string, string> | undefined): Draft {
  const draft = new Draft(rules);
  resourceRows.apply(resource, draft, 'resource:');
  return draft;
}

interface Found<T> {
  readonly value: T;
  readonly rule: string;
}

export function firstFound<T>(finders: readonly GuardedFinder<T>[], evidence: Evidence): Found<T> | undefined {
  for (const finder of finders) {
    if (finder.guard !== NO_GUARD && !evidence.mayHave(finder.guard)) continue;
    const value = finder.find(evidence);
    if (value !== undefined) return { value, rule: finder.rule };
  }
  return undefined;
}
