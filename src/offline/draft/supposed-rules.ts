/**
 * Rules that the schemas state, and rules that may hold and that traffic has to show. Both are plain: whether they are
 * kept is for `trial.ts` to find out.
 */
import { isList } from '../../model/json.ts';
import { type ArgumentPlace, isScalar, placesIn, propertiesIn, requiredIn, type Scalar } from './argument-places.ts';
import type { Claim, Origin } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

interface Supposed {
  readonly claim: Claim;
  readonly origin: Origin;
}

/** Names and values of a rule; a person reads no more, and the file has to stay small. */
const VALUES_MAX = 60;
const VALUES_LENGTH_MAX = 2000;
const VALUE_LENGTH_MAX = 200;

/** Rules of a schema: its arguments, and the values that it allows. */
export function schemaRules(tool: ToolSchema): readonly Supposed[] {
  const known = propertiesIn(tool.parameters).map(([name]) => name);
  const required = requiredIn(tool.parameters).slice(0, VALUES_MAX);
  const isOpen = ![undefined, false].includes(tool.parameters.additionalProperties as boolean | undefined);
  const isWhole = !isOpen && known.length > 0 && known.length <= VALUES_MAX && hasOnlyUsableNames(tool, known.length);
  const whole: readonly Supposed[] =
    required.length === 0 && !isWhole
      ? []
      : [
          {
            claim: { is: 'arguments', tool: tool.name, required, known: isWhole ? known : undefined },
            origin: { is: 'schema', at: tool.at },
          },
        ];
  return [...whole, ...placesIn(tool).flatMap((place) => valueRules(tool.name, place))];
}

/** Arguments whose names cannot be asked about are no reason to call others unknown. */
function hasOnlyUsableNames({ parameters }: ToolSchema, usable: number): boolean {
  return Object.keys(Object(parameters.properties)).length === usable;
}

function valueRules(tool: string, place: ArgumentPlace): readonly Supposed[] {
  const { schema } = place;
  const rule = (claim: Claim, field: string): Supposed => ({
    claim,
    origin: { is: 'schema', at: `${place.at}.${field}` },
  });
  const values = 'const' in schema ? [schema.const] : schema.enum;
  const rules: Supposed[] = [];
  if (isList(values) && values.length > 0 && values.every(isShort) && areFew(values))
    rules.push(rule({ is: 'one_of', tool, place, values }, 'const' in schema ? 'const' : 'enum'));
  const pattern = schema.pattern;
  if (typeof pattern === 'string' && pattern !== '' && pattern.length <= VALUE_LENGTH_MAX)
    rules.push(rule({ is: 'pattern', tool, place, pattern }, 'pattern'));
  const [least, most] = [finite(schema.minimum), finite(schema.maximum)];
  if (least !== undefined || most !== undefined)
    rules.push(rule({ is: 'range', tool, place, least, most }, least === undefined ? 'maximum' : 'minimum'));
  const [list] = place.path;
  const items = finite(schema.maxItems);
  if (items !== undefined && items >= 0 && place.path.length === 1 && list !== undefined && !list.isList)
    rules.push(rule({ is: 'items', tool, list: list.name, most: Math.floor(items), which: undefined }, 'maxItems'));
  return rules;
}

function areFew(values: readonly Scalar[]): boolean {
  return values.length <= VALUES_MAX && values.join('').length <= VALUES_LENGTH_MAX;
}

function isShort(value: unknown): value is Scalar {
  return isScalar(value) && String(value).length <= VALUE_LENGTH_MAX;
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The last word of an argument's name, if it is an id. */
const ID = /(?:^|_)(?:id|ids|number|code|reference|ref|iban|account|email|phone)$|[a-z](?:Id|Ids|Number|Code)$/;

/** Ids that a change needs come from somewhere. */
export function sourceRules(writing: readonly ToolSchema[]): readonly Supposed[] {
  return writing.flatMap((tool) =>
    placesIn(tool)
      .filter(({ path, isRequired, schema }) => isRequired && isPlain(schema) && isId(path.at(-1)?.name ?? '', schema))
      .map(
        (place): Supposed => ({
          claim: { is: 'known', tool: tool.name, place },
          origin: { is: 'schema', at: place.at },
        }),
      ),
  );
}

function isId(name: string, { type, description }: ArgumentPlace['schema']): boolean {
  if (ID.test(name)) return true;
  // A number whose description has such words is a count.
  return type === 'string' && typeof description === 'string' && /\b(?:id|identifier|number of)\b/i.test(description);
}

function isPlain({ type, ...others }: ArgumentPlace['schema']): boolean {
  return ['string', 'integer', 'number'].includes(String(type)) && !('enum' in others) && !('const' in others);
}

const PAIRS_MAX = 400;

/** Each lookup before each change: which of them hold is not known yet. */
export function supposedOrders(reading: readonly ToolSchema[], writing: readonly ToolSchema[]): readonly Supposed[] {
  const pairs = writing.flatMap(({ name: later }) =>
    reading.map(
      ({ name: first }): Supposed => ({
        claim: { is: 'before', first, later: [later] },
        origin: { is: 'traffic' },
      }),
    ),
  );
  return pairs.slice(0, PAIRS_MAX);
}
