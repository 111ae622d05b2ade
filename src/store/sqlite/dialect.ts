/** SQL as SQLite writes it, for the rules that both stores have (sql.ts). */
import type { Dialect } from '../sql.ts';

export const DIALECT: Dialect = {
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  wanted: 'json_each(?) AS wanted',
  columns: (table) => `${table}.*`,
  byBytes: (column) => column,
  toStored: (text) => text,
  fromStored: (text) => text,
  key: 'conversation_id',
  labelKey: 'conversation_id',
  nameKey: 'name',
  keyOf: (text) => text,
  isHashed: false,
  isShared: false,
  forShare: '',
  forUpdate: '',
  nowMs: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  askAgain: 'due_at = 0',
};
