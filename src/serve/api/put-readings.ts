/**
 * `PUT /v1/readings`: whether conversations went well for their users, as people say who read them; one reading or a
 * list. A person who signed in reads under that name; a program names the person, or says that it is the reader itself.
 * Without an answer it changes the kind of a bad reading that is there, whoever gave that.
 */
import { z } from 'zod';
import { signedInAs } from '../../model/caller.ts';
import type { GivenKind } from '../../model/named-kinds.ts';
import { READING_ANSWERS, type ReadingAnswer, type SaidReading, saidReading } from '../../model/readings.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { writing, type Written } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';
import { saidBy } from './said-by.ts';
import { text } from '../../api/shapes.ts';
import { kind } from './written-text.ts';

const ID_MAX = 4096;
const PERSON_MAX = 200;
const NOTE_MAX = 10_000;
const READINGS_MAX = 1000;

const readingSchema = z
  .strictObject({
    conversation_id: text(ID_MAX),
    answer: z.enum(READING_ANSWERS, `one of ${READING_ANSWERS.join(', ')}, or null to take it back`).nullish(),
    by: text(PERSON_MAX).optional(),
    source: z.enum(['person', 'agent'], 'person or agent').default('person'),
    first_wrong: text(ID_MAX).optional(),
    note: text(NOTE_MAX).optional(),
    kind: kind.nullish(),
  })
  .refine(({ answer, kind: given }) => answer !== undefined || given !== undefined, {
    path: ['answer'],
    message: `one of ${READING_ANSWERS.join(', ')}, or null to take it back`,
  })
  .refine(({ answer, source, kind: given }) => typeof given !== 'string' || (isBad(answer) && source === 'person'), {
    path: ['kind'],
    message: 'a kind of failure goes with the answer `bad` of a person',
  })
  .refine(({ answer, first_wrong: wrong, note }) => answer !== undefined || (wrong ?? note) === undefined, {
    path: ['answer'],
    message: 'it is missing: without it only `kind` can be changed',
  });
type WrittenReading = z.output<typeof readingSchema>;
const bodySchema = z.preprocess(
  (body) => (Array.isArray(body) ? body : [body]),
  z
    .array(readingSchema)
    .min(1, 'one reading or more')
    .max(READINGS_MAX, `at most ${READINGS_MAX} readings`)
    .refine((all) => new Set(all.map(({ answer }) => answer === undefined)).size < 2, {
      message: 'either all of a list have an answer, or none has and their kinds are changed',
    }),
);

interface ReadingSide {
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
}

export const putReadings = writing(bodySchema, async (side: ReadingSide, written, _, { caller }) => {
  const write = writeOf(written, caller);
  if ('status' in write) return write;
  const answer = await side.put(write);
  if ('unavailable' in answer) return answer;
  if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
  if (answer.missing !== undefined) {
    const error = `there is no bad reading of conversation ${JSON.stringify(answer.missing)} by that person, so it has no kind`;
    return { status: 404, value: { error } };
  }
  // Only a kind has no count of its own: one of a conversation that is not here was refused.
  const { changed, unknown = 0 } = answer;
  return { status: 200, value: { readings: written.length, changed, unknown } };
});

function writeOf(written: readonly WrittenReading[], caller: Written['caller']) {
  const readings: SaidReading[] = [];
  const kinds: GivenKind[] = [];
  for (const one of written) {
    const { conversation_id: conversationId, answer, kind: given = null } = one;
    // Only names whose reading it is: a kind is of the conversation, and nobody's answer changes.
    const named = answer === undefined ? (one.by?.trim() ?? (caller && signedInAs(caller))) : undefined;
    const by = named ?? saidBy(one.by, caller, { things: 'readings', does: 'read' });
    if (typeof by !== 'string') return by;
    if (answer === undefined) kinds.push({ conversationId, by, kind: given });
    else readings.push(saidReading({ ...one, answer, by }));
  }
  return kinds.length > 0 ? ({ what: 'kinds', kinds } as const) : ({ what: 'readings', readings } as const);
}

function isBad(answer: ReadingAnswer | null | undefined): boolean {
  return answer === undefined || answer === 'bad';
}
