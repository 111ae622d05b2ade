/**
 * Lists what was done in a conversation, each thing once: a step, a tool call, or both where the call has a span of its
 * own. These are what order criteria put in order, and what their selectors match.
 */
import { actorsOf } from '../../model/actors.ts';
import type { SpanId } from '../../model/ids.ts';
import type { Step, StepKind } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import type { Subject } from '../subject/subject.ts';

export interface Deed {
  readonly kind: StepKind;
  /** Name of the tool as the model called it, otherwise of the step. */
  readonly name: string;
  readonly step: Step | undefined;
  readonly call: ToolCall | undefined;
  /** The index of its turn. */
  readonly turn: number;
}

/** The parts of a subject needed to order its steps. */
export interface OrderedSubject extends Pick<Subject, 'once'> {
  readonly turns: readonly Pick<Turn, 'steps' | 'toolCalls' | 'rootSpanId'>[];
}

/** In order of turns, then of their start, as far as it is known: an order to read them in, which proves nothing. */
export function deedsOf(subject: OrderedSubject): readonly Deed[] {
  return subject.once(deedsOf, () => subject.turns.flatMap(deedsOfTurn));
}

export function spanOf({ step, call }: Deed): SpanId | undefined {
  return step?.spanId ?? call?.spanId ?? call?.requestedBy;
}

function deedsOfTurn({ steps, toolCalls }: OrderedSubject['turns'][number], turn: number): readonly Deed[] {
  const calls = new Map<SpanId, ToolCall>();
  const withoutStep: ToolCall[] = [];
  const spans = new Set(steps.map(({ spanId }) => spanId));
  for (const call of toolCalls) {
    const { spanId } = call;
    if (spanId === undefined || !spans.has(spanId) || calls.has(spanId)) withoutStep.push(call);
    else calls.set(spanId, call);
  }
  const deeds = steps.map((step): Deed => {
    const call = calls.get(step.spanId);
    // A span that two steps share is the call's once.
    calls.delete(step.spanId);
    return call === undefined
      ? { kind: step.kind, name: step.name, step, call, turn }
      : { kind: 'tool', name: call.name, step, call, turn };
  });
  if (withoutStep.length === 0) return deeds;
  const others = withoutStep.map((call): Deed => ({ kind: 'tool', name: call.name, step: undefined, call, turn }));
  return [...deeds, ...others].sort((a, b) => startOf(a) - startOf(b));
}

export function startOf({ step, call }: Deed): number {
  return step?.startedAtMs ?? call?.startedAtMs ?? 0;
}

export function endOf({ step, call }: Deed): number {
  return step?.endedAtMs ?? call?.endedAtMs ?? 0;
}

/** The name of the agent that did it: its own, else that of the nearest step around it. */
export function agentNames(subject: Subject): ReadonlyMap<Deed, string> {
  return subject.once(agentNames, () => {
    const names = new Map<Deed, string>();
    const ofSpans = subject.turns.map(actorsOf);
    for (const deed of deedsOf(subject)) {
      const span = deed.step?.spanId ?? deed.call?.requestedBy;
      const ofSpan = span === undefined ? undefined : ofSpans[deed.turn]?.get(span);
      const name = ofSpan ?? subject.turns[deed.turn]?.agent.name;
      if (name !== undefined) names.set(deed, name);
    }
    return names;
  });
}

/** Spans were lost or left out, and the steps that would have been right may be among them. */
export function mayLackSteps({ turns }: Subject): boolean {
  return turns.some(
    ({ flags, lacksParents }) => flags.includes('over-limit') || (lacksParents && flags.includes('partial-trace')),
  );
}
