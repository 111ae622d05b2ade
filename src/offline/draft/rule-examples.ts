/**
 * Two conversations for each claim, made of what the schemas allow. One keeps it, and as far as possible all other rules
 * of the draft: the user gives the values, what has to be looked up is looked up, and a yes comes before the calls. The
 * other one breaks it.
 */
import { isList, type Json } from '../../model/json.ts';
import { occurs, patternMistake } from '../../score/cel/linear-regex.ts';
import { type ArgumentPlace, sampleArguments, sampleOf, type Scalar } from './argument-places.ts';
import type { ItemsClaim, Rule, ValueClaim, WholeClaim } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

interface ExampleCall {
  readonly tool: string;
  readonly args: Json;
  readonly result: Json;
}

interface ExampleTurn {
  readonly user: string;
  readonly calls?: readonly ExampleCall[];
  readonly answer: string;
}

export interface Example {
  readonly turns: readonly ExampleTurn[];
}

interface Examples {
  readonly keeps: Example;
  readonly breaks: Example;
}

/** Longer examples show nothing more. */
const CALLS_MAX = 50;

interface Around {
  readonly tools: ReadonlyMap<string, ToolSchema>;
  /** Lookups that rules of the draft want before a tool. */
  readonly lookupsBefore: ReadonlyMap<string, readonly string[]>;
}

/** A text says why none can be made. */
export function examplesOf({ claim }: Pick<Rule, 'claim'>, around: Around): Examples | string {
  const call: MakeCall = (tool, args = argumentsFor(tool, around), result = { done: true }) => ({ tool, args, result });
  const kept = (calls: readonly ExampleCall[], said?: string) => {
    const looked = calls.flatMap(({ tool }) => around.lookupsBefore.get(tool) ?? []);
    const missing = [...new Set(looked)].filter((tool) => !calls.some((one) => one.tool === tool));
    return agreed([...missing.map((tool) => call(tool)), ...calls], said);
  };
  switch (claim.is) {
    case 'before': {
      const later = claim.later.map((tool) => call(tool));
      return { keeps: kept([call(claim.first), ...later]), breaks: broken(later) };
    }
    case 'confirmed': {
      const changes = claim.tools.slice(0, 1).map((tool) => call(tool));
      return { keeps: kept(changes), breaks: broken(changes) };
    }
    case 'never': {
      const other = [...around.tools.keys()].find((tool) => tool !== claim.tool);
      return { keeps: kept(other === undefined ? [] : [call(other)]), breaks: broken([call(claim.tool)]) };
    }
    case 'at_most': {
      if (claim.most >= CALLS_MAX) return `an example would have ${claim.most} calls`;
      const made = Array.from({ length: claim.most + 1 }, () => call(claim.tool));
      return { keeps: kept(made.slice(1)), breaks: broken(made) };
    }
    case 'once': {
      const made = claim.tools.slice(0, 1).map((tool) => call(tool));
      return { keeps: kept(made), breaks: broken([...made, ...made]) };
    }
    default:
      return argumentExamples(claim, around, { call, kept });
  }
}

const DONE = 'It is done.';
const VALUES_MAX = 20;
type MakeCall = (tool: string, args?: Json, result?: Json) => ExampleCall;

function broken(calls: readonly ExampleCall[]): Example {
  return { turns: [{ user: 'Please do it.', calls, answer: DONE }] };
}

function agreed(calls: readonly ExampleCall[], said = ''): Example {
  const values = [...new Set(calls.flatMap(({ args }) => valuesIn(args)))].slice(0, VALUES_MAX);
  const user = said === '' && values.length > 0 ? `Please do it with ${values.join(', ')}.` : `Please do it. ${said}`;
  if (calls.length === 0) return { turns: [{ user: user.trim(), answer: DONE }] };
  const asked = { user: user.trim(), answer: 'Shall I do it?' };
  return { turns: [asked, { user: 'Yes, please.', calls, answer: DONE }] };
}

function valuesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? [] : [String(value)];
  return Object.values(value).flatMap((one: Json) => valuesIn(one));
}

function argumentExamples(
  claim: ValueClaim | WholeClaim | ItemsClaim,
  around: Around,
  { call, kept }: { readonly call: MakeCall; readonly kept: (calls: readonly ExampleCall[], said?: string) => Example },
): Examples | string {
  const args = argumentsFor(claim.tool, around);
  if (claim.is === 'arguments') {
    const [missing] = claim.required;
    const { [missing ?? '']: _, ...without } = args;
    const wrong = missing === undefined ? { ...args, not_in_the_schema: true } : without;
    return { keeps: kept([call(claim.tool, args)]), breaks: broken([call(claim.tool, wrong)]) };
  }
  if (claim.is === 'items') {
    if (claim.most >= CALLS_MAX) return `an example would have ${claim.most} items`;
    const item = itemOf(claim, around);
    const items = Array.from({ length: claim.most + 1 }, () => item);
    const withItems = (some: Json): Json => ({ ...args, [claim.list]: some });
    return {
      keeps: kept([call(claim.tool, withItems(items.slice(1)))]),
      breaks: broken([call(claim.tool, withItems(items))]),
    };
  }
  const values = valuesFor(claim);
  if (typeof values === 'string') return values;
  const { good, bad, said } = values;
  const withValue = (value: Scalar) => call(claim.tool, put(args, claim.place, value));
  return { keeps: kept([withValue(good)], said), breaks: broken([withValue(bad)]) };
}

interface Values {
  readonly good: Scalar;
  readonly bad: Scalar;
  readonly said?: string;
}

/** Values that no pattern or list is likely to allow. */
const STRANGE = ['\u2603 none of these', '', ' ', '?'];
const UNHEARD = { text: 'Q7-3141-Z', number: 3_141_597 };

function valuesFor(claim: ValueClaim): Values | string {
  switch (claim.is) {
    case 'known': {
      const type = claim.place.schema.type;
      const value = type === 'integer' || type === 'number' ? UNHEARD.number : UNHEARD.text;
      return { good: value, bad: value, said: `It is ${value}.` };
    }
    case 'one_of': {
      const [good] = claim.values;
      const bad = typeof good === 'number' ? Math.max(...claim.values.map(Number)) + 1 : (STRANGE[0] ?? '');
      return good === undefined ? 'no value is allowed' : { good, bad };
    }
    case 'pattern': {
      const mistake = patternMistake(claim.pattern);
      if (mistake !== undefined) return 'its pattern cannot be read in time linear in the text';
      const good = sampleOf(claim.place.schema, {}, 0);
      const bad = STRANGE.find((text) => !occurs(claim.pattern, text));
      if (typeof good !== 'string' || !occurs(claim.pattern, good) || bad === undefined)
        return 'no value was found that has its form, or none that does not';
      return { good, bad };
    }
    case 'range': {
      const { least, most } = claim;
      if (most !== undefined) return { good: most, bad: most + Math.max(1, Math.abs(most)) };
      return least === undefined ? 'it has no limit' : { good: least, bad: least - Math.max(1, Math.abs(least)) };
    }
  }
}

function argumentsFor(tool: string, { tools }: Around): { readonly [name: string]: Json } {
  const schema = tools.get(tool);
  return schema === undefined ? {} : sampleArguments(schema);
}

function itemOf(claim: ItemsClaim, around: Around): Json {
  const items = argumentsFor(claim.tool, around)[claim.list] ?? null;
  const first = firstOf(items);
  const { which } = claim;
  return which === undefined ? first : { ...membersOf(first), [which.member]: `${which.prefix}_1` };
}

/** Puts the value at its place. Lists on the way have one item. */
function put(base: Json, { path }: ArgumentPlace, value: Scalar): Json {
  const inside = (around: Json, index: number): Json => {
    const part = path[index];
    if (part === undefined) return value;
    const members = membersOf(around);
    const own = members[part.name] ?? null;
    const changed = inside(isList(own) ? firstOf(own) : own, index + 1);
    return { ...members, [part.name]: part.isList ? [changed] : changed };
  };
  return inside(base, 0);
}

function firstOf(items: Json): Json {
  return isList(items) ? (items[0] ?? null) : null;
}

function membersOf(value: Json): { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}
