/**
 * The fields of a step while it is being understood. Extractors write what is still absent; the first to speak wins, and
 * when somebody asks, it is noted which rule that was.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { StepKind } from '../model/step.ts';

export interface Fields {
  kind: StepKind | undefined;
  agentName: string | undefined;
  agentId: string | undefined;
  agentVersion: string | undefined;
  conversationId: string | undefined;
  userId: string | undefined;
  toolName: string | undefined;
  toolCallId: string | undefined;
  requestModel: string | undefined;
  responseModel: string | undefined;
  provider: string | undefined;
  responseId: string | undefined;
  previousResponseId: string | undefined;
  finishReasons: readonly string[] | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  cacheReadTokens: number | undefined;
  cacheWriteTokens: number | undefined;
  /** The input count leaves out what was read from and written to the cache. */
  cacheIsExtra: true | undefined;
  reasoningTokens: number | undefined;
  costUsd: number | undefined;
  /** The span's status was copied from another one. */
  statusIsCopied: true | undefined;
  errorType: string | undefined;
  errorMessage: string | undefined;
  ended: boolean | undefined;
  environment: string | undefined;
  serviceName: string | undefined;
}

export type Field = keyof Fields;

export const TOKEN_FIELDS: readonly Field[] = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
];

/** Read when first asked for. The others are what turns are built from. */
export const DETAILS: ReadonlySet<Field> = new Set<Field>([
  'agentName',
  'agentId',
  'agentVersion',
  'requestModel',
  'responseModel',
  'provider',
  'responseId',
  'previousResponseId',
  'errorMessage',
  'environment',
  'serviceName',
]);

/** A finder that must be asked always. */
export const NO_GUARD = -1;
/** Bits of a small integer. */
const GUARDS_PER_WORD = 30;
export const GUARDS_MAX = 4 * GUARDS_PER_WORD;

/** A class for its stable shape: one is made for every span. */
export class Draft implements Fields {
  kind: StepKind | undefined = undefined;
  agentName: string | undefined = undefined;
  agentId: string | undefined = undefined;
  agentVersion: string | undefined = undefined;
  conversationId: string | undefined = undefined;
  userId: string | undefined = undefined;
  toolName: string | undefined = undefined;
  toolCallId: string | undefined = undefined;
  requestModel: string | undefined = undefined;
  responseModel: string | undefined = undefined;
  provider: string | undefined = undefined;
  responseId: string | undefined = undefined;
  previousResponseId: string | undefined = undefined;
  finishReasons: readonly string[] | undefined = undefined;
  inputTokens: number | undefined = undefined;
  outputTokens: number | undefined = undefined;
  cacheReadTokens: number | undefined = undefined;
  cacheWriteTokens: number | undefined = undefined;
  cacheIsExtra: true | undefined = undefined;
  reasoningTokens: number | undefined = undefined;
  costUsd: number | undefined = undefined;
  statusIsCopied: true | undefined = undefined;
  errorType: string | undefined = undefined;
  errorMessage: string | undefined = undefined;
  ended: boolean | undefined = undefined;
  environment: string | undefined = undefined;
  serviceName: string | undefined = undefined;
  /** Whether the span has events of its own. */
  hasEvents = false;
  /** No dialect knows what kind of work it was. */
  isUnknown = false;
  /** Content that nearly every reader asks for, and its key: read with the rest, so that nobody needs to come back. */
  #keptKey: string | undefined = undefined;
  #kept: AttributeValue | undefined = undefined;
  #otherKeptKey: string | undefined = undefined;
  #otherKept: AttributeValue | undefined = undefined;
  /** Which captured content the span's keys promise, as bits of {@link CAPTURED}. */
  captured = 0;
  /** Which of the attributes that finders read the span has: a bit for each guard that `reading.ts` gives out. */
  #guards = 0;
  #moreGuards = 0;
  #mostGuards = 0;
  #lastGuards = 0;
  /** Filled only in a draft that is made to explain. */
  readonly rules: Map<string, string> | undefined;

  constructor(rules: Map<string, string> | undefined) {
    this.rules = rules;
  }

  /** The span has an attribute of that guard. */
  note(guard: number): void {
    const bit = 1 << (guard % GUARDS_PER_WORD);
    if (guard < GUARDS_PER_WORD) this.#guards |= bit;
    else if (guard < 2 * GUARDS_PER_WORD) this.#moreGuards |= bit;
    else if (guard < 3 * GUARDS_PER_WORD) this.#mostGuards |= bit;
    else this.#lastGuards |= bit;
  }

  noted(guard: number): boolean {
    const bit = 1 << (guard % GUARDS_PER_WORD);
    if (guard < GUARDS_PER_WORD) return (this.#guards & bit) !== 0;
    if (guard < 2 * GUARDS_PER_WORD) return (this.#moreGuards & bit) !== 0;
    return ((guard < 3 * GUARDS_PER_WORD ? this.#mostGuards : this.#lastGuards) & bit) !== 0;
  }

  /** Two places: a model call has one output, a tool call has arguments and a result. */
  keep(key: string, value: AttributeValue): void {
    if (this.#keptKey === undefined) {
      this.#keptKey = key;
      this.#kept = value;
    } else if (this.#otherKeptKey === undefined) {
      this.#otherKeptKey = key;
      this.#otherKept = value;
    }
  }

  keptValue(key: string): AttributeValue | undefined {
    if (this.#keptKey === key) return this.#kept;
    return this.#otherKeptKey === key ? this.#otherKept : undefined;
  }

  /** Takes back what a row read from an attribute that does not mean what it says on this span. */
  forget(fields: readonly Field[]): void {
    for (const field of fields) {
      (this as Fields)[field] = undefined;
      this.rules?.delete(field);
    }
  }

  /** Writes the field if it is absent. */
  set<F extends Field>(field: F, value: Fields[F], rule: string): void {
    if (value === undefined || this[field] !== undefined) return;
    // The class has every field of Fields at the same type; TypeScript does not correlate them under a generic key.
    (this as Fields)[field] = value;
    this.rules?.set(field, rule);
  }
}

export const CAPTURED = {
  input: 1,
  output: 2,
  toolArgs: 4,
  toolResult: 8,
  state: 16,
  truth: 32,
} as const;
export type Captured = keyof typeof CAPTURED;
