/** The worst requests that a route takes, and the worst that it refuses, made from its path and the shapes of its query and body. */
import { z } from 'zod';
import { TOOLS } from '../../src/mcp/mcp-server.ts';
import type { TableRow } from './bounds.ts';
import { HEAVY, LONGEST } from './heavy-conversations.ts';
import { httpRequest, type RawRequest } from './raw-request.ts';

/** A client that never sends the body that it announces. */
export function unfinished({ method, path }: TableRow): RawRequest {
  const [target = '/'] = pathsOf(path);
  return httpRequest({
    name: 'a body that never comes',
    method,
    target: `${target}${dryRun(method)}`,
    headers: JSON_HEAD,
    body: '{',
    announced: 60_000,
  });
}

/** A conversation is forgotten whether its client stays or not, so a real request says nothing about leaving. */
function dryRun(method: string): string {
  return method === 'DELETE' ? '?dry_run=true' : '';
}

export interface Requests {
  /** At least one of them is to be answered with success. */
  readonly legal: readonly RawRequest[];
  readonly illegal: readonly RawRequest[];
}

const JSON_HEAD = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const MIB = 2 ** 20;

/** Values that cost most, by the names that they have in paths, queries, bodies and arguments of tools. */
const WORST: Readonly<Record<string, readonly unknown[]>> = {
  conversation: Object.values(HEAVY),
  conversation_id: Object.values(HEAVY),
  agent: ['helper', 'agent-1'],
  agent_version: ['v1'],
  against_version: ['v2'],
  version: ['v1'],
  suite: ['default', 'support'],
  criterion: ['answered', 'criterion_0'],
  since: ['3650d', '30d'],
  words: ['the', 'customer asked'],
  fact: ['ended: with an answer', 'tool: none'],
  a: ['good', 'v1'],
  b: ['bad', 'v2'],
  experiment: ['good'],
  candidate: ['bad'],
  baseline: ['good'],
  case: ['case-1'],
  of: [LONGEST.turn, LONGEST.step],
  name: ['good'],
  by: ['agent', 'agent_version', 'somebody'],
  label: ['fail', 'thumbs_down'],
  weights: [{ answered: 0.5 }],
  file: ['shell/main.tsx', 'page-views.ts', 'page.css'],
  runbook: ['AssayInstanceProblem.md', 'AssayDown.md'],
  note: ['x'.repeat(10_000)],
  user: ['somebody'],
  dry_run: [true],
  format: ['jsonl', 'parquet'],
};

/** Bodies of routes that describe theirs in words. */
const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  '/v1/truth/{conversation}': [{ right: Array.from({ length: 10_000 }, (_none, n) => ({ n })) }],
  '/v1/labels/{conversation}': [
    Array.from({ length: 500 }, (_none, n) => ({ suite: 'default', criterion: `c${n}`, label: 'fail', by: 'a' })),
    { suite: 'default', criterion: 'answered', label: 'fail', by: 'a' },
  ],
  '/v1/readings': [
    Array.from({ length: 1000 }, (_none, n) => ({
      ...{ conversation_id: `filled-${n}`, answer: 'bad', by: 'a' },
      ...{ kind: `kind ${n % 100}`, note: `note ${n}` },
    })),
  ],
  '/api/v1/versions/check': [
    { metadata: { agent: 'helper', version: 'v2', against: 'v1', suite: 'default', since: '365d' } },
    { metadata: { agent: 'x'.repeat(10_000), version: 'v2', against: 'v1', evidence: '1e9', since: '365d' } },
  ],
  '/v1/failures': [
    { agent: 'helper', kind: 'kind 1', state: 'mended', by: 'a' },
    { agent: 'agent-1', kind: 'kind 1', state: 'mended', by: 'a' },
    { agent: 'helper', kind: 'kind 2', into: 'x'.repeat(80), by: 'a' },
  ],
  '/v1/outcomes': [
    Array.from({ length: 1000 }, (_none, n) => ({ conversation_id: `filled-${n}`, label: 'refunded', good: false })),
  ],
  '/api/v1/feedback': [
    {
      feedback: Array.from({ length: 500 }, (_none, n) => ({
        conversation_id: `filled-${n}`,
        id: `f${n}`,
        label: 'thumbs_down',
      })),
    },
  ],
  '/api/v1/detection/accept': [{ agent: 'helper', suite: 'default' }],
  '/api/v1/forget': [
    { user: 'nobody', dry_run: true },
    { conversation: HEAVY.texts, dry_run: true },
  ],
  '/api/v1/reload': [{}],
  '/auth/logout': [{}],
};

export function requestsOf(row: TableRow): Requests {
  return { legal: legalOf(row), illegal: illegalOf(row) };
}

function legalOf(row: TableRow): readonly RawRequest[] {
  if (row.path === '/mcp') return mcpRequests();
  const targets = pathsOf(row.path).flatMap((path) => queriesOf(row).map((query) => `${path}${query}`));
  const { method } = row;
  if (method === 'GET') return targets.map((target) => httpRequest({ name: target, method, target }));
  if (method === 'DELETE') {
    const target = `${targets[0] ?? '/'}${dryRun(method)}`;
    return [httpRequest({ name: target, method, target })];
  }
  const bodies = BODIES[row.path] ?? (row.shapes?.body === undefined ? [{}] : valuesOf(schemaOf(row.shapes.body)));
  return targets.flatMap((target) =>
    bodies.map((body, n) =>
      httpRequest({ name: `${target} body ${n}`, method, target, headers: JSON_HEAD, body: JSON.stringify(body) }),
    ),
  );
}

/** Every tool with its worst arguments, and what lists them. */
function mcpRequests(): readonly RawRequest[] {
  const calls = TOOLS.flatMap(({ listed: { name, inputSchema } }) =>
    valuesOf(inputSchema).map((given, n) => ({
      name: `${name} ${n}`,
      method: 'tools/call',
      params: { name, arguments: given },
    })),
  );
  return [{ name: 'tools/list', method: 'tools/list', params: {} }, ...calls].map(({ name, method, params }) =>
    httpRequest({
      name,
      method: 'POST',
      target: '/mcp',
      headers: { ...JSON_HEAD, 'mcp-protocol-version': '2025-06-18' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  );
}

function illegalOf({ method, path }: TableRow): readonly RawRequest[] {
  const [target = '/'] = pathsOf(path);
  const dry = dryRun(method);
  const asked = `${target}${dry}`;
  const many = Array.from({ length: 700 }, (_none, n) => `unknown_${n}=${n}`).join('&');
  const queries = [
    httpRequest({ name: 'a query of many unknown keys', method, target: `${target}?${many}` }),
    httpRequest({
      name: 'keys of objects in the query',
      method,
      target: `${target}?__proto__=1&constructor=2&limit=-1&since=${'9'.repeat(5000)}`,
    }),
    httpRequest({ name: 'a path that is not encoded', method, target: `${target}%ff%c0%${dry}` }),
    httpRequest({ name: 'a long path', method, target: `${target}${'/x'.repeat(6000)}${dry}` }),
    httpRequest({
      name: 'many heads',
      method,
      target: asked,
      headers: Object.fromEntries(Array.from({ length: 500 }, (_none, n) => [`x-${n}`, 'y'.repeat(20)])),
    }),
    httpRequest({ name: 'another method', method: 'PATCH', target }),
  ];
  if (method === 'GET' || method === 'DELETE')
    return [
      ...queries,
      httpRequest({ name: 'a body that nobody reads', method, target: asked, body: Buffer.alloc(2 * MIB, 'x') }),
    ];
  const bodies: readonly (readonly [name: string, body: Buffer | string])[] = [
    ['a body of another type', 'x'.repeat(1000)],
    ['a body beyond the limit', Buffer.alloc(4 * MIB, '"')],
    ['a body that is nested deep', '['.repeat(300_000)],
    ['a body of many objects', `[${'{},'.repeat(20_000)}{}]`],
    ['a body of many keys', `{${Array.from({ length: 4000 }, (_none, n) => `"k${n}":0`).join(',')}}`],
    ['a body of one long number', '9'.repeat(60_000)],
    [
      'a batch',
      `[${Array.from({ length: 100 }, (_none, n) => `{"jsonrpc":"2.0","id":${n},"method":"tools/list"}`).join(',')}]`,
    ],
    ['bytes that are not UTF-8', Buffer.alloc(60_000, 0xff)],
    ['escapes of half characters', `"${'\\ud800'.repeat(9000)}"`],
  ];
  return [...queries, ...bodies.map(([name, body]) => httpRequest({ name, method, target, headers: JSON_HEAD, body }))];
}

/** With the worst values for what is open in it. */
function pathsOf(path: string): readonly string[] {
  const [, name] = /\{(\w+)(?:\.\.\.)?\}/.exec(path) ?? [];
  if (name === undefined) return [path];
  const values = WORST[name];
  if (values === undefined) throw new Error(`nobody has said what is worst for {${name}} in ${path}: add it to WORST`);
  return values.map((value) => path.replace(/\{\w+(?:\.\.\.)?\}/, encodeURIComponent(String(value))));
}

function queriesOf({ shapes }: TableRow): readonly string[] {
  if (shapes?.query === undefined) return [''];
  return valuesOf(schemaOf(shapes.query)).map((value) => {
    const query = new URLSearchParams(
      Object.entries(value).map(([name, one]): [string, string] => [name, String(one)]),
    );
    return query.size === 0 ? '' : `?${query.toString()}`;
  });
}

type JsonSchema = z.output<typeof jsonSchema>;
const jsonSchema = z.looseObject({
  properties: z
    .record(
      z.string(),
      z.looseObject({
        type: z.string().optional(),
        enum: z.array(z.unknown()).optional(),
        maximum: z.number().optional(),
      }),
    )
    .default({}),
  required: z.array(z.string()).default([]),
});

function schemaOf(shape: z.ZodType): JsonSchema {
  return jsonSchema.parse(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }));
}

/** Values of the shape: what it demands, alone and with each thing that it allows, at its worst. */
function valuesOf(given: unknown): readonly Given[] {
  const { properties, required } = jsonSchema.parse(given);
  const worstOf = (name: string): readonly unknown[] => {
    const { type, enum: choices, maximum } = properties[name] ?? {};
    if (choices !== undefined) return choices;
    if (type === 'integer' || type === 'number')
      return [maximum === undefined ? 1_000_000 : Math.min(maximum, 2 ** 40)];
    return WORST[name] ?? [];
  };
  const leasts = required.reduce<readonly Given[]>(
    (made, name) => {
      const values = worstOf(name);
      return made.flatMap((one) => (values.length === 0 ? ['x'] : values).map((value) => ({ ...one, [name]: value })));
    },
    [{}],
  );
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const single = optional.flatMap((name) => worstOf(name).map((value) => ({ [name]: value })));
  const limits = Object.fromEntries(
    optional.filter((name) => ['limit', 'since'].includes(name)).map((name) => [name, worstOf(name)[0]]),
  );
  const more = [{}, limits, ...single, ...single.map((one) => ({ ...limits, ...one }))];
  return leasts.flatMap((least, n) => (n === 0 ? more : [limits]).map((one) => ({ ...least, ...one })));
}

type Given = Readonly<Record<string, unknown>>;
