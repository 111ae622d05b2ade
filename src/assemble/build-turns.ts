/**
 * Steps of one trace to turns. The same steps give the same turns whatever order they came in and however often: the first
 * thing done is to keep each span once and to put them in one order.
 *
 * What few criteria ask for (the answer, the tool calls, the flags) is worked out when it is first read.
 */
import type { TraceId, TurnId } from '../model/ids.ts';
import type { Step, StepFlag } from '../model/step.ts';
import type { Turn, TurnFlag } from '../model/turn.ts';
import { merged } from './turns/double-instrumentation.ts';
import { familyOf, NONE, type Family } from './turns/family.ts';
import { agentOf, conversationIdOf, environmentOf, userIdOf } from './turns/identity.ts';
import { mainCalls } from './turns/main-calls.ts';
import { marksOf } from './turns/marks.ts';
import { finalAnswerOf, turnErrorOf, userInputOf } from './turns/outcome-of.ts';
import { toolCallsOf } from './turns/tool-calls.ts';
import { turnsOf, type TurnSteps } from './turns/turn-roots.ts';
import { costOf, usageOf } from './turns/usage.ts';

/** In order of their start. None where the trace holds nothing of an agent's: no spans, or only an evaluator's. */
export function buildTurns(steps: readonly Step[]): readonly Turn[] {
  const family = merged(familyOf(steps));
  if (family.steps.length === 0) return [];
  const turns = turnsOf(family);
  return turns.map((turn) => buildTurn(family, turn, turns.length > 1));
}

function buildTurn(family: Family, { root: rootIndex, members }: TurnSteps, isOneOfSeveral: boolean): Turn {
  const root = family.at(rootIndex);
  const steps = members.map((index) => family.at(index));
  const calls = mainCalls(family, members);
  const finalAnswer = finalAnswerOf(root, calls);
  const toolCalls = once(() => toolCallsOf(family, members, root));
  const error = once(() => turnErrorOf({ root, calls, steps, answer: finalAnswer }));
  const flags = once(() => flagsOf(family, steps));
  const attributes = once(() => root.attributes);
  return {
    id: turnIdOf(root.traceId, isOneOfSeveral ? root : undefined),
    traceId: root.traceId,
    rootSpanId: root.spanId,
    ...conversationIdOf(family, rootIndex, members),
    userId: userIdOf(root, steps),
    agent: agentOf(root, steps),
    environment: environmentOf(root, steps),
    get attributes() {
      return attributes();
    },
    userInput: userInputOf(root, calls),
    finalAnswer,
    steps,
    get toolCalls() {
      return toolCalls();
    },
    llmCalls: steps.reduce((count, step) => (step.kind === 'llm' ? count + 1 : count), 0),
    finishReasons: calls.at(-1)?.model?.finishReasons ?? [],
    usage: usageOf(family, members),
    costUsd: costOf(family, members),
    get error() {
      return error();
    },
    startedAtMs: Math.min(...steps.map((step) => step.startedAtMs)),
    endedAtMs: Math.max(...steps.map((step) => step.endedAtMs)),
    ...marksOf(steps),
    get flags() {
      return flags();
    },
  };
}

function turnIdOf(traceId: TraceId, root: Step | undefined): TurnId {
  // The cast is the brand: this is the form that `model/ids.ts` defines.
  return (root === undefined ? traceId : `${traceId}/${root.spanId}`) as string as TurnId;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Flags of steps that say something about the turn as a whole. */
const SHARED_FLAGS = [
  'truncated-json',
  'redacted',
  'negative-duration',
  'attributes-dropped',
] as const satisfies readonly (StepFlag | TurnFlag)[];

function flagsOf(family: Family, steps: readonly Step[]): readonly TurnFlag[] {
  const flags: TurnFlag[] = [];
  if (family.lacksParents) flags.push(hasRoot(family) ? 'partial-trace' : 'root-missing');
  const models = steps.filter((step) => step.kind === 'llm');
  if (models.length > 0 && models.every((step) => step.flags.includes('content-missing')))
    flags.push('content-missing');
  for (const flag of SHARED_FLAGS) if (steps.some((step) => step.flags.includes(flag))) flags.push(flag);
  return flags;
}

/** A span without a parent; or one agent with everything below it, whose caller is traced somewhere else. */
function hasRoot(family: Family): boolean {
  const tops = family.steps.filter((_, index) => family.parentOf(index) === NONE);
  if (tops.some((step) => step.parentSpanId === undefined)) return true;
  const [only] = tops;
  return tops.length === 1 && (only?.kind === 'agent' || only?.kind === 'workflow');
}
