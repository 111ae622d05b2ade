/**
 * The instructions that agents had, each where it begins: whole once, then only when they change. Instructions in force
 * when the user asked come before the request; those that begin later in the turn, such as those of another agent, come
 * where they begin.
 *
 *   a new text                          whole; or, where it differs little from the agent's last one, the difference
 *   one that was shown, but was not in
 *   force in the agent's turn before    a line that says where it was shown
 *   one that is still in force          nothing
 */
import type { Turn } from '../../model/turn.ts';
import { whatChanged } from './changed-text.ts';
import type { Item } from './item.ts';

export interface BegunInstructions {
  /** Undefined where they were in force from the beginning of the turn. */
  readonly at: number | undefined;
  readonly item: Item;
}

/** Instructions of one agent. */
interface Known {
  /** Turn in which each text was shown. */
  readonly shownIn: Map<string, number>;
  /** Instructions of the last turn in which it had any. */
  inForce: ReadonlySet<string>;
  last: string | undefined;
}

/** Instructions that begin in each turn, in order. */
export function instructionsByTurn(turns: readonly Turn[]): readonly (readonly BegunInstructions[])[] {
  const agents = new Map<string | undefined, Known>();
  return turns.map((turn, index) => begunIn(turn, index + 1, agents));
}

function begunIn(turn: Turn, number: number, agents: Map<string | undefined, Known>): readonly BegunInstructions[] {
  const begun: BegunInstructions[] = [];
  const inForce = new Map<Known, Set<string>>();
  let isFirst = true;
  for (const step of turn.steps) {
    const text = step.systemInstructions;
    if (text === undefined) continue;
    const agent = step.agent.name ?? turn.agent.name;
    const known = agents.get(agent) ?? { shownIn: new Map(), inForce: new Set(), last: undefined };
    agents.set(agent, known);
    const ofTurn = inForce.get(known) ?? new Set();
    inForce.set(known, ofTurn);
    const isNews = !ofTurn.has(text) && !known.inForce.has(text);
    ofTurn.add(text);
    if (isNews)
      begun.push({ at: isFirst ? undefined : step.startedAtMs, item: itemOf(text, { agent, number, known }) });
    isFirst = false;
  }
  for (const [known, texts] of inForce) known.inForce = texts;
  return begun;
}

function itemOf(
  text: string,
  { agent, number, known }: { readonly agent: string | undefined; readonly number: number; readonly known: Known },
): Item {
  const shownIn = known.shownIn.get(text);
  const changed = known.last === undefined ? undefined : whatChanged(known.last, text);
  if (shownIn === undefined) known.shownIn.set(text, number);
  known.last = text;
  return {
    item: 'instructions',
    turn: number,
    fields: [
      ...(agent === undefined ? [] : [{ key: 'agent', text: agent }]),
      shownIn === undefined
        ? { key: 'text', text: changed ?? text }
        : { key: 'text', text: undefined, note: `the same as in turn ${shownIn}` },
    ],
    rank: 'instructions',
    // A reader of a verdict wants to see what broke the rule, not where the rule was.
    spanId: undefined,
  };
}
