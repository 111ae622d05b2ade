/**
 * Checks that give a score from 0 to 1, as those of other evaluation libraries do, as the yes or no of a criterion:
 *
 *     check: scored((c) => ({ score: 0.7, comment: 'Moderately concise', metadata: { length: 120 } }), { atLeast: 0.75 })
 *
 * The comment becomes the reason, with the score, what was wanted, and what the metadata say in plain values. A value
 * that is no score is an error, never a failure, because it says nothing about the agent.
 */
import { toExcerpt } from '../subject/sentences.ts';
import { type Answer, CheckError, type NotApplicable } from '../subject/answer.ts';
import type { Extracts, SubjectWith } from '../subject/subject.ts';
import { formatMillionths, ONE, toMillionths } from '../subject/weigh.ts';

export interface Scored {
  /** From 0 to 1; true is 1. */
  readonly score: number | boolean;
  readonly comment?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Span ids, as in any answer. */
  readonly evidence?: Exclude<Answer, boolean | NotApplicable>['evidence'];
}

const METADATA_SHOWN = 5;

export function scored<E extends Extracts = Extracts>(
  check: (subject: SubjectWith<E>) => number | boolean | Scored | NotApplicable,
  { atLeast }: { readonly atLeast: number },
): (subject: SubjectWith<E>) => Answer {
  const wanted = toMillionths(atLeast);
  if (wanted === undefined || wanted === 0 || wanted > ONE) {
    throw new Error(
      `scored: atLeast is ${atLeast}; expected a number above 0, at most 1, with up to six decimal places`,
    );
  }
  return (subject) => {
    // Not trusted to give what its type says: it may be a stranger's JavaScript.
    const given: unknown = check(subject);
    if (isObject(given) && typeof given.notApplicable === 'string') return { notApplicable: given.notApplicable };
    const result = isObject(given) ? given : { score: given };
    const score = scoreIn(result.score);
    const comment = typeof result.comment === 'string' ? result.comment.trim().replace(/[.;:,]+$/, '') : '';
    const figure = `scored ${formatMillionths(score)}, and at least ${formatMillionths(wanted)} is wanted`;
    const details = metadataIn(result.metadata);
    return {
      pass: score >= wanted,
      reason: `${comment === '' ? '' : `${comment}: `}${figure}${details}.`,
      ...(Array.isArray(result.evidence) && { evidence: result.evidence }),
    };
  };
}

/** Score in millionths, rounded: sums of decimals such as 0.1 + 0.2 meet the threshold that they are meant to. */
function scoreIn(score: unknown): number {
  if (typeof score === 'boolean') return score ? ONE : 0;
  if (typeof score !== 'number') {
    throw new CheckError(
      `The check gave ${score === null ? 'null' : typeof score} as a score, not a number from 0 to 1.`,
    );
  }
  const millionths = Math.round(score * ONE);
  if (millionths >= 0 && millionths <= ONE) return millionths;
  throw new CheckError(`The check gave a score of ${score}; scores go from 0 to 1.`);
}

function metadataIn(metadata: unknown): string {
  if (!isObject(metadata)) return '';
  const plain = Object.entries(metadata).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  const shown = plain.slice(0, METADATA_SHOWN).map(([key, value]) => `${toExcerpt(key)} ${toExcerpt(String(value))}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
