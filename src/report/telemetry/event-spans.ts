/**
 * Makes spans of Assay's own work: one for each batch, commit and round, none for each received span or request. They
 * are made from the events that metrics and log are made from, so the three can't disagree, and after the work is done,
 * so that scoring waits for nothing.
 *
 * Nothing that only Assay's own spans cause makes a span. Pointed at itself, Assay takes its spans, and that is the end
 * of it: `OWN_SCOPE` keeps them from being scored, and taking them is not among what is told here.
 */
import { randomBytes } from 'node:crypto';
import type { AnyEvent } from '../../model/events/any-event.ts';
import {
  keyValues,
  nanosOf,
  SAMPLED,
  SPAN_KIND,
  STATUS_CODE,
  type WrittenAttributes,
  type WrittenSpan,
} from '../../otlp/otlp-json.ts';

interface Told {
  readonly name: string;
  readonly tookMs: number;
  readonly attributes: WrittenAttributes;
  readonly kind?: number;
  /** Problem, if it failed. */
  readonly problem?: string;
}

const PROBLEM_LENGTH_MAX = 1000;

export class EventSpans {
  readonly #keep: (span: WrittenSpan) => void;
  readonly #now: () => number;

  constructor(keep: (span: WrittenSpan) => void, now: () => number = Date.now) {
    this.#keep = keep;
    this.#now = now;
  }

  note(event: AnyEvent): void {
    const told = tell(event);
    if (told === undefined) return;
    const { name, tookMs, attributes, kind = SPAN_KIND.internal, problem } = told;
    const endTime = this.#now();
    this.#keep({
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      flags: SAMPLED,
      name,
      kind,
      startTimeUnixNano: nanosOf(endTime - tookMs),
      endTimeUnixNano: nanosOf(endTime),
      attributes: keyValues(attributes),
      status:
        problem === undefined
          ? { code: STATUS_CODE.unset }
          : { code: STATUS_CODE.error, message: problem.slice(0, PROBLEM_LENGTH_MAX).toWellFormed() },
    });
  }
}

/** Describes the span of an event; undefined if this one is not worth a span. */
type Telling<E> = ((event: E) => Told | undefined) | 'no span';

/** A kind of event that is not here does not compile. */
const SPANS: { readonly [T in AnyEvent['type']]: Telling<Extract<AnyEvent, { readonly type: T }>> } = {
  'journal-recovered': ({ entries, rows, cutBytes, tookMs }) => {
    const attributes = { 'assay.entries': entries, 'assay.records': rows, 'assay.cut_bytes': cutBytes };
    return { name: 'recover journal', tookMs, attributes };
  },
  'scorer-committed': ({ turns, tookMs }) => ({ name: 'score turns', tookMs, attributes: { 'assay.turns': turns } }),
  'scorer-failed': ({ error }) => failed('score turns', error),
  'arrivals-filed': ({ arrivals, tookMs }) => ({
    name: 'file turns',
    tookMs,
    attributes: { 'assay.turns': arrivals },
  }),
  'conversations-scored': ({ conversations, arrivals, tookMs }) => {
    const attributes = { 'assay.conversations': conversations, 'assay.turns': arrivals };
    return { name: 'judge conversations', tookMs, attributes };
  },
  'store-pruned': ({ conversations, bytes }) => {
    if (conversations === 0) return undefined;
    const attributes = { 'assay.conversations': conversations, 'assay.bytes': bytes };
    return { name: 'prune store', tookMs: 0, attributes };
  },
  'results-sent': ({ evaluations }) => sent('send results', { 'assay.evaluations': evaluations }),
  'results-failed': ({ problem }) => sent('send results', {}, problem),
  'evaluations-sent': ({ evaluations }) => sent('send evaluations', { 'assay.evaluations': evaluations }),
  'detection-observed': ({ evaluations, transitions, tookMs }) => {
    const attributes = { 'assay.evaluations': evaluations, 'assay.transitions': transitions };
    return { name: 'detect regressions', tookMs, attributes };
  },
  'detection-failed': ({ problem }) => failed('detect regressions', problem),
  'webhook-delivered': ({ webhook, attempts }) =>
    sent('deliver notice', { 'assay.webhook': webhook, 'assay.attempts': attempts }),
  'webhook-failed': ({ webhook, problem }) => sent('deliver notice', { 'assay.webhook': webhook }, problem),
  'config-reloaded': ({ suites }) => {
    return { name: 'reload configuration', tookMs: 0, attributes: { 'assay.suites': [...suites] } };
  },
  'config-reload-failed': ({ mistakes, problem = 'the configuration has mistakes' }) => {
    return { name: 'reload configuration', tookMs: 0, attributes: { 'assay.mistakes': mistakes }, problem };
  },
  // A span for each span, request, record or check would be too many, and some would be about our own spans.
  'batch-received': 'no span',
  'records-rejected': 'no span',
  'text-redacted': 'no span',
  'request-refused': 'no span',
  'connection-dropped': 'no span',
  'tls-handshake-failed': 'no span',
  'tls-certificate-renewed': 'no span',
  'tls-certificate-unusable': 'no span',
  'access-allowed': 'no span',
  'access-refused': 'no span',
  'access-open': 'no span',
  'tokens-unreadable': 'no span',
  'tokens-readable': 'no span',
  'audit-failed': 'no span',
  'sign-in': 'no span',
  'identity-provider-away': 'no span',
  'sessions-unreadable': 'no span',
  'metrics-discarded': 'no span',
  'journal-synced': 'no span',
  'records-read': 'no span',
  'record-unreadable': 'no span',
  'record-empty': 'no span',
  'record-late': 'no span',
  'turn-closed': 'no span',
  'conversation-evaluated': 'no span',
  'turn-without-end': 'no span',
  'clock-wrong': 'no span',
  'turn-doubted': 'no span',
  'check-failed': 'no span',
  'check-stopped': 'no span',
  'not-understood': 'no span',
  'labels-folded': 'no span',
  'feedback-arrived': 'no span',
  'answer-reused': 'no span',
  'evidence-shown': 'no span',
  'judge-called': 'no span',
  'question-ended': 'no span',
  'judge-probed': 'no span',
  'store-read': 'no span',
  'read-refused': 'no span',
  'read-incomplete': 'no span',
  'reading-restarted': 'no span',
  'api-written': 'no span',
  'telemetry-problem': 'no span',
  // States and changes of state take no time; log and metrics have them.
  'journal-corrupt': 'no span',
  'journal-segment-short': 'no span',
  'content-damaged': 'no span',
  'damage-found': 'no span',
  'store-writable': 'no span',
  'journal-writable': 'no span',
  'set-aside': 'no span',
  'store-upgrading': 'no span',
  'clock-jumped': 'no span',
  'journal-refused': 'no span',
  'journal-segment-failed': 'no span',
  'scorer-restarted': 'no span',
  'config-mistake': 'no span',
  'results-refused': 'no span',
  'results-dropped': 'no span',
  'archive-lag': 'no span',
  'archive-failed': 'no span',
  'archive-recovered': 'no span',
  'archive-missed': 'no span',
  'lanes-gained': 'no span',
  'lanes-lost': 'no span',
  'kafka-problem': 'no span',
  'store-problem': 'no span',
  'sending-problem': 'no span',
  'judge-stopped': 'no span',
  'judge-resumed': 'no span',
  'budget-exhausted': 'no span',
  'judging-observed': 'no span',
  'judging-failed': 'no span',
  'detector-changed': 'no span',
  'detection-began-again': 'no span',
  'detection-dropped': 'no span',
  'detection-learned': 'no span',
  'webhook-given-up': 'no span',
};

function tell(event: AnyEvent): Told | undefined {
  // The cast holds because the table is indexed by the event's own type.
  const telling = SPANS[event.type] as Telling<AnyEvent>;
  return telling === 'no span' ? undefined : telling(event);
}

function failed(name: string, problem: string): Told {
  return { name, tookMs: 0, attributes: {}, problem };
}

function sent(name: string, attributes: WrittenAttributes, problem?: string): Told {
  return { name, tookMs: 0, kind: SPAN_KIND.client, attributes, ...(problem === undefined ? {} : { problem }) };
}
