/** `PUT /v1/truth/{conversation}`: what is right for a conversation, before it is there or after it was scored. */
import { z } from 'zod';
import type { Json } from '../../model/json.ts';
import { writeRoute, type WriteRoute } from '../../report/http/api-writes.ts';
import type { PutAnswer, StoreWrite } from '../store-writes.ts';
import { WRITE_PATHS } from './write-paths.ts';

const CONVERSATION_MAX = 4096;

export function truthRoute(put: (write: StoreWrite) => Promise<PutAnswer>): WriteRoute {
  return writeRoute({
    method: 'PUT',
    path: WRITE_PATHS.truth,
    summary: 'any JSON: what is right for the conversation, as `truth` in suites; null takes it away again',
    // The cast holds because the body was parsed as JSON.
    body: z.unknown().transform((value) => value as Json),
    handle: async (truth, parameters) => {
      const conversation = parameters.get('conversation') ?? '';
      if (conversation === '' || conversation.length > CONVERSATION_MAX) {
        const error = `a conversation's id has 1 to ${CONVERSATION_MAX} characters`;
        return { status: 400, value: { error } };
      }
      const answer = await put({ what: 'truth', conversation, truth: truth === null ? undefined : truth });
      if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
      return { status: 200, value: { conversation_id: conversation, changed: answer.changed > 0 } };
    },
  });
}
