/**
 * The attributes that a user of Assay named as holding the conversation's id, in order of preference. They are asked
 * before all others: who names them knows the application, and conventions only guess. The span's own attributes count
 * before its resource's.
 */
import type { SpanView } from '../otlp/views.ts';
import { Draft } from './draft.ts';
import { asText, RowTable, rows } from './rows.ts';

export class IdKeys {
  readonly #table: RowTable;

  constructor(conversationKeys: readonly string[]) {
    this.#table = new RowTable(rows('conversationId', asText, conversationKeys), []);
  }

  apply(span: Pick<SpanView, 'attributes' | 'resource'>, draft: Draft): void {
    const found = new Draft(draft.rules === undefined ? undefined : new Map());
    this.#table.apply(span.attributes, found, 'configured:');
    if (found.conversationId === undefined) this.#table.apply(span.resource, found, 'configured:resource:');
    if (found.conversationId === undefined) return;
    draft.conversationId = found.conversationId;
    draft.rules?.set('conversationId', found.rules?.get('conversationId') ?? 'configured');
  }
}

/** undefined where none are named, which costs nothing. */
export function idKeysOf(conversationKeys: readonly string[]): IdKeys | undefined {
  return conversationKeys.length === 0 ? undefined : new IdKeys(conversationKeys);
}
