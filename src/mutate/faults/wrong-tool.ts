/**
 * Another tool is called than the task takes, with the same arguments, and answers as if all were well. The requested
 * action was not done.
 */
import { callsOf, withCall } from '../edit.ts';
import type { Fault, Scene } from '../fault.ts';
import { withoutItsEffect } from '../undo.ts';
import { inTurn, short } from '../wording.ts';

export const wrongTool: Fault = {
  name: 'wrong_tool',
  description: 'another tool is called',
  placesIn: (scene) =>
    callsOf(scene.excerpt)
      .filter(({ call }) => call.error === undefined)
      .map((place) => (chance) => {
        const { excerpt } = scene;
        const { call, turn } = place;
        const tool = chance.pick(othersFor(call.tool, scene)) ?? namesake(call.tool);
        const wrong = withCall(excerpt, place, { ...call, tool });
        return {
          excerpt: withoutItsEffect(wrong, place, scene),
          what: `${short(tool)} was called instead of ${short(call.tool)}${inTurn(turn, excerpt)}`,
          advice: `order: { at_least: [1, ${short(call.tool)}] }, or a golden trace`,
        };
      }),
};

function othersFor(tool: string, { tools }: Scene): readonly string[] {
  return tools.filter((other) => other !== tool);
}

/** `draft_meeting` for `book_meeting`. */
function namesake(tool: string): string {
  const [, ...rest] = tool.split('_');
  return rest.length === 0 ? `draft_${tool}` : ['draft', ...rest].join('_');
}
