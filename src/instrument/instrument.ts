/**
 * Lets an application report what its spans do not hold: the conversation that they belong to, the state at the end,
 * the ground truth, feedback of its users, and the end itself. Over `@opentelemetry/api` alone, the copy that the application has; without an SDK
 * every call does nothing.
 *
 *     const sdk = new NodeSDK({
 *       spanProcessors: [new ConversationSpanProcessor(), new BatchSpanProcessor({ exporter })],
 *     });
 *
 *     await inConversation({ id: ticket.id }, async () => {
 *       await tracer.startActiveSpan('invoke_agent support', async (span) => {
 *         …
 *         recordState({ resolved: true });
 *         endConversation();
 *         span.end();
 *       });
 *     });
 *
 * `recordState`, `attachTruth` and `endConversation` write to the active span: call them before it ends. They answer
 * whether there was a span to write to, and never throw; an agent must not fail because it is being watched.
 *
 * The id travels as W3C baggage. If your outgoing requests to others carry baggage, they carry the id.
 */
import {
  type Attributes,
  type AttributeValue,
  type Context,
  context,
  createContextKey,
  diag,
  propagation,
  type Span,
  trace,
} from '@opentelemetry/api';
import { END_MARK, STATE_MARK, TRUTH_MARK } from '../model/marks.ts';
import { warnOfSecondApi } from './api-copies.ts';

export const CONVERSATION_ID = 'gen_ai.conversation.id';

export interface ConversationOptions {
  /** Id of the conversation, the same for every turn, whatever process or trace it runs in. */
  readonly id: string;
  /** Ground truth, if there is any: expected participants, a label. Anything that JSON can hold. */
  readonly truth?: unknown;
}

/**
 * Runs `run` within the conversation: spans started below get its id (by {@link ConversationSpanProcessor}). Without an id, which plain
 * JavaScript may pass, it warns once and runs `run` all the same.
 */
export function inConversation<T>(options: ConversationOptions, run: () => T): T {
  warnOfSecondApi();
  const id: unknown = (options as Partial<ConversationOptions> | undefined)?.id;
  if (typeof id !== 'string' || id === '') {
    warnOnce('assay: inConversation was given no id, so its spans are not joined to a conversation');
    return run();
  }
  const outer = context.active();
  const baggage = propagation.getBaggage(outer) ?? propagation.createBaggage();
  let inner = propagation.setBaggage(outer, baggage.setEntry(CONVERSATION_ID, { value: options.id }));
  const active = trace.getSpan(outer);
  active?.setAttribute(CONVERSATION_ID, options.id);
  const truth = options.truth === undefined ? undefined : toJsonText(TRUTH_MARK, options.truth);
  if (truth !== undefined) {
    if (active?.isRecording()) active.setAttribute(TRUTH_MARK, truth);
    else inner = inner.setValue(PENDING_TRUTH, new PendingTruth(truth));
  }
  return context.with(inner, run);
}

const WARNED = new Set<string>();

/** An agent calls it for every turn: the log of its host must not fill with one line. */
function warnOnce(message: string): void {
  if (WARNED.has(message)) return;
  WARNED.add(message);
  diag.warn(message);
}

/** The agent's final state, for criteria to look at. On one span the last record counts; later spans override by key. */
export function recordState(state: unknown): boolean {
  return mark(STATE_MARK, toJsonText(STATE_MARK, state));
}

/** Attaches ground truth that becomes known only on the way. */
export function attachTruth(truth: unknown): boolean {
  return mark(TRUTH_MARK, toJsonText(TRUTH_MARK, truth));
}

/** The conversation is over: score it now instead of waiting for silence. */
export function endConversation(): boolean {
  return mark(END_MARK, true);
}

/** An opinion of a user of the agent: a score, a label, a comment, or several of them. */
export interface UserFeedback {
  /** Makes sending twice count once. Choose one for each click. */
  readonly id?: string;
  /** Name of the question, such as `thumbs` or `csat`; `user_feedback` unless given. */
  readonly name?: string;
  /** 1 is good and 0 is bad; stars from 2 to 5; else with its `scale`. */
  readonly score?: number;
  /** The user's choice, such as `thumbs_up` or `thumbs_down`. */
  readonly label?: string;
  readonly comment?: string;
  /** The lowest and the highest score that could be given. */
  readonly scale?: readonly [min: number, max: number];
  readonly user?: string;
  /** Needed where the click comes in another request than the conversation, outside of {@link inConversation}. */
  readonly conversationId?: string;
}

/**
 * A user said what he thinks of the conversation. Writes an event to the active span; where none is active, to a span of
 * its own. False where nothing was said, a number is none or outside of its scale, or the conversation is not known.
 */
export function feedback(given: UserFeedback): boolean {
  warnOfSecondApi();
  // Plain JavaScript may pass anything.
  const { conversationId, ...said } = ((given as UserFeedback | undefined) ?? {}) as UserFeedback;
  if ([said.score, said.label, said.comment].every(isUnsaid)) return false;
  if (!hasNumbers(said)) {
    warnOnce(
      'assay: feedback was given a score that is no number of its scale, or a scale that is not [lowest, highest]',
    );
    return false;
  }
  const named = conversationId ?? propagation.getBaggage(context.active())?.getEntry(CONVERSATION_ID)?.value;
  const attributes = { ...feedbackAttributes(said), ...(named === undefined ? {} : { [CONVERSATION_ID]: named }) };
  const active = trace.getActiveSpan();
  if (active?.isRecording() === true) {
    active.addEvent(FEEDBACK_EVENT, attributes);
    return true;
  }
  if (named === undefined) {
    warnOnce('assay: feedback was given outside of a conversation and without its conversationId');
    return false;
  }
  const own = trace.getTracer(FEEDBACK_SCOPE).startSpan('feedback', { attributes: { [CONVERSATION_ID]: named } });
  const isRecording = own.isRecording();
  own.addEvent(FEEDBACK_EVENT, attributes);
  own.end();
  return isRecording;
}

/** Plain JavaScript may say so with null. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** An empty text is one that nobody reads. */
function isUnsaid(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

/** Whole numbers beyond these do not fit into an attribute. */
const NUMBER_MAX = 2 ** 63;

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < NUMBER_MAX;
}

function hasNumbers({ score, scale }: { readonly score?: unknown; readonly scale?: unknown }): boolean {
  if (!isAbsent(score) && !isNumber(score)) return false;
  if (isAbsent(scale)) return true;
  if (!Array.isArray(scale) || scale.length !== 2) return false;
  const [min, max]: readonly unknown[] = scale;
  if (!isNumber(min) || !isNumber(max) || min >= max) return false;
  return !isNumber(score) || (score >= min && score <= max);
}

const FEEDBACK_EVENT = 'assay.feedback';
/** Not Assay's own scope, whose spans are never read. */
const FEEDBACK_SCOPE = 'assay/instrument';

function feedbackAttributes({ scale, ...said }: UserFeedback): Attributes {
  const fields = Object.entries({ ...said, 'scale.min': scale?.[0], 'scale.max': scale?.[1] });
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (isUnsaid(value) ? [] : [[`assay.feedback.${name}`, wellFormed(value)]])),
  );
}

/** Half of a pair of surrogates is no character, and may not be sent. */
function wellFormed(value: AttributeValue | undefined): AttributeValue | undefined {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** A span as far as stamping goes. Structural, so that it fits the SDK's own type in any of its versions. */
type StartedSpan = Pick<Span, 'setAttribute'>;

/**
 * Stamps each span with the id of the conversation that it is started in, also where the id came with the baggage of a
 * request. Put it before the processor that exports.
 */
export class ConversationSpanProcessor {
  onStart(span: StartedSpan, parentContext: Context): void {
    const id = propagation.getBaggage(parentContext)?.getEntry(CONVERSATION_ID)?.value;
    if (id !== undefined && id !== '') span.setAttribute(CONVERSATION_ID, id);
    const pending = parentContext.getValue(PENDING_TRUTH);
    if (pending instanceof PendingTruth) pending.giveTo(span);
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

const PENDING_TRUTH = createContextKey('assay pending truth');

/** Truth that waits for the first span of its conversation. */
class PendingTruth {
  #text: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  giveTo(span: StartedSpan): void {
    if (this.#text === undefined) return;
    span.setAttribute(TRUTH_MARK, this.#text);
    this.#text = undefined;
  }
}

function mark(key: string, value: string | boolean | undefined): boolean {
  warnOfSecondApi();
  const span = trace.getActiveSpan();
  if (span === undefined || value === undefined || !span.isRecording()) return false;
  span.setAttribute(key, value);
  return true;
}

function toJsonText(key: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    diag.warn(`assay: ${key} was not recorded, since its value cannot be written as JSON`, error);
    return undefined;
  }
}
