/** Rules that the schemas state, and the source of ids that tools need which change something. Whether they are kept is for `trial.ts` to find out. */
import { isList } from '../../model/json.ts';
import { occurs, patternMistake } from '../../score/cel/linear-regex.ts';
import {
  type ArgumentPlace,
  isScalar,
  placesIn,
  propertiesIn,
  requiredIn,
  sampleArguments,
  sampleOf,
  type Scalar,
} from './argument-places.ts';
import { list, number, text } from './expressions.ts';
import { type Claim, plainLine, type Rule, type ValueClaim } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

/** Names and values of a rule; a person reads no more, and the file has to stay small. */
const VALUES_MAX = 60;
const VALUES_LENGTH_MAX = 2000;

/** Its arguments, and the values that it allows. */
export function schemaRules(tool: ToolSchema): readonly Rule[] {
  return [...argumentsRule(tool), ...placesIn(tool).flatMap((place) => valueRules(tool.name, place))];
}

function argumentsRule(tool: ToolSchema): readonly Rule[] {
  const { properties, additionalProperties = false } = tool.parameters;
  const known = propertiesIn(tool.parameters).map(([name]) => name);
  const required = requiredIn(tool.parameters).slice(0, VALUES_MAX);
  // Arguments whose names cannot be asked about are no reason to call others unknown.
  const areUsable = Object.keys(Object(properties)).length === known.length;
  const isWhole = additionalProperties === false && areUsable && known.length > 0 && known.length <= VALUES_MAX;
  const [missing] = required;
  if (missing === undefined && !isWhole) return [];
  const good = sampleArguments(tool);
  const { [missing ?? '']: _, ...without } = good;
  const claim: Claim = {
    is: 'value',
    tool: tool.name,
    place: { path: [], isNullable: false },
    name: 'arguments',
    question: `Was ${tool.name} called with the arguments that its schema has?`,
    calls: 'all',
    holds: (args) =>
      [
        ...(missing === undefined ? [] : [`${list(required)}.all(k, k in ${args})`]),
        ...(isWhole ? [`${args}.all(k, k in ${list(known)})`] : []),
      ].join(' && '),
    good,
    bad: missing === undefined ? { ...good, not_in_the_schema: true } : without,
  };
  return [{ claim, origin: { is: 'stated', text: schemaWords(tool.at) } }];
}

/** A value as a keyword of a schema describes it. */
type Said = Pick<ValueClaim, 'holds' | 'good' | 'bad'>;

function valueRules(tool: string, place: ArgumentPlace): readonly Rule[] {
  const { schema, path } = place;
  const rules: Rule[] = [];
  const add = (keyword: string, claim: Claim) =>
    rules.push({ claim, origin: { is: 'stated', text: schemaWords(`${place.at}.${keyword}`) } });
  const allow = (keyword: string, asks: string, said: Said) => {
    const question = `${asks.replace('…', `${pathName(place)} of ${tool}`)}?`;
    add(keyword, { is: 'value', tool, place, name: `${pathName(place)}_allowed`, question, calls: 'all', ...said });
  };
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (areFew(values))
    allow('const' in schema ? 'const' : 'enum', 'Is … one of the values that are allowed', oneOf(values));
  const { pattern } = schema;
  if (typeof pattern === 'string' && pattern !== '')
    allow('pattern', 'Does … have the form that is asked for', formed(pattern, schema));
  const [least, most] = [finite(schema.minimum), finite(schema.maximum)];
  if (least !== undefined || most !== undefined)
    allow(least === undefined ? 'maximum' : 'minimum', 'Is … within its limits', between(least, most));
  const [only] = path;
  const items = finite(schema.maxItems);
  if (items !== undefined && items >= 0 && path.length === 1 && only?.isList === false)
    add('maxItems', { is: 'items', tool, list: only.name, most: Math.floor(items), which: undefined });
  return rules;
}

/** Values that no pattern or list is likely to allow. */
const STRANGE = ['\u2603 none of these', '', ' ', '?'] as const;

function oneOf(values: readonly Scalar[]): Said {
  return { holds: (value) => `${value} in ${list(values)}`, good: values[0] ?? '', bad: STRANGE[0] };
}

/** Left out by the trial where no value of the form was found, or none that is not. */
function formed(pattern: string, schema: ArgumentPlace['schema']): Said {
  const isFormed = (value: string) => patternMistake(pattern) === undefined && occurs(pattern, value);
  return {
    holds: (value) => `${value}.matches(${text(pattern)})`,
    good: sampleOf(schema),
    bad: STRANGE.find((strange) => !isFormed(strange)) ?? '',
  };
}

function between(least: number | undefined, most: number | undefined): Said {
  const limit = most ?? least ?? 0;
  const beyond = Math.max(1, Math.abs(limit));
  return {
    holds: (value) =>
      [
        ...(least === undefined ? [] : [`${value} >= ${number(least)}`]),
        ...(most === undefined ? [] : [`${value} <= ${number(most)}`]),
      ].join(' && '),
    good: limit,
    bad: most === undefined ? limit - beyond : limit + beyond,
  };
}

function areFew(values: unknown): values is readonly Scalar[] {
  if (!isList(values) || values.length === 0 || values.length > VALUES_MAX) return false;
  return values.every(isScalar) && values.join('').length <= VALUES_LENGTH_MAX;
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The last word of an argument's name, if it is an id. */
const ID = /(?:^|_)(?:id|ids|number|code|reference|ref|iban|account|email|phone)$|[a-z](?:Id|Ids|Number|Code)$/;

/** Ids that a change needs come from somewhere. */
export function sourceRules(tool: ToolSchema): readonly Rule[] {
  const { name } = tool;
  const ids = placesIn(tool).filter(
    ({ isRequired, schema, path }) => isRequired && isId(path.at(-1)?.name ?? '', schema),
  );
  return ids.map((place): Rule => {
    const value = place.schema.type === 'string' ? 'Q7-3141-Z' : 3_141_597;
    const claim: Claim = {
      is: 'value',
      tool: name,
      place,
      name: `${pathName(place)}_known`,
      question: `Does ${pathName(place)} of ${name} come from the user or from a tool?`,
      // A tool that refused an invented id did no harm.
      calls: 'done',
      holds: known,
      good: value,
      bad: value,
    };
    return { claim, origin: { is: 'assumed', text: schemaWords(place.at) } };
  });
}

function isId(name: string, { type, description, ...others }: ArgumentPlace['schema']): boolean {
  if (!['string', 'integer', 'number'].includes(String(type)) || 'enum' in others || 'const' in others) return false;
  if (ID.test(name)) return true;
  // A number whose description has such words is a count.
  return type === 'string' && typeof description === 'string' && /\b(?:id|identifier|number of)\b/i.test(description);
}

/** In the words of a user, or in the result of another call. Calls that were asked for together know nothing of each other. */
function known(value: string): string {
  const inResults = `tool_calls.exists(d, d.span_id != c.span_id && d.ok && !d.failed && d.result_text.contains(string(${value})))`;
  return `(turns.exists(t, lower(t.user_input).contains(lower(string(${value})))) || ${inResults})`;
}

function pathName({ path }: ArgumentPlace): string {
  return path.map(({ name }) => name).join('_');
}

function schemaWords(at: string): string {
  return plainLine(`schema: ${at}`);
}
