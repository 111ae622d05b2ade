/** A column that both stores have: its name, its type as PostgreSQL calls it, and its value, which is null where it is undefined. */
export interface Column<Of> {
  readonly name: string;
  /** `plain` is text without a NUL whatever spans say: JSON, or words of our own. */
  readonly type: 'text' | 'plain' | 'smallint' | 'int' | 'bigint';
  readonly of: (value: Of) => string | number | undefined;
}

/** For a statement; `of` is what the table is called in it. */
export function namesOf(columns: readonly { readonly name: string }[], of?: string): string {
  return columns.map(({ name }) => (of === undefined ? name : `${of}.${name}`)).join(', ');
}
