/**
 * What Assay does, as spans of its own: one for each batch, commit and round, none for each span or request that it takes. They are made from the
 * events that metrics and log are made from, so the three can't disagree, and after the work is done, so that scoring waits for nothing.
 *
 * Nothing that only Assay's own spans cause makes a span. Pointed at itself, Assay takes its spans, and that is the end of it: `OWN_SCOPE` keeps
 * them from being scored, and taking them is not among what is told here.
 */
import { type Attributes, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { AnyEvent } from '../../model/events/any-event.ts';

interface Told {
  readonly name: string;
  readonly tookMs: number;
  readonly attributes: Attributes;
  readonly kind?: SpanKind;
  /** Where it failed. */
  readonly problem?: string;
}

const PROBLEM_LENGTH_MAX = 1000;

export class EventSpans {
  readonly #tracer: Tracer;
  readonly #now: () => number;

  constructor(tracer: Tracer, now: () => number = Date.now) {
    this.#tracer = tracer;
    this.#now = now;
  }

  note(event: AnyEvent): void {
    const told = tell(event);
    if (told === undefined) return;
    const { name, tookMs, attributes, kind = SpanKind.INTERNAL, problem } = told;
    const endTime = this.#now();
    const span = this.#tracer.startSpan(name, { kind, startTime: endTime - tookMs, attributes, root: true });
    if (problem !== undefined) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: problem.slice(0, PROBLEM_LENGTH_MAX) });
    }
    span.end(endTime);
  }
}

function tell(event: AnyEvent): Told | undefined {
  switch (event.type) {
    case 'journal-recovered': {
      const { entries, rows, cutBytes, tookMs } = event;
      const attributes = { 'assay.entries': entries, 'assay.records': rows, 'assay.cut_bytes': cutBytes };
      return { name: 'recover journal', tookMs, attributes };
    }
    case 'scorer-committed':
      return { name: 'score turns', tookMs: event.tookMs, attributes: { 'assay.turns': event.turns } };
    case 'scorer-failed':
      return { name: 'score turns', tookMs: 0, attributes: {}, problem: event.error };
    case 'arrivals-filed':
      return { name: 'file turns', tookMs: event.tookMs, attributes: { 'assay.turns': event.arrivals } };
    case 'conversations-scored': {
      const attributes = { 'assay.conversations': event.conversations, 'assay.turns': event.arrivals };
      return { name: 'judge conversations', tookMs: event.tookMs, attributes };
    }
    case 'store-pruned':
      if (event.conversations === 0) return undefined;
      return {
        name: 'prune store',
        tookMs: 0,
        attributes: { 'assay.conversations': event.conversations, 'assay.bytes': event.bytes },
      };
    case 'results-sent':
      return sent('send results', { 'assay.evaluations': event.evaluations });
    case 'results-failed':
      return sent('send results', {}, event.problem);
    case 'evaluations-sent':
      return sent('send evaluations', { 'assay.evaluations': event.evaluations });
    case 'detection-observed':
      return {
        name: 'detect regressions',
        tookMs: event.tookMs,
        attributes: { 'assay.evaluations': event.evaluations, 'assay.transitions': event.transitions },
      };
    case 'detection-failed':
      return { name: 'detect regressions', tookMs: 0, attributes: {}, problem: event.problem };
    case 'webhook-delivered':
      return sent('deliver notice', { 'assay.webhook': event.webhook, 'assay.attempts': event.attempts });
    case 'webhook-failed':
      return sent('deliver notice', { 'assay.webhook': event.webhook }, event.problem);
    case 'config-reloaded':
      return { name: 'reload configuration', tookMs: 0, attributes: { 'assay.suites': [...event.suites] } };
    case 'config-reload-failed':
      return {
        name: 'reload configuration',
        tookMs: 0,
        attributes: { 'assay.mistakes': event.mistakes },
        problem: event.problem ?? 'the configuration has mistakes',
      };
    default:
      return undefined;
  }
}

function sent(name: string, attributes: Attributes, problem?: string): Told {
  return { name, tookMs: 0, kind: SpanKind.CLIENT, attributes, ...(problem === undefined ? {} : { problem }) };
}
