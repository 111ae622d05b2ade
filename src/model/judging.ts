/**
 * Questions to a judge and what became of them: the words that scoring (which renders a request and weighs its answer), the store (which
 * keeps both) and asking (which calls models) share. All of it is plain JSON: it waits in the store and goes between threads.
 */
export interface JudgedCriterion {
  readonly name: string;
  readonly question: string;
  /** Set where single steps are graded, and the answer is whether their grades add up to enough. */
  readonly graded?: GradedSteps;
}

export interface GradedSteps {
  /** Questions that are put to the judge. */
  readonly steps: readonly { readonly number: number; readonly weight: number }[];
  /** The weight of steps that were not made: they are 0, and nobody is asked. */
  readonly missing: number;
  /** The least that is a pass, in millionths of the whole weight. */
  readonly atLeast: number;
}

/** A question to a model, complete: a call, or as many as there are votes. */
export interface JudgeRequest {
  /**
   * The SHA-256, in hex, of everything that can change the answer: the questions, the model and its parameters, the evidence shown. Two
   * conversations that look the same to the judge have one request.
   */
  readonly key: string;
  /** The judge by its name in the configuration. */
  readonly judge: string;
  readonly suite: string;
  readonly suiteVersion: string;
  /** Questions in the order in which they are asked. */
  readonly criteria: readonly JudgedCriterion[];
  /** Instructions to the judge, and the questions; nothing in it comes from spans. */
  readonly instructions: string;
  /** The conversation as data, as far as it fits, and a fixed sentence after it. */
  readonly material: string;
  /** An estimate, on the safe side, of what instructions and material come to. */
  readonly inputTokens: number;
  /** Description of what did not fit; empty if all did. */
  readonly cut: string;
  /** Questions with a lower priority are left out first if the budget is short. */
  readonly priority: number;
}

export interface JudgedAnswer {
  readonly criterion: string;
  readonly pass: boolean;
  /** The judge's own, in one sentence; it is untrusted text. */
  readonly reason: string;
  /** Quotation from the material. Each was found there. */
  readonly quotes: readonly string[];
  /** How many more it gave that are not in the material. Absent where there are none. */
  readonly invented?: number;
  /** How many of the votes said yes. */
  readonly votes: { readonly yes: number; readonly of: number };
  /** Grade of each step that was put to the judge, if steps were. */
  readonly grades?: readonly StepGrade[];
}

export interface Grade {
  readonly score: 1 | 0.5 | 0;
  /** The judge's own, in one sentence; it is untrusted text. */
  readonly reason: string;
}

export interface StepGrade extends Grade {
  /** The step's in the golden trace. */
  readonly number: number;
  /** Absent where there was one vote. */
  readonly otherVotes?: readonly Grade[];
}

/** Whether it gave quotes of which none is in the material. */
export function isUnsupported({ quotes, invented = 0 }: Pick<JudgedAnswer, 'quotes' | 'invented'>): boolean {
  return quotes.length === 0 && invented > 0;
}

export const JUDGE_FAILURES = [
  'unreachable',
  'timeout',
  'rate-limited',
  'server-error',
  'authentication',
  'quota',
  'refused',
  'bad-answer',
  'bad-request',
] as const;
/** `refused`: the model would not answer. `bad-answer`: what it said can't be parsed, or is cut. `bad-request`: it is our mistake. */
export type JudgeFailure = (typeof JUDGE_FAILURES)[number];

export const JUDGE_OMISSIONS = ['over-budget', 'too-late', 'sampled-out', 'not-configured'] as const;
export type JudgeOmission = (typeof JUDGE_OMISSIONS)[number];

/** The end of a request. Only `answered` is kept for others that ask the same. */
export type JudgeOutcome =
  | { readonly is: 'answered'; readonly answers: readonly JudgedAnswer[]; readonly model: string }
  /** The verdicts become `error`. */
  | { readonly is: 'failed'; readonly failure: JudgeFailure; readonly reason: string }
  /** The question was not asked; the verdicts become `skipped`. */
  | { readonly is: 'left-out'; readonly because: JudgeOmission; readonly reason: string };
