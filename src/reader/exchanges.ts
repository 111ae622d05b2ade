/** A turn in the order in which it went: formats of messages have each model call with what came of it. */
import type { PlainModelCall, PlainToolCall, PlainTurn } from './plain-conversation.ts';

interface Exchange {
  /** Undefined for a tool call that no known model call asked for. */
  readonly call: PlainModelCall | undefined;
  readonly tools: readonly PlainToolCall[];
}

/** Tool calls that none asked for stand alone, by their time; last where it is not known. */
export function exchangesOf({ model_calls: calls, tool_calls: tools }: PlainTurn): readonly Exchange[] {
  const alone = tools.filter(({ asked_by: by }) => by === null || calls[by] === undefined);
  const exchanges = calls.flatMap((call, place): readonly Exchange[] => {
    const started = call.started_at;
    const before =
      started === null ? [] : alone.filter(({ started_at: at }) => at !== null && Date.parse(at) < Date.parse(started));
    alone.splice(0, alone.length, ...alone.filter((one) => !before.includes(one)));
    const asked = tools.filter(({ asked_by: by }) => by === place);
    return [...before.map(standing), { call, tools: asked }];
  });
  return [...exchanges, ...alone.map(standing)];
}

function standing(tool: PlainToolCall): Exchange {
  return { call: undefined, tools: [tool] };
}

/** Whether the turn's answer is in no message of its model calls. */
export function answersElsewhere({ final_answer: answer, model_calls: calls }: PlainTurn): boolean {
  return answer !== null && calls.findLast(({ main }) => main)?.text !== answer;
}

/** Value as text, as tools give it to models. */
export function textOf(value: PlainToolCall['result']): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
