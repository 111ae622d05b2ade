/**
 * Findings of an evaluation beyond its verdicts, by the matching golden trace:
 *
 *     lucky_path           the answer is right, and the way to it was not
 *     silent_inefficiency  the answer is right, and took more steps or tokens than the trace allows
 *
 * Both need a trace that says what a right answer is.
 */
import type { Finding } from '../../model/evaluation.ts';
import { toReason } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { inWords } from './describe-comparison.ts';
import { assessRun, outputMistake, overBudget, type SuiteParts } from './assess-run.ts';

export function trajectoryFindings(subject: Subject, parts: SuiteParts): readonly Finding[] {
  const { golden } = parts;
  if (golden === undefined) return [];
  const { trace } = golden.choose(subject);
  if (trace === undefined || trace.output.contains.length + trace.output.matches.length === 0) return [];
  if (outputMistake(trace, subject) !== undefined) return [];
  const findings: Finding[] = [];
  const judged = assessRun(trace, subject, { ...parts, golden });
  if (typeof judged !== 'string' && judged.first !== undefined) {
    const reason = toReason(
      `The answer is that of golden trace ${trace.id}, the way to it is not: ${inWords(judged.first)}.`,
    );
    const { spanId } = judged.first;
    findings.push({ finding: 'lucky_path', reason, evidence: spanId === undefined ? [] : [spanId] });
  }
  const over = overBudget(trace, subject);
  if (over !== undefined && over !== 'unknown') {
    const reason = `The answer is that of golden trace ${trace.id}, and took ${over}.`;
    findings.push({ finding: 'silent_inefficiency', reason, evidence: [subject.turn.rootSpanId] });
  }
  return findings;
}
