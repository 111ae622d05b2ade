/**
 * Finds the agent that did a step: the one that it names, else the one that the nearest step around it names. Frameworks
 * name the agent on its own span and rarely on the model calls and tool calls below it.
 */
import { labelValue } from './agent-labels.ts';
import type { Conversation } from './conversation.ts';
import type { SpanId } from './ids.ts';
import type { Step } from './step.ts';
import type { ToolCall, Turn } from './turn.ts';

/** Names as the spans have them, by span; undefined where no step around it names an agent. */
export type Actors = ReadonlyMap<SpanId, string | undefined>;

export function actorsOf({ steps }: Pick<Turn, 'steps'>): Actors {
  const byId = new Map(steps.map((step) => [step.spanId, step]));
  const names = new Map<SpanId, string | undefined>();
  for (const step of steps) {
    const path: SpanId[] = [];
    let at: Step | undefined = step;
    let name: string | undefined;
    while (at !== undefined && !names.has(at.spanId)) {
      name = agentNamedBy(at);
      // Known from here on, so that a circle of parents ends.
      names.set(at.spanId, name);
      if (name !== undefined) break;
      path.push(at.spanId);
      at = at.parentSpanId === undefined ? undefined : byId.get(at.parentSpanId);
    }
    if (name === undefined && at !== undefined) name = names.get(at.spanId);
    for (const span of path) names.set(span, name);
  }
  return names;
}

/** LangGraph's prebuilt agents have a node of this name in each, which exporters report as an agent. */
const NO_NAME = 'agent';

function agentNamedBy({ agent: { name } }: Step): string | undefined {
  return name === NO_NAME ? undefined : name;
}

/** The span that says who made a call: its own, else that of the model call that asked for it. */
export function actingSpanOf({ spanId, requestedBy }: Pick<ToolCall, 'spanId' | 'requestedBy'>, actors: Actors) {
  return spanId !== undefined && actors.has(spanId) ? spanId : requestedBy;
}

/**
 * Whether any step names another agent than the conversation's. Most conversations have one agent, and this is all that
 * they cost.
 */
export function namesOthers({ agent: { name: own }, turns }: Pick<Conversation, 'agent' | 'turns'>): boolean {
  for (const { steps } of turns)
    for (const step of steps) {
      const name = agentNamedBy(step);
      if (name !== undefined && name !== own && isOther(name, own)) return true;
    }
  return false;
}

/** The name of a sub-agent as all surfaces show it; undefined where it is the conversation's agent itself. */
export function subAgentName(name: string | undefined, own: string | undefined): string | undefined {
  return name !== undefined && isOther(name, own) ? labelValue(name) : undefined;
}

/** Names that are alike once they are cut have one name on every surface. */
function isOther(name: string, own: string | undefined): boolean {
  return own === undefined || labelValue(name) !== labelValue(own);
}
