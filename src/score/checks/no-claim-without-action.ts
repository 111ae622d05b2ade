/**
 * Is what the answer says to be done really done? "I have refunded 30 euros", "Your booking has been cancelled" take a call that did it: one
 * that succeeded, of a tool that changes something or of which it is not known that it only reads. "I have passed this on to a colleague"
 * takes such a call, or one that hands over. Calls of earlier turns count, as far as the messages show them.
 *
 * "It has been cancelled" may be a report of what was looked up: where a tool or a retrieval speaks of such an action (`actions.ts`), and no
 * call that changes something failed. What was looked up and not recorded may have spoken of it.
 *
 * Of an agent whose spans hold no tool call, "I have updated the code below" may be true: what can be done by answering is not held against
 * it, unless it is said of what is kept elsewhere, such as an account or a ticket.
 *
 * A rule of thumb: it does not see that another action was done than the one that is claimed.
 */
import { z } from 'zod';
import type { Content } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { type Answer, notApplicable } from '../answer.ts';
import { resultsBefore, toolsDoneBefore } from '../earlier-messages.ts';
import { actionsIn, speaksOf } from '../language/actions.ts';
import { type AnswerReading, LANGUAGE_NOT_KNOWN, readingOf } from '../language/read-answer.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { NO_ANSWER } from './answer-says-something.ts';
import { builtInCheck } from './built-in-check.ts';

/** Frameworks that hand in the answer by a tool. */
const GIVES_ANSWER = /^(?:final|submit)_?answer$/i;
/** What can be done by answering, in the languages of the phrases. */
const DONE_BY_ANSWERING =
  /\b(?:fix|updat|chang|modif|add|creat|complet|correct|remov|replac|confirm|saved|aktualisier|geänder|angepass|hinzugefüg|erstell|behob|korrigier|entfern|ersetz|actualic|cambi|corr[ie]g|añad|agreg|cre[éa]|elimin|arregl|solucion|corrig|ajout|supprim|atualiz|alter|adicion|cri[eai]|remov)|修正|更新|変更|作成|追加|削除|完了|修改|创建|添加|删除|完成|修复/u;
/** No answer holds these: they are kept in a system. */
const KEPT_ELSEWHERE =
  /(?<!\p{L})(?:ticket|account|booking|reservation|appointment|subscription|refund|payment|your (?:order|address|card|plan|flight|case|profile|password)|buchung|reservierung|termin|konto|abo|bestellung|erstattung|zahlung|adresse|passwort|cuenta|reserva|cita|suscripción|pedido|reembolso|pago|contraseña|compte|réservation|rendez-vous|abonnement|commande|remboursement|paiement|conta|consulta|assinatura|estorno|pagamento|senha|chamado)(?!\p{L})|チケット|アカウント|口座|予約|返金|住所|注文|工单|账户|预订|退款|地址|订单/u;
const FOUND_TEXT_MAX = 20_000;
/** Beside "Done!", so much text may be what was asked for. */
const ANSWER_HOLDS_MORE_FROM = 200;

export const noClaimWithoutAction = builtInCheck({
  summary: 'what the answer claims to have done, a call that succeeded did',
  params: z.strictObject({}),
  needs: ['final_answer'],
  make: () => (subject) => {
    const { turn } = subject;
    if (turn.finalAnswer.text.trim() === '') return NO_ANSWER;
    const reading = readingOf(turn);
    if (reading === undefined) return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
    const calls = subject.toolCalls.filter(({ name }) => !GIVES_ANSWER.test(name));
    if (reading.claim === undefined) return withoutClaim(reading, calls, subject);
    const did = [...calls.filter((call) => !subject.hasFailed(call)).map(({ name }) => name), ...toolsDoneBefore(turn)];
    if (did.some((name) => mayDo(name, reading, subject)))
      return { pass: true, reason: 'What the answer claims, a call may have done.' };
    if (turn.flags.includes('partial-trace'))
      return notApplicable('The trace is partial: the call may not have been recorded.');
    const failed = calls.findLast((call) => subject.hasFailed(call) && mayDo(call.name, reading, subject));
    if (failed === undefined) {
      const report = reading.claims === 'stated' ? reportOf(reading, calls, subject) : undefined;
      if (report !== undefined) return report;
      if (did.length === 0 && calls.length === 0 && mayBeTheAnswer(reading, turn))
        return notApplicable('No tool was called, and what the answer claims may be in the answer itself.');
    }
    const because = failed === undefined ? 'no call did it' : `${toExcerpt(failed.name)} failed`;
    return {
      pass: false,
      reason: `The answer claims "${toExcerpt(reading.claim)}", and ${because}.`,
      evidence: [failed?.spanId ?? failed?.requestedBy ?? lastModelCall(turn)],
    };
  },
});

/** "I am connecting you with a colleague" claims nothing yet, unless the call that should do it failed. */
function withoutClaim(reading: AnswerReading, calls: readonly ToolCall[], subject: Subject): Answer {
  const tried = calls.filter(({ name }) => subject.effectOf(name) === 'hands_over');
  const failed = tried.findLast((call) => subject.hasFailed(call));
  const isOnlyTried = failed !== undefined && tried.every((call) => subject.hasFailed(call));
  if (!isOnlyTried || !reading.handsOver || reading.admitsTrouble)
    return { pass: true, reason: 'The answer claims no action.' };
  return {
    pass: false,
    reason: `The answer says that a person takes over, and ${toExcerpt(failed.name)} failed.`,
    evidence: [failed.spanId ?? failed.requestedBy],
  };
}

function mayDo(tool: string, { claimsHandOver }: AnswerReading, subject: Subject): boolean {
  const effect = subject.effectOf(tool);
  return effect === 'writes' || effect === 'unknown' || (claimsHandOver && effect === 'hands_over');
}

/** Undefined where nothing that was looked up speaks of what is claimed. */
function reportOf(
  { claim = '', claimWords = '' }: AnswerReading,
  calls: readonly ToolCall[],
  subject: Subject,
): Answer | undefined {
  const said = actionsIn(claimWords);
  const actions = said.size > 0 ? said : actionsIn(claim);
  const found = foundIn(calls, subject);
  if (found.some(({ text }) => speaksOf(text.slice(0, FOUND_TEXT_MAX), actions)))
    return { pass: true, reason: 'What the answer says to be done may be what a tool found out.' };
  const isKnown = found.every(({ state, text }) => state === 'whole' && text.length <= FOUND_TEXT_MAX);
  return isKnown || actions.size === 0
    ? undefined
    : notApplicable('What was looked up is not recorded as a whole: it may say what the answer does.', 'not_recorded');
}

/** What tools that did not fail and retrievals gave. */
function foundIn(calls: readonly ToolCall[], subject: Subject): readonly Content[] {
  const { turn } = subject;
  return [
    ...calls.filter((call) => !subject.hasFailed(call)).map(({ result }) => result),
    ...turn.steps.filter(({ kind }) => kind === 'retrieval').map(({ output }) => output),
    ...resultsBefore(turn),
  ];
}

function mayBeTheAnswer(
  { claim = '', claimWords = '', claimsHandOver }: AnswerReading,
  { finalAnswer }: Turn,
): boolean {
  const plain = claim.toLowerCase();
  if (claimsHandOver || KEPT_ELSEWHERE.test(plain)) return false;
  const isVague = actionsIn(claimWords).size === 0 && actionsIn(plain).size === 0;
  return DONE_BY_ANSWERING.test(plain) || (isVague && finalAnswer.text.length >= ANSWER_HOLDS_MORE_FROM);
}

function lastModelCall(turn: Turn) {
  return turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId;
}
