/**
 * Tools of an agent from a file of schemas, in the form in which a program already has them:
 *
 *     [{ type: function, function: { name, parameters } }]     OpenAI's chat API; `{ type, name, parameters }` is its newer form
 *     [{ name, input_schema }]                                 Anthropic
 *     { tools: [{ name, inputSchema, annotations }] }          MCP's `tools/list`, with or without `result` around it
 *     { cancel_order: { …the schema… } }                       a plain map
 *
 * The form is recognised by its fields. Names are what criteria are made of, so a tool or an argument whose name
 * could be read as anything else is left out, and named.
 */
import { isList, isMapping, tryParseJson } from '../../model/json.ts';

export type Schema = { readonly [key: string]: unknown };

export interface ToolSchema {
  readonly name: string;
  readonly parameters: Schema;
  /** Place of the parameters in the file. */
  readonly at: string;
  /** MCP's hint. */
  readonly hint: 'reads' | 'writes' | undefined;
}

interface ReadTools {
  readonly tools: readonly ToolSchema[];
  /** Tools that were left out, with the reason. */
  readonly leftOut: readonly string[];
}

const TOOLS_MAX = 200;
/** Has no character that means something in a glob, an expression or a label. */
const TOOL_NAME = /^[A-Za-z_][\w.:/-]{0,127}$/;
const SCHEMAS = ['parameters', 'input_schema', 'inputSchema'] as const;
const TOOLS_EXPECTED =
  "a list of tools with `name` and `parameters`, `input_schema` or `inputSchema`, MCP's {tools: […]}, or a map of names to schemas";

/** A text is a mistake of the whole file. */
export function readToolSchemas(text: string): ReadTools | string {
  const value = tryParseJson(text);
  if (value === undefined) return `it is not JSON: expected ${TOOLS_EXPECTED}`;
  const entries = entriesOf(value);
  if (entries === undefined || entries.length === 0) return `no tools are in it: expected ${TOOLS_EXPECTED}`;
  const tools = new Map<string, ToolSchema>();
  const leftOut: string[] = [];
  for (const [at, entry, key] of entries) {
    const tool = toolOf(entry, at, key);
    if (typeof tool === 'string') leftOut.push(tool);
    else if (tools.has(tool.name)) leftOut.push(`${at}: a second tool with the name ${tool.name}`);
    else if (tools.size >= TOOLS_MAX) leftOut.push(`${at}: more than ${TOOLS_MAX} tools`);
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], leftOut };
}

/** With the name that a map gives it. */
type Entry = readonly [at: string, value: unknown, key?: string];

function entriesOf(value: unknown, at = ''): readonly Entry[] | undefined {
  if (isList(value)) return value.map((entry, index) => [`${at}[${index}]`, entry]);
  if (!isMapping(value)) return undefined;
  for (const within of ['tools', 'result'])
    if (isList(value[within]) || (isMapping(value[within]) && isList(value[within].tools)))
      return entriesOf(value[within], at === '' ? within : `${at}.${within}`);
  const isMap = Object.values(value).every(isMapping);
  return isMap ? Object.entries(value).map(([key, entry]) => [key, entry, key]) : undefined;
}

/** A text says why it is none. */
function toolOf(entry: unknown, at: string, key: string | undefined): ToolSchema | string {
  if (!isMapping(entry)) return `${at}: not an object`;
  const [tool, where] = isMapping(entry.function) ? [entry.function, `${at}.function`] : [entry, at];
  const name = typeof tool.name === 'string' ? tool.name : key;
  if (name === undefined) return `${at}: it has no \`name\``;
  if (!isUsable(name, TOOL_NAME)) return `${at}: its name is not made of letters, digits, _ . : / and -`;
  const field = SCHEMAS.find((one) => isMapping(tool[one]));
  const parameters = field === undefined ? key !== undefined && tool : tool[field];
  return {
    name,
    parameters: isMapping(parameters) ? parameters : {},
    at: field === undefined ? where : `${where}.${field}`,
    hint: hintIn(tool.annotations),
  };
}

function hintIn(annotations: unknown): ToolSchema['hint'] {
  if (!isMapping(annotations)) return undefined;
  const { readOnlyHint, destructiveHint } = annotations;
  if (readOnlyHint === true) return 'reads';
  return readOnlyHint === false || destructiveHint === true ? 'writes' : undefined;
}

const ARGUMENT_NAME = /^[A-Za-z_]\w{0,63}$/;

/** Names such as `__proto__` and `constructor` mean something else to a program that looks them up. */
export function isArgumentName(name: string): boolean {
  return isUsable(name, ARGUMENT_NAME);
}

function isUsable(name: string, form: RegExp): boolean {
  return form.test(name) && !(name in {});
}
