/** `?` as PostgreSQL numbers its parameters. No text of ours has one otherwise. */
export function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
}
