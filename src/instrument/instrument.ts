/**
 * Lets an application report what its spans do not hold: the conversation that they belong to, the state at the end,
 * the ground truth, and the end itself. Over `@opentelemetry/api` alone; without an SDK every call does nothing.
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
import { type Context, context, createContextKey, diag, propagation, type Span, trace } from '@opentelemetry/api';
import { END_MARK, STATE_MARK, TRUTH_MARK } from '../model/marks.ts';

export const CONVERSATION_ID = 'gen_ai.conversation.id';

export interface ConversationOptions {
  /** The same for every turn of the conversation, whatever process or trace they run in. */
  readonly id: string;
  /** Ground truth, if there is any: expected participants, a label. Anything that JSON can hold. */
  readonly truth?: unknown;
}

/**
 * Runs `run` within the conversation: spans started below get its id (by {@link ConversationSpanProcessor}). Without an id, which plain
 * JavaScript may pass, it warns once and runs `run` all the same.
 */
export function inConversation<T>(options: ConversationOptions, run: () => T): T {
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
