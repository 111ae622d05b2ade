/**
 * `PUT /v1/failures`: how far a kind of failure is, as a person says, or another name for it. A kind that gets the name
 * of another is merged into that one.
 */
import { z } from 'zod';
import { KIND_STATES, type KindChange } from '../../model/named-kinds.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { writing } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';
import { saidBy } from './said-by.ts';
import { text } from '../../api/shapes.ts';
import { kind } from './written-text.ts';

const AGENT_MAX = 4096;
const PERSON_MAX = 200;

const bodySchema = z
  .strictObject({
    agent: text(AGENT_MAX),
    kind,
    state: z.enum(KIND_STATES, `one of ${KIND_STATES.join(', ')}`).optional(),
    into: kind.optional(),
    by: text(PERSON_MAX).optional(),
  })
  .refine(({ state, into }) => (state === undefined) !== (into === undefined), {
    path: ['state'],
    message: 'either a state, or `into` with another name',
  })
  .refine((asked) => asked.into !== asked.kind, { path: ['into'], message: 'it is the name that the kind has' });

interface FailureSide {
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
}

export const putFailures = writing(bodySchema, async (side: FailureSide, asked, _, { caller }) => {
  const by = saidBy(asked.by, caller, { things: 'kinds of failure', does: 'name' });
  if (typeof by !== 'string') return by;
  const answer = await side.put({ what: 'kind', change: changeOf(asked, by) });
  if ('unavailable' in answer) return answer;
  if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
  if (answer.missing !== undefined) {
    const error = `agent ${JSON.stringify(asked.agent)} has no kind of failure ${JSON.stringify(answer.missing)}: a reading has to name it first`;
    return { status: 404, value: { error } };
  }
  return { status: 200, value: { kind: asked.into ?? asked.kind, changed: answer.changed } };
});

function changeOf({ agent, kind: of, state, into }: z.output<typeof bodySchema>, by: string): KindChange {
  return into === undefined ? { agent, kind: of, by, state: state ?? 'open' } : { agent, kind: of, by, into };
}
