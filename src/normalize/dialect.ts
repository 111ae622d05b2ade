/**
 * A dialect is one emitter's way of writing spans, as data: rows for what is a plain attribute, and finders for content
 * that has to be put together. All are pure. Dialects are asked in the order of `dialects.ts`, and each writes only what
 * is still absent; adding one is a file here and a line there.
 */
import type { Content, StepError } from '../model/step.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import type { SpanView } from '../otlp/views.ts';
import type { DETAILS, Draft } from './draft.ts';
import type { Evidence } from './evidence.ts';
import type { MessageList } from './chat-messages.ts';
import type { CapturedKey, Row } from './rows.ts';

/** A source of one kind of content. `rule` is its name in answers to the question where a content came from. */
export interface Finder<T> {
  readonly rule: string;
  /** undefined where this source has nothing; the next finder is asked then. */
  readonly find: (evidence: Evidence) => T | undefined;
  /**
   * The only attribute it reads, if it is only one: where the span has none of that key, it is not asked. `a.b.*` stands
   * for all keys that begin with `a.b.`.
   */
  readonly key?: string;
}

export interface ContentFinders {
  /** Request to a model, and its answer. */
  readonly messagesIn: readonly Finder<MessageList>[];
  readonly messagesOut: readonly Finder<MessageList>[];
  readonly systemInstructions: readonly Finder<string>[];
  /** Input and output of an agent, workflow or plain step, if they are not message lists. */
  readonly input: readonly Finder<Content>[];
  readonly output: readonly Finder<Content>[];
  readonly toolArgs: readonly Finder<AttributeValue>[];
  readonly toolResult: readonly Finder<AttributeValue>[];
  readonly error: readonly Finder<StepError>[];
}

export interface Dialect extends Partial<ContentFinders> {
  readonly name: string;
  readonly rows?: readonly Row[];
  readonly resourceRows?: readonly Row[];
  /** Keys whose presence promises content, so that "was anything captured?" need not decode it. */
  readonly captured?: readonly CapturedKey[];
  /** The attribute by which a span is known to be this dialect's: on others, nothing is inferred. A key as in {@link Finder}. */
  readonly marker?: string;
  /** Runs after all rows of all dialects, for what no single attribute says. Writes through `draft.settle`. */
  readonly infer?: (draft: Draft, span: SpanView) => void;
  /** Infers the fields among {@link DETAILS}. */
  readonly inferDetails?: (draft: Draft, span: SpanView) => void;
}
