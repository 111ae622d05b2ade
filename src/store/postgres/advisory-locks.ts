/**
 * The advisory locks that instances share, by name. Each is a number of ours and the hash of the schema and a name, so that two stores in one
 * database do not wait for each other.
 */
type LockName =
  | 'schema'
  | 'migration'
  | 'time'
  | 'housekeeping'
  | 'filing'
  | 'outbox'
  | 'spending'
  | 'questions'
  | 'labels'
  | `instance ${string}`;

const OURS = 1634956641;

/** The two arguments of an advisory lock function; the name is quoted, since an instance's is an operator's. */
export function lockKey(name: LockName): string {
  return `${OURS}, hashtext(coalesce(current_schema(), '') || ' ${name.replaceAll("'", "''").replaceAll('\\', '')}')`;
}
