/**
 * Feedback: one opinion of an agent's user about a conversation or one answer of it. It is positive, negative or
 * neutral, and this is decided here and nowhere else:
 *
 *   1. a label that is a known word (`thumbs_up`, `bad`, …)                                decides
 *   2. a score with its scale: above the middle is positive, below is negative             decides
 *   3. a score without a scale: 1 is positive, 0 and -1 are negative, 2 to 5 are stars     decides
 *   4. everything else, and a score outside of its scale or whose scale cannot be read     is neutral, and `unclear` says why
 *
 * The latest of several opinions of one user about the same answer counts. Nobody else's is replaced: feedback without a
 * user may be anybody's, and a comment alone says nothing against a thumb.
 */
import type { ConversationId, SpanId, TraceId } from './ids.ts';

/** In this order in the stores: a position is never reused. */
export const POLARITIES = ['positive', 'neutral', 'negative'] as const;
export type Polarity = (typeof POLARITIES)[number];

/** The ways in which feedback arrives. */
export const FEEDBACK_WAYS = ['api', 'span', 'log'] as const;
export type FeedbackWay = (typeof FEEDBACK_WAYS)[number];

export const FEEDBACK_NAME = 'user_feedback';

/** More than these are refused by the API and cut in spans. */
export const FEEDBACK_LIMITS = {
  idLength: 200,
  nameLength: 100,
  labelLength: 100,
  commentLength: 10_000,
  userLength: 512,
  perConversation: 100,
} as const;

interface Opinion {
  readonly score?: number | undefined;
  readonly label?: string | undefined;
  /** The lowest and the highest score that could be given. */
  readonly scale?: readonly [min: number, max: number] | undefined;
}

export interface Feedback extends Opinion {
  /** Chosen by the sender, or made of all that was sent: the same id in the same conversation is one feedback. */
  readonly id: string;
  readonly conversationId: ConversationId;
  readonly name: string;
  readonly comment?: string | undefined;
  readonly user?: string | undefined;
  /** The answer that it speaks of; absent where it speaks of the conversation. */
  readonly traceId?: TraceId | undefined;
  readonly spanId?: SpanId | undefined;
  readonly atMs: number;
  readonly polarity: Polarity;
  /** Why it is neutral although it says something. */
  readonly unclear?: string | undefined;
  readonly way: FeedbackWay;
}

/** `unreadable`: one was sent, but it has only one end, or its lowest score is not below its highest. */
export type ReadScale = Opinion['scale'] | 'unreadable';

const WORDS: ReadonlyMap<string, Polarity> = new Map([
  ...['thumbs_up', 'thumbsup', 'up', 'positive', 'good', 'like', 'yes', 'true', '👍'].map(
    (word) => [word, 'positive'] as const,
  ),
  ...['thumbs_down', 'thumbsdown', 'down', 'negative', 'bad', 'dislike', 'no', 'false', '👎'].map(
    (word) => [word, 'negative'] as const,
  ),
  ['neutral', 'neutral'],
]);

export function polarityOf({ label, score, scale }: Omit<Opinion, 'scale'> & { readonly scale?: ReadScale }): {
  readonly polarity: Polarity;
  readonly unclear?: string;
} {
  const word =
    label === undefined
      ? undefined
      : WORDS.get(
          label
            .trim()
            .toLowerCase()
            .replace(/[\s-]+/g, '_'),
        );
  if (word !== undefined) return { polarity: word };
  if (score === undefined)
    return {
      polarity: 'neutral',
      ...(label === undefined ? {} : { unclear: 'the label is no known word and there is no score' }),
    };
  if (scale === 'unreadable')
    return { polarity: 'neutral', unclear: `a score of ${score} means nothing, since its scale cannot be read` };
  if (scale !== undefined) {
    const outside = whyOutside(score, scale);
    if (outside !== undefined) return { polarity: 'neutral', unclear: outside };
    const middle = (scale[0] + scale[1]) / 2;
    return { polarity: score > middle ? 'positive' : score < middle ? 'negative' : 'neutral' };
  }
  if (score === 1) return { polarity: 'positive' };
  if (score === 0 || score === -1) return { polarity: 'negative' };
  if (Number.isInteger(score) && score >= 2 && score <= 5)
    return { polarity: score >= 4 ? 'positive' : score === 3 ? 'neutral' : 'negative' };
  return { polarity: 'neutral', unclear: `a score of ${score} means nothing without its scale` };
}

/** Undefined where the score is one of its scale. */
export function whyOutside(score: number, [lowest, highest]: readonly [number, number]): string | undefined {
  if (score >= lowest && score <= highest) return undefined;
  return `a score of ${score} is outside of its scale, ${lowest} to ${highest}`;
}

/** The order in which opinions were given. */
export function byTime(a: Feedback, b: Feedback): number {
  return a.atMs - b.atMs || (a.id < b.id ? -1 : 1);
}

/**
 * The feedback that counts, in the order in which it was given: the latest score or label of each user and name about
 * each answer, and all that has no user or is a comment alone.
 */
export function countingFeedback(all: readonly Feedback[]): readonly Feedback[] {
  const sorted = all.toSorted(byTime);
  const latest = new Map(sorted.map((one) => [slotOf(one), one]));
  return sorted.filter((one) => latest.get(slotOf(one)) === one);
}

/** A later one in the same slot replaces an earlier one. */
function slotOf({ id, name, user, traceId, score, label }: Feedback): string {
  const isAlone = user === undefined || (score === undefined && label === undefined);
  return JSON.stringify(isAlone ? [id] : [name, user, traceId ?? '']);
}

/** Negative where any counting opinion is, else positive where any is, else neutral; undefined where there is none. */
export function polarityOfAll(all: readonly Feedback[]): Polarity | undefined {
  const counting = countingFeedback(all);
  if (counting.length === 0) return undefined;
  return (
    (['negative', 'positive'] as const).find((one) => counting.some(({ polarity }) => polarity === one)) ?? 'neutral'
  );
}
