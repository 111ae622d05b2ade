/**
 * Which tools hand a conversation over to a person. Their names are compared in lower case, with words set apart by `_`, so that
 * `transferToHuman` and `transfer-to-human` are `transfer_to_human`. An agent that passes on to another agent hands over to nobody.
 */
import { compileGlob } from '../../model/glob.ts';
import { HAND_OVER_TOOLS } from '../../model/hand-over-tools.ts';
import { remembering } from '../../model/remembering.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { hasFailed } from './failed-call.ts';

export type HandsOver = (tool: string) => boolean;

export function handsOverBy(globs: readonly string[]): HandsOver {
  const matchers = globs.map((glob) => compileGlob(inWords(glob)));
  return remembering((tool) => {
    const name = inWords(tool);
    return matchers.some((matches) => matches(name));
  });
}

export const handsOverByDefault = handsOverBy(HAND_OVER_TOOLS);

/** The call by which the turn was handed over; undefined where it was not. */
export function handOverIn({ toolCalls }: Pick<Turn, 'toolCalls'>, handsOver: HandsOver): ToolCall | undefined {
  return toolCalls.findLast((call) => handsOver(call.name) && !hasFailed(call));
}

function inWords(name: string): string {
  return name
    .slice(0, 200)
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, '_')
    .replaceAll(/[-.\s/:]+/g, '_')
    .toLowerCase();
}
