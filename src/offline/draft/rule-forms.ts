/** The kinds of claims: how each is called, asked, kept and broken. */
import { isList, type Json } from '../../model/json.ts';
import { sampleArguments, withValue } from './argument-places.ts';
import { calls, isAny, isSuccessOf, overPlace, succeeded, text } from './expressions.ts';
import type { Claim, Form, FormCall, ValueClaim } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

/** Words of a yes, in English. */
const YES =
  "(?i)\\b(yes|yeah|yep|sure|confirm\\w*|proceed|go ahead|go with|please do|ok|okay|correct|sounds good|that works|that's fine)\\b";

/** Examples are no longer, so a rule that allows more is left out: nothing shows that it can be broken. */
const EXAMPLE_MAX = 50;

export function formOf(claim: Claim, tools: ReadonlyMap<string, ToolSchema>): Form {
  switch (claim.is) {
    case 'before': {
      const { first, later } = claim;
      return {
        name: `${first}_first`,
        question: `Was ${first} called before ${listed(later)}?`,
        asks: {
          order: {
            before: [
              { tool: first, ok: true },
              { tool: later.length === 1 ? later[0] : later, ok: true },
            ],
          },
        },
        keeps: callsOf([first, ...later]),
        breaks: callsOf(later),
      };
    }
    case 'confirmed': {
      const said = `t.id != first(turns).id && t.user_input.matches(${text(YES)})`;
      const example = callsOf(claim.tools.slice(0, 1));
      return {
        name: 'user_said_yes_first',
        question: `Did the user say yes, in the message just before, to ${listed(claim.tools)}?`,
        ...ofDone(claim.tools, () => `turns.all(t, !t.tool_calls.exists(c, ${isSuccessOf(claim.tools)}) || (${said}))`),
        keeps: example,
        breaks: example,
      };
    }
    case 'never':
      return {
        name: `never_${claim.tool}`,
        question: `Was ${claim.tool} never called?`,
        asks: { order: { never: claim.tool } },
        keeps: callsOf([...tools.keys()].filter((tool) => tool !== claim.tool).slice(0, 1)),
        breaks: callsOf([claim.tool]),
      };
    case 'at_most': {
      const { tool, most } = claim;
      const example = callsOf(Array.from({ length: Math.min(most, EXAMPLE_MAX) }, () => tool));
      return {
        name: `${tool}_at_most_${most}`,
        question: `Was ${tool} called at most ${most === 1 ? 'once' : `${most} times`}?`,
        asks: { when: isAny(calls(tool)), order: { at_most: [most, tool] } },
        keeps: example,
        breaks: [...example, { tool }],
      };
    }
    case 'once': {
      const example = callsOf(claim.tools.slice(0, 1));
      const isSame = 'd.name == c.name && d.args_text == c.args_text';
      return {
        name: 'no_change_made_twice',
        question: `Was each of ${listed(claim.tools)} made once with the same arguments?`,
        ...ofDone(claim.tools, (done) => `${done}.all(c, ${done}.exists_one(d, ${isSame}))`),
        keeps: example,
        breaks: [...example, ...example],
      };
    }
    case 'items':
      return valueForm(itemsClaim(claim, tools));
    case 'value':
      return valueForm(claim);
  }
}

/** About calls that went through. */
function ofDone(tools: readonly string[], check: (done: string) => string): Pick<Form, 'asks' | 'done'> {
  const done = succeeded(tools);
  return { asks: { when: isAny(done), check: check(done) }, done: tools };
}

function itemsClaim(
  { tool, list, most, which }: Extract<Claim, { is: 'items' }>,
  tools: ReadonlyMap<string, ToolSchema>,
): ValueClaim {
  const schema = tools.get(tool);
  const sample = schema === undefined ? [] : sampleArguments(schema)[list];
  const item: Json = isList(sample) ? (sample[0] ?? null) : null;
  const member = which === undefined ? undefined : { path: [{ name: which.member, isList: false }] };
  const example = member === undefined ? item : withValue(item, member, `${which?.prefix}_1`);
  const items = Array.from({ length: Math.min(most, EXAMPLE_MAX) + 1 }, () => example);
  const counted = (value: string) =>
    which === undefined
      ? value
      : `${value}.filter(p, has(p.${which.member}) && p.${which.member}.startsWith(${text(which.prefix)}))`;
  return {
    tool,
    place: { path: [{ name: list, isList: false }], isNullable: false },
    name: `${which?.prefix ?? list}_at_most_${most}`,
    question: `Does ${tool} have at most ${most} ${which === undefined ? list : `${which.prefix} among ${list}`}?`,
    calls: 'done',
    holds: (value) => `size(${counted(value)}) <= ${most}`,
    good: items.slice(1),
    bad: items,
  };
}

function valueForm({ tool, place, name, question, holds, good, bad, ...claim }: ValueClaim): Form {
  const check = (asked: string) => overPlace(asked, place, holds);
  const asks = { when: isAny(calls(tool)), check: check(calls(tool)) };
  return {
    name: `${tool}_${name}`,
    question,
    ...(claim.calls === 'done' ? ofDone([tool], check) : { asks }),
    keeps: [{ tool, put: { place, value: good } }],
    breaks: [{ tool, put: { place, value: bad } }],
  };
}

function callsOf(tools: readonly string[]): readonly FormCall[] {
  return tools.map((tool) => ({ tool }));
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 6);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
