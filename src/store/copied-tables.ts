/** Tables of what was said of conversations, which a copy takes as they are. Rows that the target has are newer, and stay. */
import type { Column } from './column.ts';

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: Column<never>['type'] | 'boolean' }[];
  /** Columns of hashes in the shared store, each with the column of its text. */
  readonly keys: readonly (readonly [key: string, text: string])[];
}

/** As the store of one machine has it, in the order of the columns. */
export type CopiedRow = readonly (string | number | null)[];

const SAID_OF = { name: 'conversation_id', type: 'text' } as const;
const PUT_AT = { name: 'put_at', type: 'bigint' } as const;

export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'truths', columns: [SAID_OF, { name: 'truth', type: 'plain' }, PUT_AT], keys: [['key', 'conversation_id']] },
  {
    name: 'feedback',
    columns: [
      SAID_OF,
      { name: 'id', type: 'text' },
      { name: 'body', type: 'text' },
      { name: 'user_id', type: 'text' },
      // Totals, which are copied as well, hold all that is marked as counted.
      { name: 'counted', type: 'boolean' },
      PUT_AT,
    ],
    keys: [['key', 'conversation_id']],
  },
  {
    name: 'readings',
    columns: [
      SAID_OF,
      { name: 'source', type: 'plain' },
      { name: 'name', type: 'text' },
      { name: 'good', type: 'boolean' },
      { name: 'certain', type: 'boolean' },
      { name: 'value', type: 'text' },
      { name: 'of_case', type: 'text' },
      { name: 'first_wrong', type: 'text' },
      { name: 'note', type: 'text' },
      PUT_AT,
      { name: 'kind', type: 'text' },
    ],
    keys: [
      ['key', 'conversation_id'],
      ['name_key', 'name'],
    ],
  },
  {
    name: 'failure_kinds',
    columns: [
      { name: 'project', type: 'plain' },
      { name: 'agent', type: 'text' },
      { name: 'name', type: 'text' },
      { name: 'state', type: 'plain' },
      { name: 'state_at', type: 'bigint' },
      { name: 'by', type: 'text' },
    ],
    keys: [['agent_key', 'agent']],
  },
];
