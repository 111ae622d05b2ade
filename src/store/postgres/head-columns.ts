/** The columns of many conversations as parameters of one statement: an array for each column, which `unnest` makes rows of. */
import { CONVERSATION_COLUMNS, type ConversationHead } from '../conversation-columns.ts';
import type { Value } from '../sql.ts';
import { toStorable } from './storable-text.ts';

/** In the order of the names, the first one under this number. */
export function headParameters(first: number): string {
  return CONVERSATION_COLUMNS.map(({ type }, index) => `$${first + index}::${type}[]`).join(', ');
}

export function headValues(heads: readonly ConversationHead[]): readonly Value[] {
  return CONVERSATION_COLUMNS.map(({ of }) =>
    heads.map((head) => {
      const value = of(head) ?? null;
      return typeof value === 'string' ? toStorable(value) : value;
    }),
  );
}
