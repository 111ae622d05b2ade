/**
 * Finds parts of a golden trace that are valid and probably not intended: advice, while `read-golden.ts` finds
 * mistakes.
 */
import { forbidsExtras, type GoldenTrace, ordered } from './golden-trace.ts';

export function lintGolden(trace: GoldenTrace): readonly string[] {
  const { steps, output, mode, maxSteps, draft } = trace;
  const required = steps.filter((step) => step.required).length;
  const advice: string[] = [];
  if (draft) advice.push('it is a draft: no conversation is compared with it until `status: draft` is deleted');
  if (output.contains.length + output.matches.length === 0) {
    advice.push('it does not say what the answer contains: lucky paths are not found');
  }
  if (required === 0 && !forbidsExtras(mode)) {
    advice.push(`no step is required: in the mode ${mode} every run follows it`);
  }
  if (maxSteps === undefined && trace.maxTokens === undefined) {
    advice.push('it has no max_steps and no max_tokens: silent inefficiency is not found');
  }
  if (maxSteps !== undefined && maxSteps < required && mode !== 'subset') {
    advice.push(`max_steps is ${maxSteps}, and ${required} steps are required`);
  }
  if (mode === 'subset' && steps.some((step) => !step.required)) {
    advice.push('in the mode subset every step may be missing: `required: false` makes no difference');
  }
  if (!ordered(mode) && steps.some((step, index) => step.after.size !== index)) {
    advice.push(`the mode ${mode} does not look at the order: \`after\` and \`unordered\` make no difference`);
  }
  return advice;
}
