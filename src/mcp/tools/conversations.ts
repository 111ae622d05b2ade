/** Tools about conversations: to find them, to read them, and to see why they have their verdicts. */
import { z } from 'zod';
import {
  type ConversationDetail,
  conversationDetail,
  TEXT_FIELDS,
  type TurnJson,
  wholeText,
} from '../../api/conversation-detail.ts';
import { conversationList } from '../../api/conversation-list.ts';
import { decisionOf, isBroken } from '../../model/decision.ts';
import { OUTCOMES } from '../../model/evaluation.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { bySeverity } from '../../model/severity.ts';
import { asked, ToolProblem } from '../asked-api.ts';
import { encoded, type Tool, tool } from '../tool.ts';
import { cutText, type Structured } from '../tool-result.ts';
import { agent, agent_version, conversation_id, environment, since, suite, until } from './arguments.ts';

const FOUND_MAX = 20;
const SAID_MAX = 300;
const STEP_TEXT_MAX = 1_000;
const TRANSCRIPT_MAX = 12_000;
/** A suite that scores turns has an evaluation for each of them; the worst come first. */
const EXPLAINED_MAX = 10;
const VERDICTS_MAX = 50;
const FEEDBACK_MAX = 10;
const WHOLE_TEXT_MAX = 12_000;

const findConversations = tool({
  name: 'find_conversations',
  title: 'Find conversations',
  description: `Conversations of the agents under evaluation, with their evaluations, the criteria that failed, and why. Filter by agent,
version, suite, outcome, failed criterion, score, feedback of users, what came of it (came_out), words and time; order=worst has the worst first. Read
one with explain_conversation and read_transcript.`,
  input: z.object({
    agent,
    agent_version,
    environment,
    suite,
    outcome: z.array(z.enum(OUTCOMES)).optional(),
    criterion: z.string().optional().describe('one that failed'),
    score_below: z.number().optional(),
    feedback: z.array(z.enum(POLARITIES)).optional().describe('what users said of it, taken together'),
    came_out: z.array(z.enum(['good', 'bad', 'unknown'])).optional(),
    called_fine: z.enum(['true', 'false']).optional().describe('by suites; with came_out bad: what they miss'),
    state: z.array(z.enum(['scored', 'open', 'waiting', 'unscored'])).optional(),
    since,
    until,
    words: z.string().optional().describe('all of them were said'),
    order: z.enum(['latest', 'worst']).default('latest'),
    limit: z.number().int().min(1).max(FOUND_MAX).default(10),
    cursor: z.string().optional().describe('next of the result before'),
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

interface ShownTurn {
  readonly turn_id: string;
  readonly asked?: string;
  readonly answered?: string;
  readonly error?: string;
  readonly steps: readonly Structured[];
}

/** Feedback of users, the latest last. `counts` is false where the same user said something else later. */
function feedbackOf({ feedback_list: all }: ConversationDetail): readonly Structured[] {
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
    conversation_id,
    cursor: z
      .string()
      .regex(/^\d{1,6}\.\d{1,6}$/)
      .optional()
      .describe('next of the result before'),
  }),
  run: async ({ api }, { conversation_id: id, cursor = '0.0' }) => {
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
  const shown: ShownTurn[] = [];
  let room = TRANSCRIPT_MAX;
  for (const [at, turn] of turns.entries()) {
    if (at < firstTurn) continue;
    const from = at === firstTurn ? firstStep : 0;
    const steps: Structured[] = [];
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

function shownStepOf(step: TurnJson['steps'][number]): Structured {
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
    conversation_id,
    of: z.string().describe('a step_id or a turn_id'),
    field: z.enum(TEXT_FIELDS),
    from: z.number().int().min(0).default(0).describe('the first character'),
  }),
  whole: 'text',
  run: async ({ api }, { conversation_id: id, ...query }) =>
    asked(
      api,
      { method: 'GET', path: `/api/v1/text/${encoded(id)}`, query: { ...query, length: WHOLE_TEXT_MAX } },
      wholeText,
    ),
});

const explainConversation = tool({
  name: 'explain_conversation',
  title: 'Explain the verdicts',
  description: `Why a conversation has its score: the last evaluation of each suite, one sentence, and its verdicts with question, reason and
the span and step that show it. Passed criteria are left out unless all=true. Labels by people, feedback of users and
ground truth stand beside.`,
  input: z.object({
    conversation_id,
    suite,
    all: z.boolean().default(false).describe('passed and not applicable criteria as well'),
  }),
  run: async ({ api }, { conversation_id: id, suite, all }) => {
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

export const CONVERSATION_TOOLS: readonly Tool[] = [findConversations, explainConversation, readTranscript, readText];
