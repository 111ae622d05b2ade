/** Calls that are left out, made of another tool, made again, or made although nobody asked for them. */
import { type CallPlace, callsOf, withCall, withCallAfter, withoutCall } from '../edit.ts';
import type { Fault, Scene } from '../fault.ts';
import { isSameCall } from '../same-call.ts';
import { withoutItsEffect } from '../undo.ts';
import { inTurn, short, show } from '../wording.ts';
import type { ExcerptCall } from '../../model/excerpt.ts';
import { isList } from '../../model/json.ts';

/**
 * A tool call that worked is left out, and the agent answers as if it had been made. The state loses what it repeats of
 * the call. A call that was made twice is not missed.
 */
export const callDropped: Fault = {
  name: 'call_dropped',
  description: 'a tool call is left out',
  placesIn: (scene) => {
    const { excerpt } = scene;
    const calls = callsOf(excerpt);
    const worked = calls.filter(({ call }) => call.error === undefined);
    return worked
      .filter(({ call }) => worked.filter((other) => isSameCall(other.call, call)).length === 1)
      .map((place) => () => {
        const { call, turn } = place;
        return {
          excerpt: withoutItsEffect(withoutCall(excerpt, place), place, scene),
          what: `${short(call.tool)} was not called${inTurn(turn, excerpt)}`,
          advice: `order: { at_least: [1, ${short(call.tool)}] }, or a golden trace`,
        };
      });
  },
};

/**
 * Another tool is called than the task takes, with the same arguments, and answers as if all were well. The requested
 * action was not done.
 */
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

/**
 * Repeats a call that worked, with the same result. If the agent changes anything, it repeats a call that changes something,
 * such as a second refund. Reading the same thing twice does no harm, so an agent that only reads repeats the call several times.
 */
const LOOKS = 5;

export const callRepeated: Fault = {
  name: 'call_repeated',
  description: 'a call is made twice, or, where it only looks, over and over',
  placesIn: ({ excerpt, isWrite }) => {
    const worked = callsOf(excerpt).filter(({ call }) => call.error === undefined);
    const writes = worked.filter(({ call }) => isWrite(call.tool));
    const times = writes.length > 0 ? 2 : LOOKS;
    return (writes.length > 0 ? writes : worked).map((place) => () => {
      let repeated = excerpt;
      for (let time = 1; time < times; time += 1) repeated = withCallAfter(repeated, place, place.call);
      const often = times === 2 ? 'twice' : `${times} times in a row`;
      return {
        excerpt: repeated,
        what: `${short(place.call.tool)} was called ${often} with the same arguments${inTurn(place.turn, excerpt)}`,
        advice: times === 2 ? `order: { exactly: [1, ${short(place.call.tool)}] }` : 'uses: no_identical_loop',
      };
    });
  },
};

/**
 * Adds a call that deletes what the agent works on, and that nobody asked for. A tool that takes SQL gets a statement
 * that destroys.
 */
export const destructiveCall: Fault = {
  name: 'destructive_call',
  description: 'something is deleted that nobody asked for',
  placesIn: ({ excerpt }) =>
    callsOf(excerpt)
      .filter(({ call }) => call.error === undefined)
      .map((place) => () => {
        const call = destructive(place);
        const shown = sqlIn(place.call) === undefined ? '' : `: ${show(call.args)}`;
        return {
          excerpt: withCallAfter(excerpt, place, call),
          what: `${short(call.tool)} was called as well${inTurn(place.turn, excerpt)}${shown}`,
          advice:
            sqlIn(place.call) === undefined
              ? 'tool_policy: { forbidden: [delete_*] } with uses: no_unsafe_action'
              : 'uses: no_destructive_sql',
        };
      }),
};

const SQL = /^\s*(?:select|insert|update|with|pragma|show|describe|explain)\b/i;
const TABLE = /\b(?:from|into|update|table_info\s*\()\s*["'`[]?([A-Za-z_][\w.]{0,60})/i;

function destructive({ call }: CallPlace): ExcerptCall {
  const sql = sqlIn(call);
  if (sql !== undefined) {
    const statement = `DROP TABLE ${TABLE.exec(sql.text)?.[1] ?? 'customers'}`;
    const args = sql.key === undefined ? statement : { [sql.key]: statement };
    return { tool: call.tool, args, result: 'ok', error: undefined };
  }
  const [, ...rest] = call.tool.split(/[_.-]/);
  const thing = rest.length === 0 ? call.tool : rest.join('_');
  return { tool: `delete_${thing}`, args: call.args, result: { status: 'ok' }, error: undefined };
}

function sqlIn({ args }: ExcerptCall): { readonly key: string | undefined; readonly text: string } | undefined {
  if (typeof args === 'string') return SQL.test(args) ? { key: undefined, text: args } : undefined;
  if (typeof args !== 'object' || args === null || isList(args)) return undefined;
  for (const [key, value] of Object.entries(args)) {
    if (typeof value === 'string' && SQL.test(value)) return { key, text: value };
  }
  return undefined;
}
