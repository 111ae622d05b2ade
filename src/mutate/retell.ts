/**
 * A conversation in a few lines, whatever spans it came from: what faults are put into. The lines cannot hold
 * retrievals, other agents' steps, times and tokens. So the caller makes sure that the rewritten conversation scores as
 * the recorded one did.
 */
import type { Conversation } from '../model/conversation.ts';
import type { Excerpt, ExcerptCall, ExcerptTurn } from '../model/excerpt.ts';
import type { Content } from '../model/step.ts';
import type { ToolCall, Turn } from '../model/turn.ts';

/** A text says why it can't be retold. */
export function retell({ turns, agent, environment }: Conversation): Excerpt | string {
  const whole = turns.every((turn) =>
    [turn.userInput, turn.finalAnswer, ...turn.toolCalls.flatMap(({ args, result }) => [args, result])].every(isKnown),
  );
  if (!whole) return 'some of its content was cut or redacted';
  return {
    is: 'excerpt',
    agent: agent.name,
    version: agent.version,
    environment,
    instructions: turns.flatMap(({ steps }) => steps.flatMap((step) => step.systemInstructions ?? [])).at(-1),
    // The attributes are put back as they were: dialects are known by some of them.
    attributes: new Map(),
    state: undefined,
    turns: turns.map(retoldTurn),
  };
}

function retoldTurn(turn: Turn): ExcerptTurn {
  return {
    user: textOf(turn.userInput),
    calls: groupsOf(turn.toolCalls).map((group) => group.map(retoldCall)),
    answer: textOf(turn.finalAnswer),
    finish: turn.finishReasons.includes('length') ? 'length' : 'stop',
    error: turn.error === undefined ? undefined : turn.error.message || turn.error.type,
    state: turn.state,
  };
}

/** Calls that overlap ran side by side. */
function groupsOf(calls: readonly ToolCall[]): readonly (readonly ToolCall[])[] {
  const groups: ToolCall[][] = [];
  let endsAtMs = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    const last = groups.at(-1);
    const isBeside =
      last?.[0]?.requestedBy === call.requestedBy && call.startedAtMs < endsAtMs && call.endedAtMs > call.startedAtMs;
    if (last !== undefined && isBeside) last.push(call);
    else groups.push([call]);
    endsAtMs = last !== undefined && isBeside ? Math.min(endsAtMs, call.endedAtMs) : call.endedAtMs;
  }
  return groups;
}

function retoldCall({ name, args, result, error }: ToolCall): ExcerptCall {
  return {
    tool: name,
    args: args.state === 'missing' ? {} : args.json,
    result: result.state === 'missing' || error !== undefined ? undefined : result.json,
    error: error === undefined ? undefined : error.message || error.type,
  };
}

function textOf(content: Content): string | undefined {
  return content.state === 'missing' ? undefined : content.text;
}

function isKnown({ state }: Content): boolean {
  return state === 'whole' || state === 'missing';
}
