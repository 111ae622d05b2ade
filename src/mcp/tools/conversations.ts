/** Tools about conversations: to find them, to read them, and to see why they have their verdicts. */
import { z } from 'zod';
import {
  type ConversationDetail,
  conversationDetail,
  TEXT_FIELDS,
  type TurnJson,
  wholeText,
} from '../../model/api/conversation-detail.ts';
import { conversationItem, conversationList } from '../../model/api/conversation-list.ts';
import { decisionOf, isBroken } from '../../model/decision.ts';
import { OUTCOMES } from '../../model/evaluation.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { bySeverity } from '../../model/severity.ts';
import { asked, ToolProblem } from '../asked-api.ts';
import { encoded, type RegisteredBy, tool } from '../tool.ts';
import { cutText } from '../tool-result.ts';

const FOUND_MAX = 20;
const SAID_MAX = 300;
const STEP_TEXT_MAX = 1_000;
const TRANSCRIPT_MAX = 12_000;
/** A suite that scores turns has an evaluation for each of them; the worst come first. */
const EXPLAINED_MAX = 10;
const VERDICTS_MAX = 50;
const FEEDBACK_MAX = 10;
const WHOLE_TEXT_MAX = 12_000;

const conversation = z.string().min(1).describe('a conversation_id');

const foundItem = conversationItem.omit({ segment: true, turns: true, revision: true });

const findConversations = tool({
  name: 'find_conversations',
  title: 'Find conversations',
  description: `Conversations of the agents under evaluation, with their evaluations and the criteria that failed, and why. Filter by agent,
version, suite, outcome, failed criterion, score, feedback of users, words and time; order=worst has the worst first. Read
one with explain_conversation and read_transcript.`,
  input: z.object({
    agent: z.array(z.string()).optional(),
    agent_version: z.array(z.string()).optional(),
    environment: z.array(z.string()).optional(),
    suite: z.array(z.string()).optional(),
    outcome: z.array(z.enum(OUTCOMES)).optional(),
    criterion: z.array(z.string()).optional().describe('criteria of which one has failed'),
    score_below: z.number().optional(),
    feedback: z.array(z.enum(POLARITIES)).optional().describe('what users said of it, taken together'),
    state: z.array(z.enum(['scored', 'open', 'waiting', 'unscored'])).optional(),
    since: z.string().optional().describe('changed since: 24h, 7d, or an ISO time'),
    until: z.string().optional(),
    words: z.string().optional().describe('words that were all said'),
    order: z.enum(['latest', 'worst']).default('latest'),
    limit: z.number().int().min(1).max(FOUND_MAX).default(10),
    cursor: z.string().optional().describe('next of the result before'),
  }),
  output: z.object({
    conversations: z.array(foundItem),
    next: z.string().nullable().describe('the cursor of the next page; null at the end'),
    looked_at: z.number(),
  }),
  run: async ({ api }, query) => {
    const list = await asked(api, { method: 'GET', path: '/api/v1/conversations', query }, conversationList);
    return {
      conversations: list.conversations.map(({ segment: _s, turns: _t, revision: _r, ...item }) => ({
        ...item,
        ...(item.asked === undefined ? {} : { asked: cutText(item.asked, SAID_MAX) }),
        ...(item.answered === undefined ? {} : { answered: cutText(item.answered, SAID_MAX) }),
      })),
      next: list.next,
      looked_at: list.looked_at,
    };
  },
});

const shownStep = z.object({
  step_id: z.string(),
  span_id: z.string().optional(),
  kind: z.string(),
  name: z.string(),
  agent: z.string().optional(),
  status: z.string(),
  error: z.string().optional(),
  arguments: z.string().optional(),
  result: z.string().optional(),
  input: z.string().optional(),
  output: z.string().optional(),
});
const shownTurn = z.object({
  turn_id: z.string(),
  asked: z.string().optional(),
  answered: z.string().optional(),
  error: z.string().optional(),
  steps: z.array(shownStep),
});

const shownFeedback = conversationDetail.shape.feedback_list
  .unwrap()
  .element.omit({ unclear: true, scale: true, user: true, trace_id: true, way: true });
const feedbackList = z
  .array(shownFeedback)
  .describe('what users said of it, the latest last; counts=false: the same user said something else later');

function feedbackOf({ feedback_list: all }: ConversationDetail): z.input<typeof feedbackList> {
  return all
    .slice(-FEEDBACK_MAX)
    .map(({ unclear: _unclear, scale: _scale, user: _user, trace_id: _trace, way: _way, comment, ...one }) => ({
      ...one,
      ...(comment === undefined ? {} : { comment: cutText(comment, STEP_TEXT_MAX) }),
    }));
}

const readTranscript = tool({
  name: 'read_transcript',
  title: 'Read a transcript',
  description: `One conversation turn by turn: what the user asked, each step of the agent (model, tools with arguments and results) and the
answer, and feedback of users (span_id: the answer it speaks of). Long texts are cut; read_text has one whole. Go on with
cursor until next is null.`,
  input: z.object({
    conversation,
    cursor: z
      .string()
      .regex(/^\d{1,6}\.\d{1,6}$/)
      .optional()
      .describe('next of the result before'),
  }),
  output: z.object({
    conversation_id: z.string(),
    agent: z.string(),
    agent_version: z.string(),
    content: conversationDetail.shape.content,
    content_note: z.string().optional(),
    turns: z.array(shownTurn).describe('a turn goes on where it has the turn_id of the one before'),
    feedback: feedbackList,
    next: z.string().nullable(),
    steps_left_out: z.number(),
  }),
  run: async ({ api }, { conversation: id, cursor = '0.0' }) => {
    const detail = await detailOf(api, id);
    const { turns, next } = pageOf(detail.turn_list, cursor);
    return {
      conversation_id: detail.conversation_id,
      agent: detail.agent,
      agent_version: detail.agent_version,
      content: detail.content,
      ...(detail.content_note === undefined ? {} : { content_note: detail.content_note }),
      turns,
      feedback: feedbackOf(detail),
      next,
      steps_left_out: detail.steps_left_out,
    };
  },
});

/** As many steps as fit, from the turn and the step of the cursor on. */
function pageOf(turns: readonly TurnJson[], cursor: string) {
  const [firstTurn = 0, firstStep = 0] = cursor.split('.').map(Number);
  const shown: z.input<typeof shownTurn>[] = [];
  let room = TRANSCRIPT_MAX;
  for (const [at, turn] of turns.entries()) {
    if (at < firstTurn) continue;
    const from = at === firstTurn ? firstStep : 0;
    const steps: z.input<typeof shownStep>[] = [];
    const { turn_id, asked: question, answered, error } = turn;
    if (from === 0) room -= question.length < STEP_TEXT_MAX ? question.length : STEP_TEXT_MAX;
    const head = from === 0 ? { asked: cutText(question, STEP_TEXT_MAX) } : {};
    for (const [place, step] of turn.steps.entries()) {
      if (place < from) continue;
      const one = shownStepOf(step);
      const length = JSON.stringify(one).length;
      if (length > room && shown.length + steps.length > 0) {
        if (steps.length > 0 || from === 0) shown.push({ turn_id, ...head, steps });
        return { turns: shown, next: `${at}.${place}` };
      }
      steps.push(one);
      room -= length;
    }
    room -= Math.min(answered.length, STEP_TEXT_MAX);
    const end = {
      answered: cutText(answered, STEP_TEXT_MAX),
      ...(error === undefined ? {} : { error: cutText(error, STEP_TEXT_MAX) }),
    };
    shown.push({ turn_id, ...head, ...end, steps });
    if (room <= 0 && at + 1 < turns.length) return { turns: shown, next: `${at + 1}.0` };
  }
  return { turns: shown, next: null };
}

function shownStepOf(step: TurnJson['steps'][number]): z.input<typeof shownStep> {
  const { step_id, span_id, kind, name, agent, status } = step;
  const texts = Object.fromEntries(
    (['error', 'arguments', 'result', 'input', 'output'] as const).flatMap((field) => {
      const value = step[field];
      if (value === undefined) return [];
      return [[field, cutText(typeof value === 'string' ? value : JSON.stringify(value), STEP_TEXT_MAX)]];
    }),
  );
  return {
    step_id,
    ...(span_id === undefined ? {} : { span_id }),
    kind,
    name: cutText(name, SAID_MAX),
    ...(agent === undefined ? {} : { agent }),
    status,
    ...texts,
  };
}

const readText = tool({
  name: 'read_text',
  title: 'Read a whole text',
  description: 'A text of a transcript that was cut: the field of a step_id, or asked and answered of a turn_id.',
  input: z.object({
    conversation,
    of: z.string().describe('a step_id or a turn_id'),
    field: z.enum(TEXT_FIELDS),
    from: z.number().int().min(0).default(0).describe('the first character'),
  }),
  output: wholeText,
  whole: 'text',
  run: async ({ api }, { conversation: id, ...query }) =>
    asked(
      api,
      { method: 'GET', path: `/api/v1/text/${encoded(id)}`, query: { ...query, length: WHOLE_TEXT_MAX } },
      wholeText,
    ),
});

const fullEvaluation = conversationDetail.shape.evaluations_full.unwrap().element;
const explained = fullEvaluation.extend({
  verdicts: z.array(
    fullEvaluation.shape.verdicts
      .unwrap()
      .element.omit({ steps: true })
      .extend({ where: z.string().optional().describe('the step that shows it') }),
  ),
});

const explainConversation = tool({
  name: 'explain_conversation',
  title: 'Explain the verdicts',
  description: `Why a conversation has its score: the last evaluation of each suite, one sentence, and its verdicts with question, reason and
the span and step that show it. Passed criteria are left out unless all=true. Labels by people, feedback of users and
ground truth stand beside.`,
  input: z.object({
    conversation,
    suite: z.string().optional(),
    all: z.boolean().default(false).describe('passed and not applicable criteria as well'),
  }),
  output: z.object({
    conversation_id: z.string(),
    agent: z.string(),
    agent_version: z.string(),
    state: z.string(),
    unscored_because: z.string().optional(),
    evaluations: z.array(explained),
    evaluations_left_out: z.number().describe('beyond those shown, of a suite that scores turns'),
    labels: conversationDetail.shape.labels,
    feedback: feedbackList,
    truth: z.unknown().optional(),
  }),
  run: async ({ api }, { conversation: id, suite, all }) => {
    const detail = await detailOf(api, id);
    const steps = new Map(
      detail.turn_list.flatMap(({ steps: own }, turn) =>
        own.flatMap(({ span_id, kind, name, step_id }) =>
          span_id === undefined
            ? []
            : [[span_id, `turn ${turn + 1}, ${kind} ${cutText(name, 80)} (${step_id})`] as const],
        ),
      ),
    );
    const evaluations = detail.evaluations_full
      .filter((one) => one.latest && !one.shadow && (suite === undefined || one.suite === suite))
      .toSorted((one, other) => bySeverity(other.outcome, one.outcome));
    if (suite !== undefined && evaluations.length === 0)
      throw new ToolProblem(
        `no evaluation by ${suite}; there are those of ${[...new Set(detail.evaluations_full.map((one) => one.suite))].join(', ') || 'no suite'}`,
      );
    return {
      conversation_id: detail.conversation_id,
      agent: detail.agent,
      agent_version: detail.agent_version,
      state: detail.state,
      ...(detail.unscored_because === undefined ? {} : { unscored_because: detail.unscored_because }),
      evaluations: evaluations.slice(0, EXPLAINED_MAX).map((one) => ({
        ...one,
        verdicts: one.verdicts
          .filter(({ verdict }) => all || decisionOf(verdict) === 'fail' || isBroken(verdict))
          .slice(0, VERDICTS_MAX)
          .map(({ steps: _graded, ...verdict }) => {
            const where = steps.get(verdict.evidence[0] ?? '');
            return { ...verdict, evidence: verdict.evidence.slice(0, 5), ...(where === undefined ? {} : { where }) };
          }),
      })),
      evaluations_left_out: Math.max(0, evaluations.length - EXPLAINED_MAX),
      labels: detail.labels.slice(0, VERDICTS_MAX),
      feedback: feedbackOf(detail),
      ...(detail.truth === undefined ? {} : { truth: detail.truth }),
    };
  },
});

function detailOf(api: Parameters<typeof asked>[0], id: string) {
  return asked(api, { method: 'GET', path: `/api/v1/conversations/${encoded(id)}` }, conversationDetail);
}

export const CONVERSATION_TOOLS: readonly RegisteredBy[] = [
  findConversations,
  explainConversation,
  readTranscript,
  readText,
];
