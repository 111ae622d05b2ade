/** Reads the reply of a model: a vote, or a problem. */
import { parseJudgeAnswer } from '../model/judge-answer.ts';
import { isUnsupported, type JudgeFailure, type JudgeRequest } from '../model/judging.ts';
import type { Vote } from '../model/questions.ts';
import type { CallTrouble } from './model-error.ts';
import type { Judge } from './judge.ts';
import type { ModelReply, Usage } from './model-client.ts';
import { nanosOf } from '../model/price.ts';

export type Read = { readonly vote: Vote } | { readonly trouble: CallTrouble };

/** `doubted`: an answer whose quotes are all invented is to be asked for again. */
export function readReply(
  reply: ModelReply,
  request: JudgeRequest,
  { unsupported }: { readonly unsupported: 'taken' | 'doubted' },
): Read {
  switch (reply.is) {
    case 'said': {
      const reading = parseJudgeAnswer(reply.text, request);
      if (reading.is === 'answers' && unsupported === 'doubted' && reading.answers.some(isUnsupported))
        return { trouble: badAnswer('None of the quotes in the answer is in the data.', 'retry') };
      if (reading.is === 'answers')
        return { vote: { is: 'said', answers: reading.answers, model: reply.model.slice(0, 200).toWellFormed() } };
      return { trouble: badAnswer(reading.problem, 'retry') };
    }
    case 'refused':
      return { vote: { is: 'failed', failure: 'refused', reason: reply.reason } };
    case 'cut':
      // A retry would be cut as well.
      return { trouble: badAnswer('The answer is longer than max_output_tokens.', 'nothing') };
    case 'failed':
      return { trouble: reply.trouble };
  }
}

export function failureOf(read: Read): JudgeFailure {
  if ('trouble' in read) return read.trouble.failure;
  return read.vote.is === 'failed' ? read.vote.failure : 'bad-answer';
}

/** Cost of the call. Where the provider does not say, it counts as the most it can have been. */
export function costOf(reply: ModelReply, judge: Judge, mostNanos: number): number {
  if (reply.is === 'failed' && !reply.trouble.mayCost) return 0;
  const usage = usageOf(reply);
  return usage === undefined ? mostNanos : nanosOf(usage, judge.prices);
}

export function usageOf(reply: ModelReply): Usage | undefined {
  return reply.is === 'failed' ? undefined : reply.usage;
}

function badAnswer(reason: string, remedy: 'retry' | 'nothing'): CallTrouble {
  return { failure: 'bad-answer', reason, remedy, retryAfterMs: 0, mayCost: true };
}
