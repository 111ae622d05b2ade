/**
 * Tool calls of which the model's own span does not tell: a stream that was put together without them, an API that the
 * instrumentation does not know, attributes that were dropped. Such a span gave back nothing at all, and then the next
 * model call of the same agent was shown what had been asked; or the step of a graph around the model call gave it back.
 */
import type { Message, Step } from '../../model/step.ts';
import type { Family } from './span-tree.ts';
import type { ToolRequest } from './transcripts.ts';

/** Each looks at the steps around it, and a hostile trace may have thousands. */
const SILENT_MAX = 64;

export function shownRequests(
  family: Family,
  members: readonly number[],
  requests: readonly ToolRequest[],
): readonly ToolRequest[] {
  const models = members.filter((index) => family.at(index).kind === 'llm');
  const silent = models.filter((index) => isSilent(family.at(index))).slice(0, SILENT_MAX);
  if (silent.length === 0) return [];
  const known = new Set(requests.flatMap(({ id }) => id ?? []));
  const agentOf = family.nearestAncestors((step) => step.kind === 'agent' || step.kind === 'tool');
  const found: ToolRequest[] = [];
  for (const index of silent) {
    const by = family.at(index);
    const later = models.slice(models.indexOf(index) + 1).find((model) => agentOf[model] === agentOf[index]);
    const next = later === undefined ? undefined : family.at(later);
    for (const id of callIds(by.messagesIn)) known.add(id);
    const shown = next === undefined ? [] : newCalls(next.messagesIn, known);
    const asked = shown.length > 0 ? shown : newCalls(givenAround(family, members, by), known);
    const beforeMs = next?.startedAtMs ?? Number.POSITIVE_INFINITY;
    for (const [position, call] of asked.entries()) {
      known.add(call.id);
      found.push({ ...call, by, beforeMs, position, siblings: asked.length });
    }
  }
  return found;
}

/** True for a call that ended without a word and without a tool call. */
function isSilent(step: Step): boolean {
  return step.messagesOut.every(({ parts }) => parts.length === 0) && step.error === undefined;
}

type Call = Pick<ToolRequest, 'name' | 'args'> & { readonly id: string };

function newCalls(messages: readonly Message[], known: ReadonlySet<string>): readonly Call[] {
  const since = messages.findLastIndex(({ role }) => role === 'user') + 1;
  return messages.slice(since).flatMap(({ parts }) =>
    parts.flatMap((part): readonly Call[] => {
      if (part.type !== 'tool_call' || part.id === undefined || known.has(part.id)) return [];
      return [{ id: part.id, name: part.name, args: part.args }];
    }),
  );
}

function callIds(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool_call' ? (part.id ?? []) : [])));
}

/** Output of the smallest step that encloses this model call and no other. */
function givenAround(family: Family, members: readonly number[], by: Step): readonly Message[] {
  let least: Step | undefined;
  for (const index of members) {
    const step = family.at(index);
    if ((step.kind !== 'step' && step.kind !== 'workflow') || !isAround(step, by)) continue;
    if (least === undefined || lengthOf(step) < lengthOf(least)) least = step;
  }
  if (least === undefined) return [];
  const around = least;
  const isShared = members.some((index) => {
    const step = family.at(index);
    return step.kind === 'llm' && step !== by && isAround(around, step);
  });
  return isShared ? [] : least.messagesOut;
}

function isAround(step: Step, inner: Step): boolean {
  return step.startedAtMs <= inner.startedAtMs && step.endedAtMs >= inner.endedAtMs;
}

function lengthOf(step: Step): number {
  return step.endedAtMs - step.startedAtMs;
}
