/** The verdict of a built-in check on a turn. */
import type { VerdictKind } from '../../../src/model/evaluation.ts';
import { BUILT_IN_CHECKS } from '../../../src/score/checks/built-in-checks.ts';
import { gapIn } from '../../../src/score/subject/needs.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { aConversation, aTurn, type TurnParts } from '../conversations.ts';

/** As a suite of scope turn asks it. */
export function verdictOf(check: string, parts: TurnParts): VerdictKind {
  const turn = aTurn(parts);
  const subject = subjectOf(aConversation([turn]), turn.id);
  const found = BUILT_IN_CHECKS.get(check);
  if (found === undefined) throw new Error(`no check ${check}`);
  if (gapIn(subject, found.needs) !== undefined) return 'not_applicable';
  const answer = found.make({})(subject);
  if (typeof answer === 'boolean') return answer ? 'pass' : 'fail';
  return 'notApplicable' in answer ? 'not_applicable' : answer.pass ? 'pass' : 'fail';
}
