/** The answer where no conversation has the id that was asked for. */
import { type Answer, jsonAnswer } from '../../../report/http/answer.ts';

export function noSuchConversation(id: string): Answer {
  return jsonAnswer(404, {
    error: `no conversation has the id ${JSON.stringify(id)}: it may still be open, have another id (GET /api/conversations lists them), or be older than what is kept`,
  });
}
