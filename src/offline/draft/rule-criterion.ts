/** A claim as a criterion: an order or an expression. */
import { type ItemsClaim, pathName, type Rule, type ValueClaim, type WholeClaim } from './rule.ts';
import type { ArgumentPlace, Scalar } from './argument-places.ts';

/** Fields of a criterion, as the suite's file has them. */
export interface DraftedCriterion {
  readonly question: string;
  readonly when?: string;
  readonly check?: string;
  readonly order?: unknown;
}

/** Words of a yes, in English. */
const YES =
  "(?i)\\b(yes|yeah|yep|sure|confirm\\w*|proceed|go ahead|go with|please do|ok|okay|correct|sounds good|that works|that's fine)\\b";

export function criterionOf({ claim }: Pick<Rule, 'claim'>): DraftedCriterion {
  switch (claim.is) {
    case 'before':
      return {
        question: `Was ${claim.first} called before ${listed(claim.later)}?`,
        order: {
          before: [
            { tool: claim.first, ok: true },
            { tool: oneOrMore(claim.later), ok: true },
          ],
        },
      };
    case 'confirmed':
      return {
        question: `Did the user say yes, in the message just before, to ${listed(claim.tools)}?`,
        when: `size(${succeeded(claim.tools)}) > 0`,
        check: `turns.all(t, !t.tool_calls.exists(c, ${isOne(claim.tools)} && c.ok && !c.failed) || (t.id != first(turns).id && t.user_input.matches(${text(YES)})))`,
      };
    case 'never':
      return { question: `Was ${claim.tool} never called?`, order: { never: claim.tool } };
    case 'at_most':
      return {
        question: `Was ${claim.tool} called at most ${times(claim.most)}?`,
        when: isCalled(claim.tool),
        order: { at_most: [claim.most, claim.tool] },
      };
    case 'once':
      return {
        question: `Was each of ${listed(claim.tools)} made once with the same arguments?`,
        when: `size(${succeeded(claim.tools)}) > 0`,
        check: `${succeeded(claim.tools)}.all(c, ${succeeded(claim.tools)}.exists_one(d, d.name == c.name && d.args_text == c.args_text))`,
      };
    default:
      return argumentsOf(claim);
  }
}

function argumentsOf(claim: ValueClaim | WholeClaim | ItemsClaim): DraftedCriterion {
  const { tool } = claim;
  const when = isCalled(tool);
  switch (claim.is) {
    case 'arguments': {
      const all = claim.required.length === 0 ? [] : [`${list(claim.required)}.all(k, k in c.args)`];
      const others = claim.known === undefined ? [] : [`c.args.all(k, k in ${list(claim.known)})`];
      return {
        question: `Was ${tool} called with the arguments that its schema has?`,
        when,
        check: `${calls(tool)}.all(c, ${[...all, ...others].join(' && ')})`,
      };
    }
    case 'known': {
      // A tool that refused an invented id did no harm.
      const check = overPlace(succeeded([tool]), claim.place, known);
      return {
        question: `Does ${pathName(claim.place)} of ${tool} come from the user or from a tool?`,
        when: `size(${succeeded([tool])}) > 0`,
        check,
      };
    }
    case 'one_of': {
      const check = overPlace(calls(tool), claim.place, (value) => `${value} in ${list(claim.values)}`);
      return { question: `Is ${pathName(claim.place)} of ${tool} one of the values that are allowed?`, when, check };
    }
    case 'pattern': {
      const check = overPlace(calls(tool), claim.place, (value) => `${value}.matches(${text(claim.pattern)})`);
      return { question: `Does ${pathName(claim.place)} of ${tool} have the form that is asked for?`, when, check };
    }
    case 'range': {
      const { least, most } = claim;
      const bounds = (value: string) => [
        ...(least === undefined ? [] : [`${value} >= ${number(least)}`]),
        ...(most === undefined ? [] : [`${value} <= ${number(most)}`]),
      ];
      const check = overPlace(calls(tool), claim.place, (value) => bounds(value).join(' && '));
      return { question: `Is ${pathName(claim.place)} of ${tool} within its limits?`, when, check };
    }
    case 'items': {
      const { list: name, which, most } = claim;
      const items =
        which === undefined
          ? `c.args.${name}`
          : `c.args.${name}.filter(p, has(p.${which.member}) && p.${which.member}.startsWith(${text(which.prefix)}))`;
      return {
        question: `Does ${tool} have at most ${most} ${which === undefined ? name : `${which.prefix} among ${name}`}?`,
        when: `size(${succeeded([tool])}) > 0`,
        check: `${succeeded([tool])}.all(c, !has(c.args.${name}) || size(${items}) <= ${most})`,
      };
    }
  }
}

/** In the words of a user, or in the result of another call. Calls that were asked for together know nothing of each other. */
function known(value: string): string {
  const inResults = `tool_calls.exists(d, d.span_id != c.span_id && d.ok && !d.failed && d.result_text.contains(string(${value})))`;
  return `(turns.exists(t, lower(t.user_input).contains(lower(string(${value})))) || ${inResults})`;
}

function overPlace(
  callsInQuestion: string,
  { path, isNullable }: ArgumentPlace,
  holds: (value: string) => string,
): string {
  const inside = (base: string, index: number): string => {
    const part = path[index];
    if (part === undefined) return isNullable ? `(${base} == null || ${holds(base)})` : holds(base);
    const member = `${base}.${part.name}`;
    const item = `p${index}`;
    const rest = part.isList ? `${member}.all(${item}, ${inside(item, index + 1)})` : inside(member, index + 1);
    return `(!has(${member}) || ${rest})`;
  };
  return `${callsInQuestion}.all(c, ${inside('c.args', 0)})`;
}

function calls(tool: string): string {
  return `tools(${text(tool)})`;
}

function isCalled(tool: string): string {
  return `size(${calls(tool)}) > 0`;
}

/** Calls of the tools that went through. */
export function succeeded(tools: readonly string[]): string {
  const [only = ''] = tools;
  if (tools.length === 1) return `${calls(only)}.filter(c, c.ok && !c.failed)`;
  return `tool_calls.filter(c, ${isOne(tools)} && c.ok && !c.failed)`;
}

function isOne(tools: readonly string[]): string {
  return `c.name in ${list(tools)}`;
}

function oneOrMore(tools: readonly string[]): string | readonly string[] {
  const [only = ''] = tools;
  return tools.length === 1 ? only : tools;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 6);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function list(values: readonly Scalar[]): string {
  return `[${values.map(scalar).join(', ')}]`;
}

function scalar(value: Scalar): string {
  if (typeof value === 'string') return text(value);
  return typeof value === 'number' ? number(value) : String(value);
}

/** Escapes of JSON are escapes of an expression. */
function text(value: string): string {
  return /^[\w .:/@+-]*$/.test(value) ? `'${value}'` : JSON.stringify(value);
}

/** An expression knows no exponent without a dot, and no whole number beyond 64 bits. */
function number(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : value.toExponential().replace(/^(-?\d+)e/, '$1.0e');
}
