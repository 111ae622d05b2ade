/**
 * Material that a judge may see beside requests and answers: the agent's instructions, the steps of a kind, the
 * recorded state, the truth, the golden trace. Evaluators are no part of a conversation, and requests and answers are
 * always seen: without them there is nothing to judge.
 */
import { STEP_KINDS, type StepKind } from '../../model/step.ts';

export const SIGHTS = [
  'instructions',
  ...STEP_KINDS.filter((kind): kind is Exclude<StepKind, 'evaluator'> => kind !== 'evaluator'),
  'state',
  'truth',
  'golden',
] as const;
export type Sight = (typeof SIGHTS)[number];
