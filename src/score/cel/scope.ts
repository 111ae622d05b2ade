/**
 * The names an expression can use, as one object that the library reads them from. Every name is a getter: nothing is
 * made that no expression touches. One scope lives for one evaluation of one suite.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Step } from '../../model/step.ts';
import type { ToolCall } from '../../model/turn.ts';
import { feedbackJson } from '../subject/feedback-json.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { isAnswerUnknown } from '../subject/turn-answer.ts';
import type { OutcomeView, Subject } from '../subject/subject.ts';
import { CheckError } from '../subject/answer.ts';
import type { Evaluated, Program } from './program.ts';
import { AgentView, ContentGap, gapOf, StepView, ToolCallView, TurnView, UsageView } from './views.ts';
import { inert } from '../subject/values.ts';

/** Can't be written in an expression; macros find the scope by it. */
export const SCOPE_NAME = '$scope';

/** The variables every expression has, with their CEL types and what `docs/reference/suite-language.md` says of them. */
export const VARIABLES = {
  state: ['dyn', "the agent's final state, as recorded by assay.conversation.state"],
  truth: ['dyn', 'what is known to be right, as recorded by assay.truth'],
  feedback: [
    'dyn',
    'what users said: polarity, positive, negative, neutral, score, labels, comments; null where none did',
  ],
  agent: ['Agent', 'name, version, id'],
  environment: ['string', 'the deployment environment'],
  attributes: ['map<string, dyn>', 'resource and span attributes'],
  turns: ['list<Turn>', 'all turns, in order'],
  turn: ['Turn', 'the last turn'],
  steps: ['list<Step>', 'all steps, by start time'],
  tool_calls: ['list<ToolCall>', 'all tool calls, in order'],
  user_input: ['string', 'what the user asked in the last turn'],
  final_answer: ['string', "the last turn's answer"],
  ending: ['string', 'how it ended: answered, asked, refused, handed_over, abandoned, error, no_answer or unknown'],
  claims_change: [
    'bool',
    'whether the last answer says that something was done or handed over, by the words of seven languages',
  ],
  usage: ['Usage', 'tokens of the whole conversation'],
} as const satisfies Record<string, readonly [type: string, meaning: string]>;

interface LookedAt {
  readonly step: Step | undefined;
  readonly call: ToolCall | undefined;
}

interface Extracted {
  readonly end: Evaluated;
  readonly touched: SpanId | undefined;
  readonly touchedState: boolean;
}

export class Scope {
  readonly subject: Subject;
  /** The span last looked into, and what of the state was read: the evidence of a check that failed. */
  #touched: SpanId | undefined;
  #touchedState = false;
  #state: unknown;
  #truth: unknown;
  #feedback: unknown;
  #steps: readonly StepView[] | undefined;
  #toolCalls: readonly ToolCallView[] | undefined;
  #turns: readonly TurnView[] | undefined;
  #outcome: OutcomeView | undefined;
  #lookedAt: LookedAt | undefined;
  #extracts: Map<string, Extracted> | undefined;
  readonly #touch = (spanId: SpanId | undefined): void => {
    this.#touched = spanId ?? this.#touched;
  };

  constructor(subject: Subject) {
    this.subject = subject;
  }

  get [SCOPE_NAME](): this {
    return this;
  }

  get state(): unknown {
    this.#touchedState = true;
    if (this.#state === undefined) this.#state = this.subject.state === undefined ? null : inert(this.subject.state);
    return this.#state;
  }

  get truth(): unknown {
    if (this.#truth === undefined) this.#truth = this.subject.truth === undefined ? null : inert(this.subject.truth);
    return this.#truth;
  }

  get feedback(): unknown {
    const { feedback = [] } = this.subject.conversation;
    this.#feedback ??= feedback.length === 0 ? null : inert(feedbackJson(feedback));
    return this.#feedback;
  }

  get agent(): AgentView {
    return new AgentView(this.subject.conversation.agent);
  }

  get environment(): string | undefined {
    return this.subject.conversation.environment;
  }

  get attributes(): ReadonlyMap<string, string | number | boolean> {
    return this.subject.conversation.attributes;
  }

  get turns(): readonly TurnView[] {
    this.#turns ??= this.subject.turns.map((turn) => new TurnView(turn, this.subject, this.#touch));
    return this.#turns;
  }

  get turn(): TurnView {
    return this.turns.at(-1) ?? new TurnView(this.subject.turn, this.subject, this.#touch);
  }

  get steps(): readonly StepView[] {
    this.#steps ??= this.subject.steps.map((step) => new StepView(step, this.#touch));
    return this.#steps;
  }

  get tool_calls(): readonly ToolCallView[] {
    this.#toolCalls ??= this.subject.toolCalls.map((call) => new ToolCallView(call, this.subject, this.#touch));
    return this.#toolCalls;
  }

  get claims_change(): boolean {
    const { turn } = this.subject;
    if (turn.finalAnswer.text === '') return false;
    const reading = readingOf(turn);
    return reading !== undefined && (reading.claims !== undefined || reading.handedOver !== undefined);
  }

  get ending(): string {
    return this.#outcome?.ending ?? this.subject.ending;
  }

  get user_input(): string {
    const { userInput } = this.subject.turn;
    if (userInput.state !== 'whole') throw gapOf("The user's request", userInput);
    return userInput.text;
  }

  /** '' where it is known that there was none. */
  get final_answer(): string {
    const { turn } = this.subject;
    if (turn.finalAnswer.state === 'missing' && !isAnswerUnknown(turn)) return '';
    if (turn.finalAnswer.state !== 'whole') throw gapOf('The final answer', turn.finalAnswer);
    return turn.finalAnswer.text;
  }

  get usage(): UsageView | undefined {
    const { usage } = this.subject.conversation;
    return usage && new UsageView(usage);
  }

  // Names for outcome rules alone, because only their environment declares them.

  get score(): number | undefined {
    return this.#outcome?.score;
  }

  get completed(): boolean | undefined {
    return this.#outcome?.completed;
  }

  get failed(): boolean | undefined {
    return this.#outcome?.failed;
  }

  get criteria(): ReadonlyMap<string, string> | undefined {
    return this.#outcome?.verdicts;
  }

  // Names for the selectors of order criteria alone, likewise.

  get call(): ToolCallView | undefined {
    const call = this.#lookedAt?.call;
    return call && new ToolCallView(call, this.subject, this.#touch);
  }

  get step(): StepView | undefined {
    const step = this.#lookedAt?.step;
    return step && new StepView(step, this.#touch);
  }

  lookAt(deed: LookedAt | undefined): void {
    this.#lookedAt = deed;
  }

  /** Enables outcome rules, which need the outcome. */
  setOutcome(view: OutcomeView): void {
    this.#outcome = view;
  }

  /**
   * The value of an extract; null where what it reads is absent, so that an expression can ask for that too. Content
   * that was not recorded is no absence: whatever reads it cannot be decided.
   */
  extracted(name: string, program: Program): unknown {
    let extract = this.#extracts?.get(name);
    if (extract === undefined) {
      const outer = { touched: this.#touched, touchedState: this.#touchedState };
      this.watch();
      extract = { end: program.run(this), touched: this.#touched, touchedState: this.#touchedState };
      this.#touched = outer.touched;
      this.#touchedState = outer.touchedState;
      this.#extracts ??= new Map();
      this.#extracts.set(name, extract);
    }
    // The data that the extract read is evidence wherever its value is used.
    this.#touch(extract.touched);
    this.#touchedState ||= extract.touchedState;
    const { end } = extract;
    switch (end.kind) {
      case 'value':
        return end.value;
      case 'absent':
        return null;
      case 'gap':
        throw new ContentGap(end.reason);
      case 'error':
        throw new CheckError(`The extract ${name} failed: ${end.reason}`);
    }
  }

  /** Why an extract is absent, where it is one and is. */
  absenceOf(name: string): string | undefined {
    const end = this.#extracts?.get(name)?.end;
    return end?.kind === 'absent' ? end.reason : undefined;
  }

  /** Begins to note what is looked at. */
  watch(): void {
    this.#touched = undefined;
    this.#touchedState = false;
  }

  /** The step to look at: the tool call or step last looked into, else the step that recorded the state. */
  evidence(): readonly SpanId[] {
    if (this.#touched !== undefined) return [this.#touched];
    if (!this.#touchedState) return [];
    const recorder = this.subject.steps.findLast((step) => step.marks.state !== undefined);
    return recorder === undefined ? [] : [recorder.spanId];
  }
}

/**
 * Scopes with a name for each extract. The names are getters on a class made for the suite, because the library reads
 * variables as properties, and because making properties for each evaluation would cost more than most checks.
 */
export function scopeMaker(extracts: ReadonlyMap<string, Program>): (subject: Subject) => Scope {
  class SuiteScope extends Scope {}
  for (const [name, program] of extracts) {
    Object.defineProperty(SuiteScope.prototype, name, {
      get(this: Scope) {
        return this.extracted(name, program);
      },
    });
  }
  return (subject) => subject.once(SuiteScope, () => new SuiteScope(subject));
}
