/** Callers, and what their roles let them do. */

/**
 * ingest   sends spans
 * read     reads metrics and conversations
 * review   says what is right: labels, truth, outcomes; and reads
 * admin    everything
 */
export const ROLES = ['ingest', 'read', 'review', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const INCLUDED: Readonly<Record<Role, readonly Role[]>> = {
  ingest: ['ingest'],
  read: ['read'],
  review: ['read', 'review'],
  admin: ROLES,
};

export function mayAct(roles: readonly Role[], wanted: Role): boolean {
  return roles.some((role) => INCLUDED[role].includes(wanted));
}

/** How a caller was recognized. */
export const IDENTIFIED_BY = [
  'token',
  /** `http.write_token`. */
  'write_token',
  'session',
  /** A program on this machine, of which nothing is asked. */
  'loopback',
  /** Access control is off: `--insecure-no-auth`. */
  'insecure',
] as const;
export type IdentifiedBy = (typeof IDENTIFIED_BY)[number];

/** Name of a caller in the audit log: `token grafana`, `person ana@example.com`. */
export interface Caller {
  readonly by: IdentifiedBy;
  readonly name: string;
  readonly roles: readonly Role[];
}

const PERSON = 'person ';
const PERSON_CHARACTERS_MAX = 200;

/** The name of a person for the audit log, with which they differ from a token of that name. */
export function nameOfPerson({ name, subject }: { readonly name: string; readonly subject: string }): string {
  return `${PERSON}${name} (${subject})`;
}

/** The name under which somebody who signed in labels. Undefined for all others: a program names the person. */
export function signedInAs({ by, name }: { readonly by?: IdentifiedBy; readonly name?: string }): string | undefined {
  if (by !== 'session' || name === undefined) return undefined;
  return (name.startsWith(PERSON) ? name.slice(PERSON.length) : name).slice(0, PERSON_CHARACTERS_MAX);
}
