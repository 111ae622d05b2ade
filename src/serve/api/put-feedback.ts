/**
 * `POST /api/v1/feedback`: what users of the agent said, one feedback or a list. Each is written as the log record that
 * an exporter would send, and redacted and read like it, so that all ways in mean the same.
 */
import type { FeedbackFate } from '../../model/events/scoring-events.ts';
import { FEEDBACK_LIMITS, type Feedback } from '../../model/feedback.ts';
import {
  feedbackAnswer,
  feedbackBody,
  type FeedbackResult,
  listOfFeedback,
  type SentFeedback,
} from '../../api/feedback.ts';
import { transcodeLogs } from '../../otlp/json-transcoder.ts';
import { syntheticConversationId, tryParseTraceId } from '../../model/ids.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import { type CarriedFeedback, feedbackOfLogs } from '../../normalize/feedback.ts';
import { RequestRedactor } from '../../redact/request-redactor.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { type Route, write, writing } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';

export interface FeedbackSide {
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
  readonly redaction: RedactionRules | undefined;
}

const NANOS = 1_000_000n;

const putFeedback = writing(
  feedbackBody,
  async (side: FeedbackSide, sent) => {
    const now = Date.now();
    const feedback = redacted(sent, side.redaction).map((one, index) => given(one, sent[index], now));
    const answer = await side.put({ what: 'feedback', feedback });
    if ('unavailable' in answer) return answer;
    if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
    const results = feedback.map((one, index) => {
      const fate = answer.fates?.[index] ?? 'gone';
      // The first feedback stays, so the answer has its polarity.
      const { polarity, unclear } = (fate === 'known' ? answer.stored?.[index] : undefined) ?? one;
      return {
        id: one.id,
        conversation_id: one.conversationId,
        polarity,
        ...(unclear === undefined ? {} : { unclear }),
        ...toldOf(fate),
      };
    });
    return { status: 200, value: { results } };
  },
  { readAs: listOfFeedback },
);

export const FEEDBACK_ROUTE: Route<FeedbackSide> = {
  ...write(
    'POST',
    '/api/v1/feedback',
    '{feedback: [{conversation_id, id?, name?, score?, label?, comment?, …}]}: what users of the agent said',
    { takes: 'ingest', orTakes: 'review' },
    putFeedback,
  ),
  shapes: { body: feedbackBody, answer: feedbackAnswer },
};

function toldOf(fate: FeedbackFate): Pick<FeedbackResult, 'result' | 'why'> {
  switch (fate) {
    case 'kept':
    case 'known':
      return { result: fate };
    case 'waiting':
      return { result: fate, why: 'no turn of the conversation has been stored: it is kept until one is' };
    case 'gone':
    case 'unplaced':
      return { result: 'gone', why: 'the conversation was deleted or forgotten' };
    case 'too_many':
      return { result: fate, why: `a conversation has at most ${FEEDBACK_LIMITS.perConversation} feedback` };
  }
}

function redacted(sent: readonly SentFeedback[], rules: RedactionRules | undefined): readonly CarriedFeedback[] {
  const records = sent.map(recordOf);
  const json = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] });
  const bytes = transcodeLogs(Buffer.from(json));
  const cleaned = rules === undefined ? undefined : new RequestRedactor(rules).redact('logs', bytes)?.bytes;
  return feedbackOfLogs(cleaned ?? bytes, undefined, 'api');
}

function recordOf(sent: SentFeedback) {
  const { conversation_id, at, trace_id, span_id, score, label, comment, id, name, user, scale } = sent;
  const texts = Object.entries({
    'gen_ai.conversation.id': conversation_id,
    'assay.feedback.id': id,
    'assay.feedback.name': name,
    'assay.feedback.label': label,
    'assay.feedback.comment': comment,
    'assay.feedback.user': user,
  }).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: { stringValue: value } }]));
  const numbers = Object.entries({
    'assay.feedback.score': score,
    'assay.feedback.scale.min': scale?.[0],
    'assay.feedback.scale.max': scale?.[1],
  }).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: { doubleValue: value } }]));
  return {
    eventName: 'assay.feedback',
    ...(at === undefined ? {} : { timeUnixNano: String(BigInt(at) * NANOS) }),
    ...(trace_id === undefined ? {} : { traceId: trace_id }),
    ...(span_id === undefined ? {} : { spanId: span_id }),
    attributes: [...texts, ...numbers],
  };
}

/**
 * Completes feedback. Without a time, or with one in the future, it is dated now, and its id does not depend on that.
 */
function given(carried: CarriedFeedback, sent: SentFeedback | undefined, now: number): Feedback {
  const { named, traceId, spanId, ...feedback } = carried;
  // A conversation without an id of its own is known by its trace.
  const trace = /^trace:([0-9a-f]{32})$/.exec(sent?.conversation_id ?? '')?.[1];
  const ofTrace = trace === undefined ? undefined : tryParseTraceId(trace);
  const conversationId = ofTrace === undefined ? named : syntheticConversationId(ofTrace);
  if (conversationId === undefined) throw new Error('feedback of no conversation passed the check of its shape');
  return {
    ...feedback,
    conversationId,
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
    atMs: Math.min(sent?.at ?? now, now),
  };
}
