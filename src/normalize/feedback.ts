/**
 * Reads feedback of the agent's users out of spans and log records. An event carries it that is called
 *
 *   assay.feedback             with assay.feedback.id | name | score | label | comment | user | scale.min | scale.max
 *   gen_ai.evaluation.result   where gen_ai.evaluation.name is user_feedback, or begins with `user_feedback.`:
 *                              gen_ai.evaluation.score.value, .score.label, .explanation, and the attributes above
 *
 * A span event belongs to the conversation that it names, else to that of its span. A log record belongs to the
 * conversation that it names, else to that of its trace. Few turns have any, so bytes are searched
 * for the name before they are decoded.
 */
import { createHash } from 'node:crypto';
import { conversationIdFrom } from '../model/conversation-id.ts';
import {
  FEEDBACK_LIMITS,
  FEEDBACK_NAME,
  type Feedback,
  type FeedbackWay,
  polarityOf,
  type ReadScale,
} from '../model/feedback.ts';
import { mayCarryFeedback, namesUserFeedback, spansMayCarryFeedback } from '../otlp/feedback-events.ts';
import type { ConversationId, SpanId, TraceId } from '../model/ids.ts';
import { indexLogs } from '../otlp/logs-reader.ts';
import { indexCheckedTraces } from '../otlp/traces-reader.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Attributes } from '../otlp/views.ts';
import { Draft } from './draft.ts';
import type { IdKeys } from './id-keys.ts';
import { asText } from './rows.ts';
import { normalize, type TraceSource } from './normalize.ts';

/** Feedback as its carrier has it: the conversation may be known only by its trace. */
export interface CarriedFeedback extends Omit<Feedback, 'conversationId' | 'traceId' | 'spanId'> {
  /** Named by the event, the span or the record; undefined where none of them names one. */
  readonly named: ConversationId | undefined;
  /** Trace of the carrier. A record without a trace of its own has none. */
  readonly traceId: TraceId | undefined;
  readonly spanId: SpanId | undefined;
}

const NONE: readonly CarriedFeedback[] = [];

export function feedbackIn({ traces, logs }: TraceSource, idKeys: IdKeys | undefined): readonly CarriedFeedback[] {
  const inSpans = spansMayCarryFeedback(traces) ? feedbackOfSpans(traces, idKeys) : NONE;
  const inLogs = logs !== undefined && mayCarryFeedback(logs) ? feedbackOfLogs(logs, idKeys, 'log') : NONE;
  return inLogs.length === 0 ? inSpans : [...inSpans, ...inLogs];
}

function feedbackOfSpans(traces: Uint8Array, idKeys: IdKeys | undefined): readonly CarriedFeedback[] {
  const steps = normalize({ traces, logs: undefined }, idKeys);
  const index = indexCheckedTraces(traces);
  const found: CarriedFeedback[] = [];
  for (let position = 0; position < index.spanCount; position += 1) {
    const span = index.view(position);
    if (!span.hasEvents) continue;
    const { traceId, spanId } = span;
    for (const { name, timeMs, attributes } of span.events) {
      const said = readEvent(name, attributes);
      if (said === undefined) continue;
      const named = nameIn(attributes) ?? steps[position]?.conversationId;
      found.push(carried(said, { named, traceId, spanId, timeMs, way: 'span' }));
    }
  }
  return found;
}

/** Feedback in an OTLP LogsData message. */
export function feedbackOfLogs(
  logs: Uint8Array,
  idKeys: IdKeys | undefined,
  way: FeedbackWay,
): readonly CarriedFeedback[] {
  const index = indexLogs(logs);
  const found: CarriedFeedback[] = [];
  for (let position = 0; position < index.recordCount; position += 1) {
    const record = index.view(position);
    const said = readEvent(record.eventName, record.attributes);
    if (said === undefined) continue;
    const configured = new Draft(undefined);
    idKeys?.apply(record, configured);
    const named = configured.conversationId ?? nameIn(record.attributes);
    // A trace that `receive` gave it alone leads nowhere: no span has its id.
    const { traceId, spanId, timeMs } = record;
    found.push(carried(said, { named, traceId, spanId, timeMs, way }));
  }
  return found;
}

interface Said {
  readonly id: string | undefined;
  readonly name: string;
  readonly score: number | undefined;
  readonly label: string | undefined;
  readonly scale: ReadScale;
  readonly comment: string | undefined;
  readonly user: string | undefined;
}

/** Undefined if the event is another, or has no opinion. */
function readEvent(event: string, attributes: Attributes): Said | undefined {
  const isResult = event === 'gen_ai.evaluation.result' && namesUserFeedback(attributes.text('gen_ai.evaluation.name'));
  if (event !== 'assay.feedback' && !isResult) return undefined;
  const own = (field: string) => attributes.get(`assay.feedback.${field}`);
  const result = (field: string) => (isResult ? attributes.get(`gen_ai.evaluation.${field}`) : undefined);
  const score = numberOf(own('score') ?? result('score.value'));
  const { idLength, nameLength, labelLength, commentLength, userLength } = FEEDBACK_LIMITS;
  const label = textOf(own('label') ?? result('score.label'), labelLength);
  const comment = textOf(own('comment') ?? result('explanation'), commentLength, CUT);
  if (score === undefined && label === undefined && comment === undefined) return undefined;
  const scale = scaleOf(own('scale.min'), own('scale.max'));
  const name = textOf(own('name') ?? result('name'), nameLength) ?? FEEDBACK_NAME;
  return { id: idOf(own('id'), idLength), name, score, label, scale, comment, user: textOf(own('user'), userLength) };
}

function carried(
  { id, name, score, label, scale, comment, user }: Said,
  place: {
    readonly named: string | undefined;
    readonly traceId: TraceId | undefined;
    readonly spanId: SpanId | undefined;
    readonly timeMs: number;
    readonly way: FeedbackWay;
  },
): CarriedFeedback {
  const { traceId, spanId, timeMs, way } = place;
  const named = place.named === undefined || place.named === '' ? undefined : conversationIdFrom(place.named);
  const opinion = { score, label, scale };
  return {
    id: id ?? derivedId([named, name, score, label, scale, comment, user, traceId, spanId, timeMs]),
    name,
    ...(score === undefined ? {} : { score }),
    ...(label === undefined ? {} : { label }),
    ...(scale === undefined || scale === 'unreadable' ? {} : { scale }),
    ...(comment === undefined ? {} : { comment }),
    ...(user === undefined ? {} : { user }),
    named,
    traceId,
    spanId,
    atMs: Math.round(timeMs),
    ...polarityOf(opinion),
    way,
  };
}

/** Id made of all fields, so that a duplicate counts once. */
function derivedId(fields: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 32);
}

/** A long id is kept apart by its hash. */
function idOf(value: AttributeValue | undefined, lengthMax: number): string | undefined {
  const text = value === undefined ? undefined : asText(value);
  if (text === undefined || !isLonger(text, lengthMax)) return text?.toWellFormed();
  return derivedId([text]);
}

function nameIn(attributes: Attributes): string | undefined {
  const value = attributes.get('gen_ai.conversation.id') ?? attributes.get('session.id');
  return value === undefined ? undefined : asText(value);
}

/** Ends a text of which the rest is left out. */
const CUT = '…';

function textOf(value: AttributeValue | undefined, lengthMax: number, end = ''): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  if (!isLonger(text, lengthMax)) return text.toWellFormed();
  return `${charactersOf(text, lengthMax - end.length).join('')}${end}`.toWellFormed();
}

/** Counts characters as the API does: an emoji is one and not two. */
function isLonger(text: string, lengthMax: number): boolean {
  return text.length > lengthMax && charactersOf(text, lengthMax + 1).length > lengthMax;
}

/** The first ones. None takes more than two units, so that no more than these are looked at. */
function charactersOf(text: string, count: number): readonly string[] {
  return Array.from(text.slice(0, 2 * count)).slice(0, count);
}

function scaleOf(lowest: AttributeValue | undefined, highest: AttributeValue | undefined): ReadScale {
  if (lowest === undefined && highest === undefined) return undefined;
  const [min, max] = [numberOf(lowest), numberOf(highest)];
  return min === undefined || max === undefined || min >= max ? 'unreadable' : [min, max];
}

function numberOf(value: AttributeValue | undefined): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
