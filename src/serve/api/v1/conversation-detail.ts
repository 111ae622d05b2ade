/**
 * `GET /api/v1/conversations/{conversation...}`: all that is known of one conversation, in one bounded answer.
 * `GET /api/v1/text/{conversation...}`: a text of it that was too long for that.
 */
import { type KeptReading, outcomesAmong } from '../../../model/readings.ts';
import {
  type ConversationDetail,
  conversationDetail,
  conversationDetailQuery,
  wholeText,
  wholeTextQuery,
} from '../../../api/conversation-detail.ts';
import { type ConversationCost, costOfTurns, PriceTable } from '../../../model/cost.ts';
import { subAgentsBySpan, subAgentsOf } from '../../../model/sub-agents.ts';
import { splitsPair } from '../../../model/surrogate-pairs.ts';
import { subAgentJson } from '../../../report/documents/sub-agents-json.ts';
import { isoTime } from './iso-time.ts';
import { present } from '../../../model/present.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { noSuchConversation } from './no-such-conversation.ts';
import { conversationItemOf } from './conversation-item.ts';
import { fullEvaluations, labelsJson } from './full-evaluations.ts';
import { shownFeedbackOf } from './shown-feedback.ts';
import { storedTurns } from './stored-turns.ts';
import { textIn, transcriptJson } from './transcript-json.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const EVALUATIONS_MAX = 200;
const LABELS_MAX = 1_000;

export const getConversationDetail = v1Read({
  path: '/api/v1/conversations/{conversation...}',
  summary: `one conversation whole: its turns and steps, verdicts of every revision, labels, truth and outcomes
?provenance=true (which rule decided each field of each step)`,
  query: conversationDetailQuery,
  answer: conversationDetail,
  read: async (side: V1Side, query, parameters) => {
    const { reader, suites } = side;
    const id = parameters.get('conversation') ?? '';
    const row = await reader.find(id);
    if (row === undefined) return new Refusal(noSuchConversation(id));
    const every = { revisions: 'all' } as const;
    const live = (await reader.pages.evaluations([row], { ...every, of: 'live' })).get(row.row) ?? [];
    const inShadow = (await reader.pages.evaluations([row], { ...every, of: 'shadow' })).get(row.row) ?? [];
    const last = live.filter(({ isLast }) => isLast);
    const stored = await storedTurns(side, row);
    const prices = new PriceTable(side.prices);
    const conversation = { agent: { name: row.agent, id: undefined, version: undefined }, turns: stored.turns };
    const bySpan = subAgentsBySpan(conversation);
    const { turns, stepsLeftOut } = transcriptJson(stored.turns, {
      traces: stored.traces,
      provenance: query.provenance === 'true',
    });
    const shown = { live: live.slice(-EVALUATIONS_MAX), inShadow: inShadow.slice(-EVALUATIONS_MAX) };
    const truth = await reader.truthOf(row);
    const readings = await reader.readingsOf(row);
    const feedback = await reader.feedbackOf(row);
    return {
      ...conversationItemOf(row, last, suites()),
      turn_list: turns,
      sub_agents: subAgentsOf(conversation, prices).map(subAgentJson),
      steps_left_out: stepsLeftOut,
      evaluations_full: [shown.live, shown.inShadow].flatMap((read) => fullEvaluations(read, suites(), bySpan)),
      evaluations_left_out: live.length + inShadow.length - shown.live.length - shown.inShadow.length,
      golden_suites: suites()
        .filter(
          ({ name, goldenTraces }) => goldenTraces > 0 && last.some(({ evaluation }) => evaluation.suite === name),
        )
        .map(({ name }) => name),
      ...(truth === undefined ? {} : { truth }),
      feedback_list: shownFeedbackOf(feedback),
      outcomes: outcomesAmong(readings).map(({ label, isGood, value, case: ofCase }) => ({
        name: label,
        good: isGood,
        ...(value === undefined ? {} : { value }),
        ...(ofCase === undefined ? {} : { case: ofCase }),
      })),
      readings: readingsJson(readings),
      cost: costJson(costOfTurns(stored.turns, prices)),
      labels: labelsJson(await reader.pages.labelsOf(row, LABELS_MAX)),
      content: stored.content,
      ...(stored.note === undefined ? {} : { content_note: stored.note }),
    };
  },
});

function readingsJson(readings: readonly KeptReading[]): ConversationDetail['readings'] {
  return readings.flatMap(({ source, by, answer, at, firstWrong, kind, note }) =>
    source === 'outcome'
      ? []
      : [{ by, source, answer, at: isoTime(at), ...present({ first_wrong: firstWrong, kind, note }) }],
  );
}

function costJson({ usd, source, modelsWithoutPrice }: ConversationCost): ConversationDetail['cost'] {
  return { ...(usd === undefined ? {} : { usd }), source, models_without_price: modelsWithoutPrice };
}

export const getWholeText = v1Read({
  path: '/api/v1/text/{conversation...}',
  summary: `?of= (a step_id or turn_id) &field= &from= &length= one text of a conversation, whole or in parts, where its
transcript cuts it`,
  query: wholeTextQuery,
  answer: wholeText,
  read: async (side: V1Side, { of, field, from, length }, parameters) => {
    const id = parameters.get('conversation') ?? '';
    const row = await side.reader.find(id);
    if (row === undefined) return new Refusal(noSuchConversation(id));
    const text = textIn((await storedTurns(side, row)).turns, of, field);
    if (text === undefined)
      return new Refusal(
        jsonAnswer(404, {
          error: `${field} of ${JSON.stringify(of)} is not there: it was not recorded, or is not kept`,
        }),
      );
    const begin = splitsPair(text, from) ? from + 1 : Math.min(from, text.length);
    const end = Math.min(from + length, text.length);
    const part = text.slice(begin, splitsPair(text, end) ? end - 1 : end);
    return {
      from: begin,
      text: part.toWellFormed(),
      characters: text.length,
      whole: part.length === text.length,
    };
  },
});
