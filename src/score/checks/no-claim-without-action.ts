/**
 * Is what the answer says to be done really done? "I have refunded 30 euros", "Your booking has been cancelled" take a call that did it: one
 * that succeeded, of a tool that changes something or of which it is not known that it only reads. Calls of earlier turns count, as far as the
 * messages show them.
 *
 * "It has been cancelled" may be a report of what a tool looked up. It is held against the agent where a call that changes something failed,
 * or where no tool was asked at all. Of an agent whose spans hold no tool call, "I have updated the code below" may be true: only what
 * cannot be done by answering (to book, refund, send, …) is looked at.
 *
 * A rule of thumb: it does not see that another action was done than the one that is claimed.
 */
import { z } from 'zod';
import type { ToolCall } from '../../model/turn.ts';
import { notApplicable } from '../answer.ts';
import { toolsDoneBefore } from '../earlier-messages.ts';
import { hasFailed } from '../failed-call.ts';
import { LANGUAGE_NOT_KNOWN, readingOf } from '../language/read-answer.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { NO_ANSWER } from './answer-says-something.ts';
import { builtInCheck } from './built-in-check.ts';

/** Frameworks that hand in the answer by a tool. */
const GIVES_ANSWER = /^(?:final|submit)_?answer$/i;
/** What can be done by answering, in the languages of the phrases. */
const DONE_BY_ANSWERING =
  /\b(?:fix|updat|chang|modif|add|creat|complet|correct|remov|replac|confirm|saved|aktualisier|geänder|angepass|hinzugefüg|erstell|behob|korrigier|entfern|ersetz|actualic|cambi|corr[ie]g|añad|agreg|cre[éa]|elimin|arregl|solucion|corrig|ajout|supprim|atualiz|alter|adicion|cri[eai]|remov)|修正|更新|変更|作成|追加|削除|完了|修改|创建|添加|删除|完成|修复/u;

export const noClaimWithoutAction = builtInCheck({
  summary: 'what the answer claims to have done, a call that succeeded did',
  params: z.strictObject({}),
  needs: ['final_answer'],
  make: () => (subject) => {
    const { turn, toolCalls } = subject;
    if (turn.finalAnswer.text.trim() === '') return NO_ANSWER;
    const reading = readingOf(turn);
    if (reading === undefined) return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
    const { claims, claim = '' } = reading;
    if (claims === undefined) return { pass: true, reason: 'The answer claims no action.' };
    const calls = toolCalls.filter(({ name }) => !GIVES_ANSWER.test(name));
    const did = [...calls.filter(isDone).map(({ name }) => name), ...toolsDoneBefore(turn)];
    if (did.some((name) => mayChange(name, subject)))
      return { pass: true, reason: 'What the answer claims, a call may have done.' };
    if (turn.flags.includes('partial-trace'))
      return notApplicable('The trace is partial: the call may not have been recorded.');
    const failed = calls.findLast((call) => hasFailed(call) && mayChange(call.name, subject));
    const hasLooked = did.length > 0;
    if (failed === undefined && claims === 'stated' && hasLooked) {
      return { pass: true, reason: 'What the answer says to be done may be what a tool found out.' };
    }
    if (calls.length === 0 && !hasLooked && DONE_BY_ANSWERING.test(claim)) {
      return notApplicable('No tool was called, and what the answer claims may be in the answer itself.');
    }
    const because = failed === undefined ? 'no call did it' : `${toExcerpt(failed.name)} failed`;
    return {
      pass: false,
      reason: `The answer claims "${toExcerpt(claim)}", and ${because}.`,
      evidence: [failed?.spanId ?? failed?.requestedBy ?? turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId],
    };
  },
});

/** A call whose end was not recorded may have done it. */
function isDone(call: ToolCall): boolean {
  return !hasFailed(call);
}

function mayChange(tool: string, subject: Subject): boolean {
  const effect = subject.effectOf(tool);
  return effect === 'writes' || effect === 'unknown';
}
