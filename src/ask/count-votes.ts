/**
 * Counts the votes so far. A criterion is decided by more than half of all the votes there may be, so that no vote to
 * come can change it; the number of votes is odd, so that there is no tie. A vote that failed is a vote for neither
 * side: where too many did, there is no majority to be had, and the question fails as its first failed vote did.
 */
import type { ReadAnswer } from '../model/judge-answer.ts';
import type { JudgeFailure, JudgedAnswer, JudgeOutcome, JudgeRequest, StepGrade } from '../model/judging.ts';
import type { Vote } from '../model/questions.ts';

type Count =
  /** Least number of further votes that could decide. */
  | { readonly is: 'open'; readonly needed: number }
  | {
      readonly is: 'ended';
      readonly outcome: Extract<JudgeOutcome, { is: 'answered' | 'failed' }>;
      readonly disagreed: boolean;
    };

export function countVotes(
  votes: readonly Vote[],
  { of, criteria }: { readonly of: number; readonly criteria: JudgeRequest['criteria'] },
): Count {
  const said = votes.flatMap((vote) => (vote.is === 'said' ? [vote] : []));
  const majority = Math.floor(of / 2) + 1;
  const counted = criteria.map(({ name }) => {
    const answers = said.flatMap((vote) => vote.answers.filter(({ criterion }) => criterion === name));
    const yes = answers.filter(({ pass }) => pass).length;
    return { name, answers, yes, no: answers.length - yes };
  });
  const needed = Math.max(0, ...counted.map(({ yes, no }) => majority - Math.max(yes, no)));
  if (needed > 0) {
    const failed = votes.find((vote) => vote.is === 'failed');
    if (needed <= of - votes.length || failed === undefined) return { is: 'open', needed };
    return { is: 'ended', outcome: failedAs(failed), disagreed: false };
  }
  const answers = counted.map(({ name, answers: given, yes, no }): JudgedAnswer => {
    const pass = yes > no;
    const spoken = given.find((answer) => answer.pass === pass);
    const { reason = '', quotes = [], invented } = spoken ?? {};
    const grades = spoken?.grades === undefined ? {} : { grades: withOtherVotes(spoken, given) };
    const notFound = invented === undefined ? {} : { invented };
    return { criterion: name, pass, reason, quotes, ...notFound, votes: { yes, of: yes + no }, ...grades };
  });
  const disagreed = counted.some(({ yes, no }) => yes > 0 && no > 0);
  return { is: 'ended', outcome: { is: 'answered', answers, model: said.at(-1)?.model ?? '' }, disagreed };
}

/** Each was paid for: of the votes that did not speak for the majority, the grades are kept beside those that did. */
function withOtherVotes(spoken: ReadAnswer, given: readonly ReadAnswer[]): readonly StepGrade[] {
  const others = given.filter((answer) => answer !== spoken);
  return (spoken.grades ?? []).map((grade) => {
    const otherVotes = others.flatMap(({ grades = [] }) =>
      grades.flatMap(({ number, score, reason }) => (number === grade.number ? [{ score, reason }] : [])),
    );
    return otherVotes.length === 0 ? grade : { ...grade, otherVotes };
  });
}

function failedAs(vote: { readonly failure: JudgeFailure; readonly reason: string }) {
  return { is: 'failed', failure: vote.failure, reason: vote.reason } as const;
}
