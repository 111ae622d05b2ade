/**
 * Steps of one trace to turns. The same steps give the same turns whatever order they came in and however often: the
 * first thing done is to keep each span once and to put them in one order.
 *
 * Parts that few criteria ask for (the answer, the tool calls, the flags) are worked out when they are first read.
 */
import type { SpanId, TraceId, TurnId } from '../model/ids.ts';
import type { ReportedCost, SpentTokens } from '../model/cost.ts';
import type { Json } from '../model/json.ts';
import type { AgentIdentity, Content, Step, StepError, StepFlag, Usage } from '../model/step.ts';
import type { Doubt, ToolCall, Turn, TurnFlag } from '../model/turn.ts';
import { doubtsOf } from './turns/doubts.ts';
import { merged } from './turns/double-instrumentation.ts';
import { familyOf, NONE, type Family } from './turns/span-tree.ts';
import { agentOf, conversationIdOf, environmentOf, userIdOf } from './turns/identity.ts';
import { mainCalls } from './turns/main-calls.ts';
import { firstThere } from './turns/deferred-content.ts';
import { marksOf } from './turns/marks.ts';
import { finalAnswerOf, finishReasonsOf, turnErrorOf, userInputOf } from './turns/outcome-of.ts';
import { shownAnswer } from './turns/shown-answer.ts';
import { toolCallsOf } from './turns/tool-calls.ts';
import { turnsOf, type TurnSteps } from './turns/turn-roots.ts';
import { costOf, costsOf, spentOf, usageOf } from './turns/usage.ts';

/** In order of their start. None where the trace holds nothing of an agent's: no spans, or only an evaluator's. */
export function buildTurns(steps: readonly Step[]): readonly Turn[] {
  const family = merged(familyOf(steps));
  if (family.steps.length === 0) return [];
  const turns = turnsOf(family);
  return turns.map((turn) => {
    const root = family.at(turn.root);
    return new BuiltTurn(family, turn, turnIdOf(root.traceId, turns.length > 1 ? root : undefined));
  });
}

/**
 * Joins the parts of a turn that is spread over several traces. It takes the id and the start of the first; the turn
 * after it may show what it answered.
 */
export function joinedTurn(first: Turn, rest: readonly Turn[], next: Turn | undefined): Turn {
  const family = familyOf([first, ...rest].flatMap(({ steps }) => steps));
  const root = family.steps.findIndex(
    ({ spanId, traceId }) => spanId === first.rootSpanId && traceId === first.traceId,
  );
  const nextCall = next?.steps.find(({ kind }) => kind === 'llm');
  const members = family.steps.map((_, index) => index);
  return new BuiltTurn(family, { root: Math.max(0, root), members }, first.id, nextCall);
}

/**
 * A class rather than a literal with getters: V8 makes a hidden class for each such literal, and keeps whatever its getters
 * refer to alive until the next full collection.
 */
class BuiltTurn implements Turn {
  readonly id: TurnId;
  readonly traceId: TraceId;
  readonly rootSpanId: SpanId;
  readonly conversationId: string | undefined;
  readonly userInput: Content;
  readonly finalAnswer: Content;
  readonly steps: readonly Step[];
  readonly llmCalls: number;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly ended: boolean;
  readonly state: Json | undefined;
  readonly truth: Json | undefined;
  readonly lacksParents: boolean;

  readonly #family: Family;
  readonly #members: readonly number[];
  readonly #root: Step;
  readonly #calls: readonly Step[];
  readonly #idSource: () => string;
  #agent: AgentIdentity | undefined;
  #toolCalls: readonly ToolCall[] | undefined;
  #error: StepError | undefined | null = null;
  #flags: readonly TurnFlag[] | undefined;
  #doubts: readonly Doubt[] | undefined;
  #finishReasons: readonly string[] | undefined;
  #spent: readonly SpentTokens[] | undefined;

  constructor(family: Family, { root, members }: TurnSteps, id: TurnId, nextCall?: Step) {
    const step = family.at(root);
    this.#family = family;
    this.#members = members;
    this.#root = step;
    this.#calls = mainCalls(family, members);
    this.steps = members.length === family.steps.length ? family.steps : members.map((index) => family.at(index));
    this.traceId = step.traceId;
    this.id = id;
    this.lacksParents = family.lacksParents;
    this.rootSpanId = step.spanId;
    const { conversationId, source } = conversationIdOf(family, root, members);
    this.conversationId = conversationId;
    this.#idSource = source;
    this.userInput = userInputOf(step, this.#calls, this.steps);
    const answer = finalAnswerOf(step, this.#calls, this.steps);
    const last = this.#calls.at(-1);
    this.finalAnswer =
      nextCall === undefined
        ? answer
        : firstThere(
            () => answer,
            () => shownAnswer(last, nextCall),
          );
    this.usage = usageOf(family, members);
    this.costUsd = costOf(family, members);
    const { ended, state, truth } = marksOf(this.steps);
    this.ended = ended;
    this.state = state;
    this.truth = truth;
    let llmCalls = 0;
    let startedAtMs = Number.POSITIVE_INFINITY;
    let endedAtMs = Number.NEGATIVE_INFINITY;
    for (const member of this.steps) {
      if (member.kind === 'llm') llmCalls++;
      if (member.startedAtMs < startedAtMs) startedAtMs = member.startedAtMs;
      if (member.endedAtMs > endedAtMs) endedAtMs = member.endedAtMs;
    }
    this.llmCalls = llmCalls;
    this.startedAtMs = startedAtMs;
    this.endedAtMs = endedAtMs;
  }

  get conversationIdSource(): string {
    return this.#idSource();
  }

  get userId(): string | undefined {
    return userIdOf(this.#root, this.steps);
  }

  get agent(): AgentIdentity {
    this.#agent ??= agentOf(this.#root, this.steps);
    return this.#agent;
  }

  get environment(): string | undefined {
    return environmentOf(this.#root, this.steps);
  }

  get attributes(): Turn['attributes'] {
    return this.#root.attributes;
  }

  get finishReasons(): readonly string[] {
    this.#finishReasons ??= finishReasonsOf(this.#root, this.#calls);
    return this.#finishReasons;
  }

  get spent(): readonly SpentTokens[] {
    this.#spent ??= spentOf(this.#family, this.#members);
    return this.#spent;
  }

  get costs(): readonly ReportedCost[] {
    return this.costUsd === undefined ? [] : costsOf(this.#family, this.#members);
  }

  get toolCalls(): readonly ToolCall[] {
    this.#toolCalls ??= toolCallsOf(this.#family, this.#members, this.#root);
    return this.#toolCalls;
  }

  get error(): StepError | undefined {
    if (this.#error === null) {
      const ending = { root: this.#root, calls: this.#calls, steps: this.steps, answer: this.finalAnswer };
      this.#error = turnErrorOf(ending);
    }
    return this.#error;
  }

  get doubts(): readonly Doubt[] {
    this.#doubts ??= doubtsOf(this);
    return this.#doubts;
  }

  get flags(): readonly TurnFlag[] {
    this.#flags ??= flagsOf(this.#family, this.steps, this.toolCalls);
    return this.#flags;
  }
}

function turnIdOf(traceId: TraceId, root: Step | undefined): TurnId {
  // The cast is the brand: this is the form that `model/ids.ts` defines.
  return (root === undefined ? traceId : `${traceId}/${root.spanId}`) as string as TurnId;
}

/** Flags of steps that say something about the turn as a whole. */
const SHARED_FLAGS = [
  'truncated-json',
  'redacted',
  'negative-duration',
  'attributes-dropped',
] as const satisfies readonly (StepFlag | TurnFlag)[];

function flagsOf(family: Family, steps: readonly Step[], calls: readonly ToolCall[]): readonly TurnFlag[] {
  const flags: TurnFlag[] = [];
  if (family.lacksParents && !hasRoot(family)) flags.push('root-missing');
  else if (family.lacksParents || lacksToolSpans(calls)) flags.push('partial-trace');
  const models = steps.filter((step) => step.kind === 'llm');
  if (models.length > 0 && models.every((step) => step.flags.includes('content-missing')))
    flags.push('content-missing');
  for (const flag of SHARED_FLAGS) if (steps.some((step) => step.flags.includes(flag))) flags.push(flag);
  return flags;
}

/** Some calls have spans, and others are known only because a model was shown what they gave: those were sampled out. */
function lacksToolSpans(calls: readonly ToolCall[]): boolean {
  return (
    calls.some(({ spanId }) => spanId !== undefined) &&
    calls.some(({ spanId, answered }) => spanId === undefined && answered)
  );
}

/** A span without a parent; or one agent with everything below it, whose caller is traced somewhere else. */
function hasRoot(family: Family): boolean {
  const tops = family.steps.filter((_, index) => family.parentOf(index) === NONE);
  if (tops.some((step) => step.parentSpanId === undefined)) return true;
  const [only] = tops;
  return tops.length === 1 && (only?.kind === 'agent' || only?.kind === 'workflow');
}
