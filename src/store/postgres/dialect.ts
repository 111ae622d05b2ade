/** SQL as PostgreSQL writes it, for the rules that both stores have (sql.ts). */
import { namesOf } from '../column.ts';
import type { Dialect } from '../sql.ts';
import { textKey } from './row-keys.ts';
import { fromStorable, toStorable } from './storable-text.ts';

export const DIALECT: Dialect = {
  among: (column) => `${column} = ANY(?)`,
  wanted: 'unnest(?::bigint[]) AS wanted (value)',
  columns: (table, names) => namesOf(names, table),
  byBytes: (column) => `${column} COLLATE "C"`,
  toStored: toStorable,
  fromStored: fromStorable,
  key: 'key',
  labelKey: 'conversation',
  nameKey: 'name_key',
  keyOf: textKey,
  isHashed: true,
  isShared: true,
  forShare: 'FOR SHARE',
  forUpdate: 'FOR UPDATE',
  nowMs: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  askAgain: 'number = excluded.number, due_at = 0',
};
