/** The set-up of the service: its version, its ports, and the links that the configuration gives. */
import type { ServiceJson } from '../../api/facets.ts';
import { useReply } from './use-reply.ts';

/** Undefined before it is known. */
export function useService(): ServiceJson | undefined {
  const { reply } = useReply<ServiceJson>('/api/v1/service');
  return reply?.is === 'here' ? reply.value : undefined;
}
