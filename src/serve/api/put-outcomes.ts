/**
 * `PUT /v1/outcomes`: what came of conversations in the world, one outcome or a list. Scores are compared with them
 * (`assay validity`).
 */
import { z } from 'zod';
import { readingOf } from '../../model/readings.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { writing } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';
import { text } from '../../api/shapes.ts';
import { name } from './written-text.ts';

const ID_MAX = 4096;
const NAME_MAX = 200;
const VALUE_MAX = 1000;
const OUTCOMES_MAX = 1000;

const outcomeSchema = z
  .strictObject({
    conversation_id: text(ID_MAX),
    label: name(NAME_MAX),
    good: z.boolean('true, false, or null, which takes it away').nullable(),
    value: text(VALUE_MAX).optional(),
    case: text(VALUE_MAX).optional(),
    certain: z.boolean('true where the outcome decides it, and nobody has to read the conversation').optional(),
  })
  .transform(({ conversation_id: conversationId, good, value, label, case: ofCase, certain }) =>
    readingOf({ ...{ conversationId, label, value, case: ofCase }, isGood: good ?? undefined }, certain),
  );
const bodySchema = z.preprocess(
  (body) => (Array.isArray(body) ? body : [body]),
  z.array(outcomeSchema).min(1, 'one outcome or more').max(OUTCOMES_MAX, `at most ${OUTCOMES_MAX} outcomes`),
);

interface OutcomeSide {
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
}

export const putOutcomes = writing(bodySchema, async (side: OutcomeSide, readings) => {
  const answer = await side.put({ what: 'readings', readings });
  if ('unavailable' in answer) return answer;
  if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
  return { status: 200, value: { outcomes: readings.length, changed: answer.changed } };
});
