/** The reader of the page, and what the roles of the reader allow. */
import { type IdentifiedBy, mayAct, type Role } from '../../model/caller.ts';
import { useReply } from './use-reply.ts';

interface Me {
  readonly name?: string;
  readonly by?: IdentifiedBy;
  readonly roles?: readonly Role[];
  readonly sign_out?: string | null;
}

/** Undefined until it is known. */
export function useMe(): Me | undefined {
  const { reply } = useReply<Me>('/api/me');
  return reply?.is === 'here' ? reply.value : undefined;
}

/** Somebody of whom nothing is asked, on this machine or where nobody is asked. */
export function isNobody({ by }: Me): boolean {
  return by === 'loopback' || by === 'insecure';
}

export function mayLabel({ roles = [] }: Me): boolean {
  return mayAct(roles, 'review');
}
