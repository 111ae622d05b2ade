/**
 * `PUT /v1/readings`: whether conversations went well for their users, as people say who read them; one reading or a
 * list. A person who signed in reads under that name; a program names the person, or says that it is the reader itself.
 */
import { z } from 'zod';
import { READING_ANSWERS, type SaidReading, saidReading } from '../../model/readings.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { writing } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';
import { saidBy } from './said-by.ts';
import { text } from './written-text.ts';

const ID_MAX = 4096;
const PERSON_MAX = 200;
const NOTE_MAX = 10_000;
const READINGS_MAX = 1000;

const readingSchema = z.strictObject({
  conversation_id: text(ID_MAX),
  answer: z.enum(READING_ANSWERS, `one of ${READING_ANSWERS.join(', ')}, or null to take it back`).nullable(),
  by: text(PERSON_MAX).optional(),
  source: z.enum(['person', 'agent'], 'person or agent').default('person'),
  first_wrong: text(ID_MAX).optional(),
  note: text(NOTE_MAX).optional(),
});
const bodySchema = z.preprocess(
  (body) => (Array.isArray(body) ? body : [body]),
  z.array(readingSchema).min(1, 'one reading or more').max(READINGS_MAX, `at most ${READINGS_MAX} readings`),
);

interface ReadingSide {
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
}

export const putReadings = writing(bodySchema, async (side: ReadingSide, written, _, { caller }) => {
  const readings: SaidReading[] = [];
  for (const one of written) {
    const by = saidBy(one.by, caller, { things: 'readings', does: 'read' });
    if (typeof by !== 'string') return by;
    readings.push(saidReading({ ...one, by }));
  }
  const answer = await side.put({ what: 'readings', readings });
  if ('unavailable' in answer) return answer;
  if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
  return { status: 200, value: { readings: readings.length, changed: answer.changed } };
});
