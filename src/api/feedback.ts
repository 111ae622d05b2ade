/** Feedback of the agent's users as it is sent and shown. `model/feedback.ts` says what it means. */
import { z } from 'zod';
import { text } from './shapes.ts';
import { FEEDBACK_LIMITS, FEEDBACK_WAYS, POLARITIES, whyOutside } from '../model/feedback.ts';

const FEEDBACK_MAX = 1000;
const CONVERSATION_ID_MAX = 4096;
/** A clock may be ahead by this; a time further ahead is a mistake, such as one of another unit. */
const AHEAD_MAX_MS = 24 * 3_600_000;

/** Forms send fields that nobody filled in. */
const textOrNone = (max: number) =>
  z
    .string('a text')
    .max(max, `at most ${max} characters`)
    .transform((given) => (given === '' ? undefined : given.toWellFormed()));
const number = z.number('a number').refine(Number.isFinite, 'a number');

const sent = z
  .strictObject({
    conversation_id: text(CONVERSATION_ID_MAX),
    id: text(FEEDBACK_LIMITS.idLength).optional(),
    name: text(FEEDBACK_LIMITS.nameLength).optional(),
    score: number.optional(),
    label: textOrNone(FEEDBACK_LIMITS.labelLength).optional(),
    scale: z
      .tuple([number, number], '[lowest, highest]')
      .refine(([min, max]) => min < max, 'the lowest score, then the highest')
      .optional(),
    comment: textOrNone(FEEDBACK_LIMITS.commentLength).optional(),
    user: text(FEEDBACK_LIMITS.userLength).optional(),
    trace_id: z
      .string()
      .regex(/^(?!0{32})[0-9a-f]{32}$/, '32 lower-case hexadecimal digits')
      .optional(),
    span_id: z
      .string()
      .regex(/^(?!0{16})[0-9a-f]{16}$/, '16 lower-case hexadecimal digits')
      .optional(),
    at: z.iso
      .datetime({ offset: true, abort: true, error: 'a time as in RFC 3339, such as 2026-11-26T09:00:00Z' })
      .refine((time) => Date.parse(time) >= 0, 'a time since 1970')
      .refine((time) => !(Date.parse(time) > Date.now() + AHEAD_MAX_MS), 'a time at most a day in the future')
      .transform((time) => Date.parse(time))
      .optional(),
  })
  .refine(
    ({ score, label, comment }) => score !== undefined || label !== undefined || comment !== undefined,
    'a score, a label or a comment',
  )
  .superRefine(({ score, scale }, { addIssue }) => {
    const outside = score === undefined || scale === undefined ? undefined : whyOutside(score, scale);
    if (outside !== undefined) addIssue({ code: 'custom', path: ['score'], message: `one of its scale: ${outside}` });
  });
export type SentFeedback = z.output<typeof sent>;

/** Accepts a single feedback as a list of one. */
export function listOfFeedback(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'feedback' in body ? body : { feedback: [body] };
}

export const feedbackBody = z.preprocess(
  listOfFeedback,
  z
    .strictObject({
      feedback: z.array(sent).min(1, 'one feedback or more').max(FEEDBACK_MAX, `at most ${FEEDBACK_MAX} feedback`),
    })
    .transform(({ feedback }) => feedback),
);

export const feedbackAnswer = z.strictObject({
  /** Results, in the order of what was sent. */
  results: z.array(
    z.strictObject({
      id: z.string(),
      conversation_id: z.string(),
      polarity: z.enum(POLARITIES),
      /** Why it is neutral although it says something. */
      unclear: z.string().optional(),
      /** `waiting`: its conversation is not known yet. `known`: it was there before, and stays as it was. */
      result: z.enum(['kept', 'waiting', 'known', 'gone', 'too_many']),
      why: z.string().optional(),
    }),
  ),
});
export type FeedbackResult = z.output<typeof feedbackAnswer>['results'][number];

/** Feedback as a conversation shows it. */
export const shownFeedback = z.strictObject({
  id: z.string(),
  name: z.string(),
  polarity: z.enum(POLARITIES),
  unclear: z.string().optional(),
  score: z.number().optional(),
  label: z.string().optional(),
  scale: z.tuple([z.number(), z.number()]).optional(),
  comment: z.string().optional(),
  user: z.string().optional(),
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
  at: z.string(),
  way: z.enum(FEEDBACK_WAYS),
  /** False where a later one of the same user about the same answer counts instead. */
  counts: z.boolean(),
});
export type ShownFeedback = z.output<typeof shownFeedback>;
