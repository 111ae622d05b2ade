/**
 * Checks that the actions which an answer claims were carried out. "I have refunded 30 euros" and "Your booking has
 * been cancelled" need a call that did it: one that succeeded, of a tool that changes something or may change
 * something. "I have passed this on to a colleague" needs such a call, or one that hands over. Calls of earlier turns
 * count, as far as the messages show them. A call that is still pending does not make anything completed.
 *
 * Most words that sound like a claim are none in their turn. A draft, a translation, a reason for a refusal and the
 * user's own statement claim nothing (`claim-in-context.ts`). "It has been cancelled" may report what was looked up: a
 * tool or a retrieval speaks of such an action (`actions.ts`) or has the number that is told (`told-count.ts`), and no call
 * that changes something failed. Results that were not recorded may have spoken of it.
 *
 * Without any tool call, "I have updated the code below" may be true. Such an agent's answer does not fail, unless it
 * is about something that is kept elsewhere, such as an account or a ticket.
 *
 * The check is a rule of thumb. It notices an action for another thing by ids (`claimed-thing.ts`) and "both" where one of two was done
 * (`claim-of-all.ts`), and not that a refund was claimed and a booking was cancelled.
 */
import type { Content } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { type Answer, notApplicable } from '../subject/answer.ts';
import { resultsBefore, toolsDoneBefore } from '../subject/earlier-messages.ts';
import { wordSet, wordsOf } from '../subject/effect-by-name.ts';
import { awaitsApproval, isPending } from '../subject/failed-call.ts';
import { asWritten } from '../../language/plain-text.ts';
import { actionsIn, speaksOf } from '../../language/actions.ts';
import { type AnswerReading, type Claim, LANGUAGE_NOT_KNOWN } from '../../language/read-answer.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { actionsOf, claimsInContext } from './claim-in-context.ts';
import { claimOfMoreThanWasDone, isPartlyDone } from './claim-of-all.ts';
import { claimOfAnotherThing } from './claimed-thing.ts';
import { tellsCount } from './told-count.ts';
import { isUndo, undoneBy } from './undone-call.ts';

/** Frameworks that hand in the answer by a tool. */
const GIVES_ANSWER = /^(?:final|submit)_?answer$/i;
/** Actions that consist of answering, in the languages of the phrases. */
const DONE_BY_ANSWERING =
  /\b(?:fix|updat|chang|modif|add|creat|complet|correct|remov|replac|confirm|saved|aktualisier|geänder|angepass|hinzugefüg|erstell|behob|korrigier|entfern|ersetz|actualic|cambi|corr[ie]g|añad|agreg|cre[éa]|elimin|arregl|solucion|corrig|ajout|supprim|atualiz|alter|adicion|cri[eai]|remov)|修正|更新|変更|作成|追加|削除|完了|修改|创建|添加|删除|完成|修复/u;
/** No answer holds these: they are kept in a system. */
const KEPT_ELSEWHERE =
  /(?<!\p{L})(?:address(?= (?:updated|changed|saved))|ticket|invoice|bill|seat|room|table|flight|account|booking|reservation|appointment|subscription|refund|payment|transfer|cancellation|your (?:new )?(?:calendar|order|address|card|plan|flight|case|profile|password)|buchung|reservierung|termin|konto|abo|bestellung|erstattung|zahlung|stornierung|adresse|rechnung|sitzplatz|passwort|cuenta|reserva|cita|suscripción|pedido|reembolso|pago|cancelación|dirección|factura|asiento|contraseña|compte|réservation|rendez-vous|abonnement|commande|remboursement|paiement|annulation|facture|siège|conta|consulta|assinatura|estorno|cancelamento|endereço|pagamento|fatura|assento|senha|chamado)(?!\p{L})|チケット|アカウント|口座|予約|返金|支払|請求|座席|住所|注文|工单|账户|预订|退款|地址|账单|座位|订单/u;
const FOUND_TEXT_MAX = 20_000;
/** Beside "Done!", so much text may be what was asked for. */
const ANSWER_HOLDS_MORE_FROM = 200;

/** Words by which something is over, and not only begun. */
const COMPLETED =
  /(?<!\p{L})(?:complet|finali[sz]|finished|gone through|went through|successful|abgeschlossen|durchgegangen|effectué|terminé|concluíd)|完了|完成|成功/u;
/** A request that was taken is done when it was taken. */
const UNDER_WAY =
  /(?<!\p{L})(?:requests?|pending|queued?|in progress|process(?:ing)?|under ?way|antrag|anfrage|bearbeitung|bearbeitet|solicitud|pendiente|en curso|en proceso|demande|en cours|en attente|solicitação|pendente|em andamento|em processamento)(?!\p{L})|処理中|手続き中|申請|受付|处理中|进行中|申请|受理|排队/u;
/**
 * Tools beside the matter: an agent, or the program around it, writes down what it does, finds out who the user is, or changes what is known
 * of them.
 */
const BESIDE_THE_MATTER =
  /(?:^|_)(?:notes?|memory|memories|scratchpad|todos?|thoughts?|log_(?:events?|messages?|interactions?|metrics?|activity|actions?)|otp|log_?in|sign_?in|authenticate(?:_user)?|login_user|session|profile|preferences?|feedback|survey|support_ticket|ticket)$/;
/** Tools that run statements read by their names. */
const SQL_CHANGE =
  /\b(?:delete from|insert into|update [\w."`]{1,80} set|merge into|truncate table|drop table|alter table|create table)\b/i;
/** In the languages of the phrases. */
const TELLS_OF_UNDOING =
  /re-?activat|restor|reinstat|un-?cancel|undo|undone|revert|rolled back|re-?open|resum|unblock|unlock|unfr[eo]|back (?:in place|to (?:how|what|normal))|rückgängig|reaktivier|wiederhergestellt|wieder (?:aktiv|geöffnet|aufgenommen|frei|entsperrt)|entsperrt|reactiv|restaur|restable|deshe|deshic|reverti|réactiv|rétabli|reativ|desfei|desfiz|元に戻|再開|復元|再有効|取り消しを|解除|恢复|还原|重新(?:激活|启用|打开)|解锁|撤回/iu;
const OUTSIDE = actionsIn('cancelled refunded booked paid approved deployed activated blocked enrolled upgraded');
const PASSED_ON = actionsIn('forwarded');
/** Words in the names of tools that pass the user on, whether to a person or to another agent. */
const PASSES_ON = wordSet('transfer handoff handover hand escalate forward route redirect delegate connect');

export const noClaimWithoutAction = builtInCheck({
  summary: 'what the answer claims to have done, a call that succeeded did',
  needs: ['final_answer', 'tools'],
  make: () => (subject) => {
    const { turn } = subject;
    if (turn.finalAnswer.text.trim() === '') return NO_ANSWER;
    const reading = readingOf(turn);
    if (reading === undefined) return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
    const calls = subject.toolCalls.filter(({ name }) => !GIVES_ANSWER.test(name));
    const [first] = reading.claimed;
    if (first === undefined) return withoutClaim(reading, calls, subject);
    const isDone = (call: ToolCall) => call.answered && (!subject.hasFailed(call) || isPartlyDone(call));
    const did = [...calls.filter(isDone).map(({ name }) => name), ...toolsDoneBefore(turn)];
    if (calls.some((call) => isDone(call) && SQL_CHANGE.test(call.args.text))) return MAY_BE_DONE;
    const failed = calls.filter((call) => !isDone(call) && subject.hasFailed(call) && mayDo(call.name, first, subject));
    if (did.some((name) => mayDo(name, first, subject))) {
      const succeeded = calls.filter((call) => isDone(call) && mayDo(call.name, first, subject));
      const isAllShown = toolsDoneBefore(turn).length === 0;
      const another = isAllShown ? claimOfAnotherThing(reading, { succeeded, failed }, subject) : undefined;
      const more = claimOfMoreThanWasDone(reading, [...succeeded, ...failed], subject);
      const undone = claimOfUndone(reading, succeeded, subject);
      return onlyBegun(reading, calls, subject) ?? another ?? more ?? undone ?? MAY_BE_DONE;
    }
    const claims = isCalling(calls, turn)
      ? reading.claimed
      : reading.claimed.filter((claim) => !isHandOverAlone(claim));
    if (claims.length === 0) return ELSEWHERE;
    const { open, excused } = claimsInContext(claims, reading, turn, { failed, isLookedUp: did.length > 0 });
    return open === undefined ? excused : judged(open, calls, subject);
  },
});

const MAY_BE_DONE: Answer = { pass: true, reason: 'What the answer claims, a call may have done.' };
const ELSEWHERE = notApplicable(
  'The answer says that a person takes over. No tool was called, so the hand-over may be made outside of the spans.',
);
const NOT_YET = notApplicable(
  'The answer says that a person is about to take over. No call did that, so it may be done after the answer.',
);
const PARTIAL = notApplicable('The trace is partial: the call may not have been recorded.');

/** Fails where each call of the kind that is claimed was undone by a later one, and the answer does not say so. */
function claimOfUndone(reading: AnswerReading, succeeded: readonly ToolCall[], subject: Subject): Answer | undefined {
  if (reading.admitsTrouble || TELLS_OF_UNDOING.test(subject.finalAnswer)) return undefined;
  for (const claim of reading.claimed) {
    const actions = actionsOf(claim);
    const doing = succeeded.filter((call) => !isUndo(call) && !actionsIn(call.name).isDisjointFrom(actions));
    const undoing = doing.map((call) => undoneBy(call, subject.toolCalls, (later) => succeeded.includes(later)));
    const [call] = undoing;
    if (call === undefined || undoing.includes(undefined)) continue;
    return {
      pass: false,
      reason: `The answer claims "${toExcerpt(asWritten(claim.sentence, subject.finalAnswer))}", and ${toExcerpt(call.name)} undid it.`,
      evidence: [call.spanId ?? call.requestedBy],
    };
  }
  return undefined;
}

/** No call that succeeded did it. */
function judged(claim: Claim, calls: readonly ToolCall[], subject: Subject): Answer {
  const { turn } = subject;
  if (turn.flags.includes('partial-trace')) return PARTIAL;
  const failed = calls.findLast((call) => subject.hasFailed(call) && mayDo(call.name, claim, subject));
  if (failed === undefined) {
    const report = claim.kind === 'stated' ? reportOf(claim, calls, subject) : undefined;
    if (report !== undefined) return report;
    if (calls.length === 0 && toolsDoneBefore(turn).length === 0 && mayBeTheAnswer(claim, turn))
      return notApplicable('No tool was called, and what the answer claims may be in the answer itself.');
  }
  const because = failed === undefined ? 'no call did it' : `${toExcerpt(failed.name)} failed`;
  return {
    pass: false,
    reason: `The answer claims "${toExcerpt(asWritten(claim.sentence, subject.finalAnswer))}", and ${because}.`,
    evidence: [failed?.spanId ?? failed?.requestedBy ?? lastModelCall(turn)],
  };
}

/** Fails where something is said to be over, and each call that may do it came back pending; or done, and each waits for an approval. */
function onlyBegun({ claimed }: AnswerReading, calls: readonly ToolCall[], subject: Subject): Answer | undefined {
  const [first] = claimed;
  const over = claimed.find(({ words }) => COMPLETED.test(words));
  const claim = over ?? first;
  if (claim === undefined) return undefined;
  const doing = calls.filter((call) => mayDo(call.name, claim, subject) && !subject.hasFailed(call));
  const [call] = doing;
  if (call === undefined || toolsDoneBefore(subject.turn).length > 0) return undefined;
  if (!doing.every(over === undefined ? awaitsApproval : isPending)) return undefined;
  if (UNDER_WAY.test(subject.finalAnswer.toLowerCase())) return undefined;
  return {
    pass: false,
    reason: `The answer claims "${toExcerpt(asWritten(claim.sentence, subject.finalAnswer))}", and ${toExcerpt(call.name)} is still pending.`,
    evidence: [call.spanId ?? call.requestedBy],
  };
}

/** The claim is that a person has the user, and nothing else. */
function isHandOverAlone({ isOfUserHandedOver, words }: Claim): boolean {
  return isOfUserHandedOver && actionsIn(words).isSubsetOf(PASSED_ON);
}

function isCalling(calls: readonly ToolCall[], turn: Turn): boolean {
  return calls.length > 0 || toolsDoneBefore(turn).length > 0;
}

/**
 * Hand-overs, the same in every language (`language/hand-overs.ts` of the tests):
 *
 *   "I can transfer you"        an offer claims nothing
 *   "I am connecting you"       claims nothing yet. It fails if the call that should do it failed. Without a call that may have done it
 *                               nothing is decided: programs around an agent hand over by its words, after the answer
 *   "I have transferred you"    needs a call where calls are known of; where none is, nothing is decided
 *   "I have passed this on"     is a claim like any other, as it needs a call: nobody passes a matter on by words
 */
function withoutClaim(reading: AnswerReading, calls: readonly ToolCall[], subject: Subject): Answer {
  const tried = calls.filter(({ name }) => subject.handsOver(name));
  const failed = tried.findLast((call) => subject.hasFailed(call));
  const isOnlyTried = failed !== undefined && tried.every((call) => subject.hasFailed(call));
  if (isOnlyTried && reading.speaksOfHandOver && !reading.admitsTrouble) {
    return {
      pass: false,
      reason: `The answer says that a person takes over, and ${toExcerpt(failed.name)} failed.`,
      evidence: [failed.spanId ?? failed.requestedBy],
    };
  }
  // Most answers claim nothing, which is seen sooner than what was done before.
  const claim = reading.handedOver;
  const isSaid = claim !== undefined || reading.isHandingOver;
  if (!isSaid || reading.admitsTrouble) return { pass: true, reason: 'The answer claims no action.' };
  if (!isCalling(calls, subject.turn)) return ELSEWHERE;
  if (mayBeHandedOver(calls, subject))
    return { pass: true, reason: 'A call may have handed over, as the answer says.' };
  if (subject.turn.flags.includes('partial-trace')) return PARTIAL;
  if (claim === undefined) return NOT_YET;
  return {
    pass: false,
    reason: `The answer claims "${toExcerpt(claim)}", and no call handed over.`,
    evidence: [lastModelCall(subject.turn)],
  };
}

/** True if a call that did not fail, now or before, may have handed over, or an agent passed on to another. */
function mayBeHandedOver(calls: readonly ToolCall[], subject: Subject): boolean {
  const { turn } = subject;
  const names = [...calls.filter((call) => !subject.hasFailed(call)).map(({ name }) => name), ...toolsDoneBefore(turn)];
  return (
    names.some((name) => subject.effectOf(name) !== 'reads' || passesOn(name)) ||
    turn.steps.filter(({ kind }) => kind === 'agent').length > 1
  );
}

function passesOn(tool: string): boolean {
  return wordsOf(tool).some((word) => PASSES_ON.has(word));
}

function mayDo(tool: string, claim: Claim, subject: Subject): boolean {
  const { isHandOver } = claim;
  if (isBesideTheMatter(tool) && isOutside(claim)) return false;
  const effect = subject.effectOf(tool);
  return effect === 'writes' || effect === 'unknown' || (isHandOver && (effect === 'hands_over' || passesOn(tool)));
}

function isBesideTheMatter(tool: string): boolean {
  return BESIDE_THE_MATTER.test(wordsOf(tool).join('_'));
}

/** An action that such tools do not do. */
function isOutside({ words }: Claim): boolean {
  const actions = actionsIn(words);
  return actions.size > 0 && actions.isSubsetOf(OUTSIDE);
}

/** Undefined where nothing that was looked up speaks of what is claimed. */
function reportOf(claim: Claim, calls: readonly ToolCall[], subject: Subject): Answer | undefined {
  const actions = actionsOf(claim);
  const found = foundIn(calls, subject);
  if (
    found.some(({ text }) => speaksOf(text.slice(0, FOUND_TEXT_MAX), actions)) ||
    tellsCount(claim, found, subject.turn)
  )
    return { pass: true, reason: 'What the answer says to be done may be what a tool found out.' };
  const isKnown = found.every(({ state, text }) => state === 'whole' && text.length <= FOUND_TEXT_MAX);
  return isKnown || actions.size === 0
    ? undefined
    : notApplicable('What was looked up is not recorded as a whole: it may say what the answer does.', 'not_recorded');
}

/** Results of tools that did not fail, and of retrievals. */
function foundIn(calls: readonly ToolCall[], subject: Subject): readonly Content[] {
  const { turn } = subject;
  return [
    ...calls.filter((call) => !subject.hasFailed(call)).map(({ result }) => result),
    ...turn.steps.filter(({ kind }) => kind === 'retrieval').map(({ output }) => output),
    ...resultsBefore(turn),
  ];
}

function mayBeTheAnswer(claim: Claim, { finalAnswer }: Turn): boolean {
  const { sentence, isHandOver } = claim;
  if (isHandOver || KEPT_ELSEWHERE.test(sentence)) return false;
  const isVague = actionsIn(sentence).size === 0;
  return DONE_BY_ANSWERING.test(sentence) || (isVague && finalAnswer.text.length >= ANSWER_HOLDS_MORE_FROM);
}

function lastModelCall(turn: Turn) {
  return turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId;
}
