/**
 * A conversation as checks see it: the same data as the model, with the commonest questions answered once. Everything
 * is computed when first read, and kept for the one evaluation that the subject lives for.
 *
 * In a suite of scope `turn` the conversation holds exactly that turn. In a suite of scope `conversation`, `turn`,
 * `userInput` and `finalAnswer` are those of the last turn.
 */
import type { Conversation } from '../../model/conversation.ts';
import type { Ending } from '../../model/ending.ts';
import type { VerdictKind } from '../../model/evaluation.ts';
import type { TurnId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { Step, StepKind } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { type Evidence, type Ledger, type Sending, SHIPPED_LEDGER } from '../../model/exporters.ts';
import { compileGlob } from '../../model/glob.ts';
import type { ToolEffect } from './effect-by-name.ts';
import { endingOf } from './ending.ts';
import { hasFailed } from './failed-call.ts';
import { type HandsOver, handsOverByDefault } from './hand-over.ts';
import { type EffectOf, type ToolEffects, toolEffects } from './tool-effects.ts';

export interface Subject {
  readonly conversation: Conversation;
  readonly turnId: TurnId | undefined;
  readonly turns: readonly Turn[];
  readonly turn: Turn;
  readonly steps: readonly Step[];
  readonly toolCalls: readonly ToolCall[];
  readonly userInput: string;
  readonly finalAnswer: string;
  /** How it ended. */
  readonly ending: Ending;
  readonly state: Json | undefined;
  readonly truth: Json | undefined;
  /** The calls of the tools whose name matches the glob, in order. */
  tools(glob: string): readonly ToolCall[];
  stepsOf(kind: StepKind): readonly Step[];
  /** Whether a tool changes something: by the suite, the configuration, the spans and its name, see `tool-effects.ts`. */
  effectOf(tool: string): ToolEffect;
  /** Whether a tool hands over to a person. Reads no spans, as `effectOf` may have to. */
  handsOver(tool: string): boolean;
  /** Whether a call is known to have failed, by what is known of its tool: see `failed-call.ts`. */
  hasFailed(call: ToolCall): boolean;
  /** Whether the exporters of these spans send such evidence, by the ledger and the configuration. */
  sends(evidence: Evidence): Sending;
  /** Whether a criterion of the suite reads this key of the truth, by an expression or in code. */
  readsTruth(key: string): boolean;
  /** Computes an expensive value once per evaluation and key. */
  once<T>(key: object, compute: () => T): T;
}

/** Values of extracts, by name. */
export type Extracts = Readonly<Record<string, unknown>>;
export type SubjectWith<E extends Extracts> = Subject & { readonly extracts: E };

/** Values that an outcome rule can refer to. */
export interface OutcomeView<E extends Extracts = Extracts> {
  readonly subject: SubjectWith<E>;
  /** 0 to 1. */
  readonly score: number;
  readonly verdicts: ReadonlyMap<string, VerdictKind>;
  readonly completed: boolean;
  readonly failed: boolean;
  readonly ending: Ending;
}

type ExtractsOf = (subject: Subject) => Extracts;

/** Parts that a suite adds to the conversation. */
interface SubjectParts {
  readonly extractsOf?: ExtractsOf;
  readonly effects?: ToolEffects;
  readonly handsOver?: HandsOver;
  readonly truthKeys?: ReadonlySet<string>;
  readonly exporters?: Ledger;
}

const BY_NAME = toolEffects();
const NO_KEYS: ReadonlySet<string> = new Set();

export function subjectOf(
  conversation: Conversation,
  turnId: TurnId | undefined,
  {
    extractsOf = noExtracts,
    effects = BY_NAME,
    handsOver = handsOverByDefault,
    truthKeys = NO_KEYS,
    exporters = SHIPPED_LEDGER,
  }: SubjectParts = {},
): EvaluatedSubject {
  const turn = conversation.turns.at(-1);
  if (turn === undefined)
    throw new Error(`score: conversation ${conversation.id} has no turns; it must not be due yet`);
  return new ConversationSubject(conversation, turn, { turnId, extractsOf, effects, handsOver, truthKeys, exporters });
}

/** Extracts as getters: each computed when first read, and once. One that throws, throws each time it is read. */
export function compileExtracts(extract: Readonly<Record<string, (subject: Subject) => unknown>>): ExtractsOf {
  const entries = Object.entries(extract);
  if (entries.length === 0) return noExtracts;
  const getters: object = Object.create(null);
  for (const [name, compute] of entries) {
    Object.defineProperty(getters, name, {
      enumerable: true,
      get(this: { readonly [SUBJECT]: Subject }) {
        const subject = this[SUBJECT];
        return subject.once(compute, () => compute(subject));
      },
    });
  }
  return (subject) => Object.create(getters, { [SUBJECT]: { value: subject } });
}

const SUBJECT: unique symbol = Symbol('subject');
const NO_EXTRACTS: Extracts = Object.freeze(Object.create(null));

function noExtracts(): Extracts {
  return NO_EXTRACTS;
}

/** A subject that tells whether tool calls were looked for. */
export interface EvaluatedSubject extends SubjectWith<Extracts> {
  /** Whether one was since this was last asked. */
  takeLookedForTools(): boolean;
}

class ConversationSubject implements EvaluatedSubject {
  readonly conversation: Conversation;
  readonly turn: Turn;
  readonly turnId: TurnId | undefined;
  #steps: readonly Step[] | undefined;
  #toolCalls: readonly ToolCall[] | undefined;
  #extracts: Extracts | undefined;
  #ending: Ending | undefined;
  #effectOf: EffectOf | undefined;
  /** Most checks ask it of every call. */
  readonly #failed = new Map<ToolCall, boolean>();
  readonly #parts: Required<SubjectParts>;
  #kept: Map<object, { readonly value: unknown; readonly lookedForTools: boolean }> | undefined;
  #lookedForTools = false;

  constructor(
    conversation: Conversation,
    turn: Turn,
    { turnId, ...parts }: Required<SubjectParts> & { readonly turnId: TurnId | undefined },
  ) {
    this.conversation = conversation;
    this.turn = turn;
    this.turnId = turnId;
    this.#parts = parts;
  }

  get extracts(): Extracts {
    this.#extracts ??= this.#parts.extractsOf(this);
    return this.#extracts;
  }

  get turns(): readonly Turn[] {
    return this.conversation.turns;
  }

  get steps(): readonly Step[] {
    this.#steps ??= this.turns.length === 1 ? this.turn.steps : this.turns.flatMap((turn) => turn.steps);
    return this.#steps;
  }

  takeLookedForTools(): boolean {
    const looked = this.#lookedForTools;
    this.#lookedForTools = false;
    return looked;
  }

  sends(evidence: Evidence): Sending {
    const scopes = this.steps.filter(({ kind }) => kind !== 'other').map(({ scopeName }) => scopeName);
    return this.#parts.exporters.sends(new Set(scopes), evidence);
  }

  get toolCalls(): readonly ToolCall[] {
    this.#lookedForTools = true;
    this.#toolCalls ??= this.turns.length === 1 ? this.turn.toolCalls : this.turns.flatMap((turn) => turn.toolCalls);
    return this.#toolCalls;
  }

  get userInput(): string {
    return this.turn.userInput.text;
  }

  get finalAnswer(): string {
    return this.turn.finalAnswer.text;
  }

  get ending(): Ending {
    this.#ending ??= endingOf(this.turn, this.#parts.handsOver, { isTurn: this.turnId !== undefined });
    return this.#ending;
  }

  get state(): Json | undefined {
    return this.conversation.state;
  }

  get truth(): Json | undefined {
    return this.conversation.truth;
  }

  tools(glob: string): readonly ToolCall[] {
    const matches = compileGlob(glob);
    return this.toolCalls.filter((call) => matches(call.name));
  }

  stepsOf(kind: StepKind): readonly Step[] {
    return this.steps.filter((step) => step.kind === kind);
  }

  effectOf(tool: string): ToolEffect {
    this.#effectOf ??= this.#parts.effects.in(this, this.#parts.handsOver);
    return this.#effectOf(tool);
  }

  handsOver(tool: string): boolean {
    return this.#parts.handsOver(tool) && this.effectOf(tool) === 'hands_over';
  }

  hasFailed(call: ToolCall): boolean {
    let failed = this.#failed.get(call);
    if (failed === undefined) {
      failed = hasFailed(call, () => this.effectOf(call.name));
      this.#failed.set(call, failed);
    }
    return failed;
  }

  readsTruth(key: string): boolean {
    return this.#parts.truthKeys.has(key);
  }

  once<T>(key: object, compute: () => T): T {
    this.#kept ??= new Map();
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      const before = this.takeLookedForTools();
      const value = compute();
      kept = { value, lookedForTools: this.#lookedForTools };
      this.#lookedForTools ||= before;
      this.#kept.set(key, kept);
    }
    this.#lookedForTools ||= kept.lookedForTools;
    // The cast holds because a key belongs to one caller, whose `compute` made the value.
    return kept.value as T;
  }
}
