/** Inserts of rows whose columns are in a table of columns. */
import type { SQLInputValue } from 'node:sqlite';
import type { Column } from '../column.ts';

/**
 * The part of the statement after INSERT. The values of `own`, which are SQLite's alone, come before those of the
 * columns.
 */
export function insertSql(
  table: string,
  own: readonly string[],
  columns: readonly { readonly name: string }[],
): string {
  const names = [...own, ...columns.map(({ name }) => name)];
  return `INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
}

export function valuesOf<Of>(columns: readonly Column<Of>[], value: Of): readonly SQLInputValue[] {
  return columns.map(({ of }) => of(value) ?? null);
}
