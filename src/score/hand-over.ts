/**
 * Which tools hand a conversation over to a person. Their names are compared in lower case, with words set apart by `_`, so that
 * `transferToHuman` and `transfer-to-human` are `transfer_to_human`. An agent that passes on to another agent hands over to nobody.
 */
import { compileGlob } from '../model/glob.ts';
import { HAND_OVER_TOOLS } from '../model/hand-over-tools.ts';
import type { ToolCall, Turn } from '../model/turn.ts';
import { hasFailed } from './failed-call.ts';

export type HandsOver = (tool: string) => boolean;

export function handsOverBy(globs: readonly string[]): HandsOver {
  const matchers = globs.map((glob) => compileGlob(inWords(glob)));
  const known = new Map<string, boolean>();
  return (tool) => {
    let answer = known.get(tool);
    if (answer === undefined) {
      const name = inWords(tool);
      answer = matchers.some((matches) => matches(name));
      // Names come from spans; there is no end to them.
      if (known.size < NAMES_MAX) known.set(tool, answer);
    }
    return answer;
  };
}

export const handsOverByDefault = handsOverBy(HAND_OVER_TOOLS);

/** The call by which the turn was handed over; undefined where it was not. */
export function handOverIn({ toolCalls }: Pick<Turn, 'toolCalls'>, handsOver: HandsOver): ToolCall | undefined {
  return toolCalls.findLast((call) => handsOver(call.name) && !hasFailed(call));
}

const NAMES_MAX = 10_000;

function inWords(name: string): string {
  return name
    .slice(0, 200)
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, '_')
    .replaceAll(/[-.\s/:]+/g, '_')
    .toLowerCase();
}
