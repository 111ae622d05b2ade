/** Events of access: who was let in, who was not and why, and what is wrong with the lists behind it. */
import type { AccessPort, AccessRefusal } from '../access.ts';
import type { IdentifiedBy, Role } from '../caller.ts';

export const SIGN_IN_RESULTS = [
  'ok',
  /** Known to the identity provider, and without a role here. */
  'no_role',
  'refused',
  /** The identity provider, or the store that has the key of sessions, does not answer. */
  'unavailable',
] as const;
export type SignInResult = (typeof SIGN_IN_RESULTS)[number];

export type AccessEvent =
  | {
      readonly type: 'access-allowed';
      readonly port: AccessPort;
      /** The role that the action takes. */
      readonly role: Role;
      readonly by: IdentifiedBy;
    }
  | { readonly type: 'access-refused'; readonly port: AccessPort; readonly reason: AccessRefusal }
  /** At the start and every hour. */
  | { readonly type: 'access-open'; readonly host: string }
  | { readonly type: 'tokens-unreadable'; readonly from: string; readonly problem: string }
  | { readonly type: 'tokens-readable'; readonly from: string }
  | { readonly type: 'sign-in'; readonly result: SignInResult }
  | { readonly type: 'identity-provider-away'; readonly problem: string }
  /** The key of sessions, or those that were ended, cannot be read. */
  | { readonly type: 'sessions-unreadable'; readonly problem: string }
  | { readonly type: 'audit-failed'; readonly problem: string; readonly lines: number };
