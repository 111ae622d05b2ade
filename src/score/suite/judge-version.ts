/**
 * The version of a judge for one criterion. It changes with the question, its guidance, the evidence shown, the
 * criteria that share a call, the model or its parameters. It is the same for all conversations. That a neighbour does
 * not apply to one of them, or how many steps are graded there, makes no version of its own: people's labels would be
 * spread over too many.
 */
import { createHash } from 'node:crypto';
import type { CompiledCriterion } from './suite.ts';
import { instructionsFor } from '../judge/instructions.ts';
import { ANSWER_FORM } from '../judge/judge-request.ts';
import type { Judged } from '../judge/judged-criterion.ts';

const VERSION_LENGTH = 12;

export function judgeVersion(
  criteria: readonly CompiledCriterion[],
  { name, judged }: { readonly name: string; readonly judged: Judged },
  { fingerprint, evidenceTokens }: { readonly fingerprint: string; readonly evidenceTokens: number },
): string {
  const call = callKey(name, judged);
  const together = criteria.flatMap((other) => {
    if (other.judged === undefined || callKey(other.name, other.judged) !== call) return [];
    const { question, guidance } = other.judged;
    return [{ name: other.name, question, guidance }];
  });
  const instructions = instructionsFor(together);
  const parts = [ANSWER_FORM, fingerprint, instructions, name, judged.sees, judged.gradesAtLeast, evidenceTokens];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, VERSION_LENGTH);
}

/**
 * Questions with the same key are asked in one call: they see the same material, because a question would otherwise see
 * through another what it may not see.
 */
export function callKey(name: string, { shared, judge, sees }: Judged): string {
  return shared ? JSON.stringify([judge, sees]) : name;
}
