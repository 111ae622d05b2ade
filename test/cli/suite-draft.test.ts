/** `assay suite draft`: the whole way, from files to a suite that its own tests hold. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { assayHere } from '../assay-here.ts';
import { type Provider, startProvider } from '../ask/provider.ts';
import { tempDirectory } from '../temp-directory.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/system-prompt-as-a-suite');
const EXAMPLE_TOOLS = path.join(EXAMPLE, 'tools.json');

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = tempDirectory();
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

async function draft(cwd: string, ...args: readonly string[]) {
  return await assayHere(['suite', 'draft', ...args], { cwd });
}

interface Drafted {
  readonly criteria: readonly { readonly name: string; readonly check?: string }[];
}

function drafted(cwd: string, file = 'drafted.yaml') {
  const text = readFileSync(path.join(cwd, file), 'utf8');
  // The cast is the form of a suite; `assay suite test` has read it.
  const { criteria } = parse(text) as Drafted;
  return { text, names: criteria.map(({ name }) => name), criteria };
}

/** Every rule has an example that keeps it and one that breaks it. */
async function expectTested(cwd: string, file = 'drafted.yaml') {
  const { names } = drafted(cwd, file);
  const tested = await assayHere(['suite', 'test', file], { cwd });
  expect(tested).toMatchObject({ status: 0, stderr: '' });
  expect(tested.stdout).toContain(`${2 * names.length} tests passed`);
  expect(await assayHere(['validate', file], { cwd })).toMatchObject({ status: 0 });
}

interface Call {
  readonly tool: string;
  readonly args: unknown;
  readonly result?: unknown;
}

/** A conversation as messages: each list of calls is a turn. */
function conversation(
  id: string,
  turns: readonly { readonly user: string; readonly calls?: readonly Call[] }[],
): string {
  const messages = turns.flatMap(({ user, calls = [] }, turn) => [
    { role: 'user', content: user },
    ...calls.flatMap(({ tool, args, result = { done: true } }, index) => {
      const call = `call_${turn}_${index}`;
      return [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: call, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }],
        },
        { role: 'tool', tool_call_id: call, content: JSON.stringify(result) },
      ];
    }),
    { role: 'assistant', content: 'It is done.' },
  ]);
  return JSON.stringify({ conversation_id: id, messages });
}

const FIND = { tool: 'find_booking', args: { booking: 'B7' }, result: { id: 'B7', paid: 40 } };
const CANCEL = { tool: 'cancel_booking', args: { booking: 'B7' } };

function cancellations(count: number, unlooked: number): string {
  return Array.from({ length: count }, (_, index) =>
    conversation(`c${index}`, [
      { user: 'Please cancel booking B7.' },
      { user: 'Yes.', calls: index < unlooked ? [CANCEL] : [FIND, CANCEL] },
    ]),
  ).join('\n');
}

test('a prompt and schemas give rules with their sentences, and the suite passes its own tests', async () => {
  const cwd = tempDirectory();
  const prompt = path.join(EXAMPLE, 'system-prompt.md');

  expect(await draft(cwd, '--tools', EXAMPLE_TOOLS, '--prompt', prompt)).toMatchObject({ status: 0, stderr: '' });

  const { text, names } = drafted(cwd);
  expect(names).toEqual(
    expect.arrayContaining(['find_booking_first', 'user_said_yes_first', 'book_bike_kind_allowed', 'refund_arguments']),
  );
  expect(text).toContain('# prompt, line 3: "Look a booking up before you change or cancel it."');
  expect(text).toContain('# schema: [1].function.parameters.properties.kind.enum');
  await expectTested(cwd);
  expect((await draft(cwd, '--tools', EXAMPLE_TOOLS, '--prompt', prompt)).stderr).toContain('--force overwrites it');
  await draft(cwd, '--tools', EXAMPLE_TOOLS, '--prompt', prompt, '--force');
  expect(drafted(cwd).text).toBe(text);
});

test('an order that nearly all conversations keep is a rule with its interval, and one that fewer keep is none', async () => {
  const cwd = folderWith({ 'good.jsonl': cancellations(40, 1), 'mixed.jsonl': cancellations(40, 8) });

  const { stdout } = await draft(cwd, '--tools', EXAMPLE_TOOLS, '--from', 'good.jsonl');
  await draft(cwd, '--tools', EXAMPLE_TOOLS, '--from', 'mixed.jsonl', '--out', 'mixed.yaml');

  // Wilson's interval of 39 of 40 at 95 %, written out.
  const [n, p, z] = [40, 39 / 40, 1.959964];
  const [centre, away] = [p + z ** 2 / (2 * n), z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))];
  const [lower, upper] = [centre - away, centre + away].map((end) => Math.round((100 * end) / (1 + z ** 2 / n)));
  expect(drafted(cwd).text).toContain(
    `# traffic: kept in 39 of 40 conversations (${lower} to ${upper} %)\n  - name: find_booking_first`,
  );
  expect(stdout).toMatch(/find_booking_first +traffic +40 +1 +c0\n/);
  expect(drafted(cwd).names).toContain('user_said_yes_first');
  expect(drafted(cwd, 'mixed.yaml').names).not.toContain('find_booking_first');
  await expectTested(cwd);
});

test('what traffic breaks mostly is a comment, unless the prompt says it', async () => {
  const wrong = { ...CANCEL, args: { booking: 'B7', reason: 'rain' } };
  const spoken = Array.from({ length: 4 }, (_, index) =>
    conversation(`c${index}`, [{ user: 'Cancel B7.', calls: [wrong] }]),
  );
  const cwd = folderWith({
    'r.jsonl': spoken.join('\n'),
    'p.md': 'Ask the customer for confirmation before cancel_booking.',
  });

  const { stdout } = await draft(cwd, '--tools', EXAMPLE_TOOLS, '--prompt', 'p.md', '--from', 'r.jsonl');

  expect(stdout).toContain('Broken by many conversations');
  const { text, names } = drafted(cwd);
  expect(names).toContain('user_said_yes_first');
  expect(names).not.toContain('cancel_booking_arguments');
  expect(text).toMatch(/# +- name: cancel_booking_arguments/);
  expect(text).toContain('kept in 0 of 4 conversations');
  await expectTested(cwd);
});

test('an id that nobody said breaks its rule, and one that a tool gave keeps it', async () => {
  const given = [
    conversation('given', [{ user: 'Cancel my booking.', calls: [{ ...FIND, args: { booking: 'mine' } }, CANCEL] }]),
  ];
  const said = Array.from({ length: 8 }, (_, index) =>
    conversation(`said${index}`, [{ user: 'Cancel b7!', calls: [CANCEL] }]),
  );
  const invented = conversation('invented', [{ user: 'Cancel my booking.', calls: [CANCEL] }]);
  const cwd = folderWith({ 'r.jsonl': [...given, ...said, invented].join('\n') });

  const { stdout } = await draft(cwd, '--tools', EXAMPLE_TOOLS, '--from', 'r.jsonl');

  expect(stdout).toMatch(/cancel_booking_booking_known .* 10 +1 +invented\n/);
});

test('a pattern takes its example from the traffic, and sentences that became no rule are listed', async () => {
  const parameters = { type: 'object', properties: { booking: { type: 'string', pattern: '^B[0-9]{4}$' } } };
  const call = { tool: 'cancel_booking', args: { booking: 'B1234' } };
  const cwd = folderWith({
    'tools.json': [{ name: 'cancel_booking', input_schema: parameters }],
    'r.jsonl': conversation('one', [{ user: 'Cancel B1234.', calls: [{ ...call, args: { booking: 7 } }, call] }]),
    'p.md': 'Never call cancel_booking.\nBe kind to everybody.\n',
  });
  const files = ['--tools', 'tools.json', '--prompt', 'p.md'];

  const alone = await draft(cwd, ...files, '--out', 'alone.yaml');
  const { stdout } = await draft(cwd, ...files, '--from', 'r.jsonl');

  expect(alone.stdout).toContain('left out: cancel_booking_booking_allowed');
  expect(drafted(cwd).names).toContain('cancel_booking_booking_allowed');
  expect(stdout).not.toContain('left out');
  expect(stdout).toMatch(/\nNo rule follows from:\n {2}line 2: Be kind to everybody\.\n$/);
  await expectTested(cwd);
});

const PARAMETERS = {
  type: 'object',
  properties: { order: { type: 'string' }, kind: { enum: ['a', 'b'] } },
  required: ['order'],
};

test.each([
  ['chat API', [{ type: 'function', function: { name: 'cancel_order', parameters: PARAMETERS } }]],
  ['Responses API', [{ type: 'function', name: 'cancel_order', parameters: PARAMETERS }]],
  ['Anthropic', [{ name: 'cancel_order', input_schema: PARAMETERS }]],
  ['MCP', { tools: [{ name: 'cancel_order', inputSchema: PARAMETERS }] }],
  [
    'an answer of MCP',
    { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'cancel_order', inputSchema: PARAMETERS }] } },
  ],
  ['a map', { cancel_order: PARAMETERS }],
])('schemas in the form of %s', async (_, tools) => {
  const cwd = folderWith({ 'tools.json': tools });

  expect(await draft(cwd, '--tools', 'tools.json')).toMatchObject({ status: 0, stderr: '' });

  expect(drafted(cwd).names).toEqual(['no_change_made_twice', 'cancel_order_arguments', 'cancel_order_kind_allowed']);
});

test("MCP's hints go before names, and a reference is followed", async () => {
  const parameters = {
    type: 'object',
    properties: { order_id: { anyOf: [{ $ref: '#/$defs/Id' }, { type: 'null' }] }, days: { $ref: '#/$defs/Days' } },
    $defs: { Id: { type: 'string' }, Days: { type: 'integer', minimum: 1, maximum: 5 } },
    required: ['order_id'],
  };
  const tools = [
    { name: 'crm_sync', inputSchema: parameters, annotations: { readOnlyHint: false } },
    { name: 'send_query', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  ];
  const cwd = folderWith({ 'tools.json': { tools } });

  await draft(cwd, '--tools', 'tools.json');

  const { text, names } = drafted(cwd);
  expect(names).toEqual([
    'crm_sync_order_id_known',
    'no_change_made_twice',
    'crm_sync_arguments',
    'crm_sync_days_allowed',
  ]);
  expect(text).not.toContain("'send_query'].exists");
  expect(text).toContain('p.days >= 1'.replace('p.', 'c.args.'));
  await expectTested(cwd);
});

test('names, texts and depths of a hostile file become no rule, or inert text', async () => {
  let deep: unknown = { type: 'string', enum: ['x'] };
  for (let depth = 0; depth < 100; depth += 1) deep = { type: 'object', properties: { deeper: deep } };
  const nasty = [
    '- yes: "no"',
    "it's\n# x",
    '{{ answer }}',
    '\u001b[31m\u202e',
    '!!js/function',
    '*a &b',
    '"]) || true',
  ];
  const tools = `{
    "cancel_order": {"type": "object", "properties": {
      "__proto__": {"enum": [1]}, "constructor": {"enum": [2]}, "in": {"enum": [3]}, "a b": {"enum": [4]},
      "kind": {"enum": ${JSON.stringify(nasty)}}, "deep": ${JSON.stringify(deep)},
      "form": {"type": "string", "pattern": "(a+)+$(?=x)"}, "big": {"type": "number", "maximum": 1e300},
      "many": {"type": "array", "maxItems": 5000}}},
    "__proto__": {"type": "object"}, "toString": {"type": "object"},
    "x') || true || ('": {"type": "object"}, "two\\nlines": {"type": "object"}, "drop_*": {"type": "object"},
    "none": {}
  }`;
  const prompt = `Never call cancel_order.\u001b[2J\u202e\n${'Always call "]) before x. '.repeat(40_000)}`;
  const cwd = folderWith({ 'tools.json': tools, 'p.md': prompt });

  const { status, stdout, stderr } = await draft(cwd, '--tools', 'tools.json', '--prompt', 'p.md');

  expect(status).toBe(0);
  const { text, names, criteria } = drafted(cwd);
  const left = ['__proto__', 'toString', "x') || true || ('", 'two', 'drop_*'];
  for (const name of left) expect(stderr).toContain(`left out: ${name}`);
  expect(names).toContain('never_cancel_order');
  expect(names.join()).not.toMatch(/proto|constructor/);
  expect(criteria.find(({ name }) => name === 'cancel_order_kind_allowed')?.check).toContain('"\\"]) || true"');
  expect(stdout).toContain('left out: cancel_order_form_allowed: its expression is not valid: error parsing regexp');
  expect(stdout).toContain(
    'left out: cancel_order_many_at_most_5000: its example "cancel_order_many_at_most_5000 is broken" gives pass',
  );
  expect(stdout).toContain('left out: cancel_order_in_allowed: its expression is not valid');
  // Nothing that a terminal or an editor would obey.
  for (const hidden of ['\u001b', '\u202e']) expect(`${text}${stdout}${stderr}`).not.toContain(hidden);
  await expectTested(cwd);
});

test('a large file becomes a suite that is read at once, with a bound on its rules', async () => {
  const values = (length: number) => Array.from({ length }, (_, index) => `${index}`.padEnd(190, 'x'));
  const property = { type: 'string', enum: values(10) };
  const described = { type: 'array', items: { type: 'string', description: `such as ${'a_'.repeat(500_000)}` } };
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, property]));
  const first = { type: 'object', properties: { described, long: { enum: values(60) }, ...many } };
  const others = { type: 'object', properties: { kind: { enum: ['a'] } } };
  const tools = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`cancel_${index}`, index === 0 ? first : others]),
  );
  const cwd = folderWith({
    'tools.json': tools,
    'p.md': Array.from(
      { length: 3000 },
      (_, index) => `Ask the user for confirmation before cancel_${index % 200}.`,
    ).join('\n'),
  });

  const { status, stdout, stderr } = await draft(cwd, '--tools', 'tools.json', '--prompt', 'p.md');

  expect(status).toBe(0);
  expect(stderr).toContain('left out: cancel_200: more than 200 tools');
  expect(stdout).toMatch(/left out: \d+ rules: a suite has at most 100 here/);
  expect(drafted(cwd).names).toHaveLength(100);
  await expectTested(cwd);
}, 120_000);

test.each([
  ['not JSON', 'tools:', 'it is not JSON: expected a list of tools'],
  ['no tools', '[]', 'no tools are in it'],
  ['other things', '{"a": 1}', 'no tools are in it'],
])('a file with %s is refused with what is expected', async (_, text, problem) => {
  const cwd = folderWith({ 'tools.json': text });
  expect(await draft(cwd, '--tools', 'tools.json')).toMatchObject({
    status: 3,
    stderr: expect.stringContaining(problem),
  });
});

test('each mistake of the command line is named', async () => {
  const cwd = folderWith({ 'tools.json': '[{"description": "no name"}, 7, {"name": "cancel_order"}]' });

  const nothing = await draft(cwd, '--tools', 'tools.json');
  expect(nothing.stderr).toContain('left out: [0]: it has no `name`\nleft out: [1]: not an object\n');
  expect((await draft(cwd, '--tools', 'none.json')).stderr).toContain('none.json: ENOENT');
  expect((await draft(cwd, '--tools', 'tools.json', '--out', 'a.test.yaml')).stderr).toContain('ends in .yaml');
});

const CONFIG = (url: string) =>
  `judges:\n  reader:\n    provider: openai\n    model: played\n    base_url: ${url}\n    prices: { input_per_million: 2, output_per_million: 8 }\n`;
const EMPTY = { sentence: 0, kind: '', tool: '', lookup: '', most: 0 };
const PROMPT = 'Kündige keine Buchung, die du nicht angesehen hast.\nErstatte höchstens zweimal.\n';

async function asked(provider: Provider, judge = 'reader') {
  const cwd = folderWith({ 'assay.yaml': CONFIG(provider.url), 'p.md': PROMPT });
  return { cwd, ...(await draft(cwd, '--tools', EXAMPLE_TOOLS, '--prompt', 'p.md', '--judge', judge)) };
}

test('a model fills in forms: what names nothing that exists is dropped, and what stays is tried', async () => {
  const rules = [
    { ...EMPTY, kind: 'before', tool: 'cancel_booking', lookup: 'find_booking' },
    { ...EMPTY, sentence: 1, kind: 'at_most', tool: 'refund', most: 2 },
    { ...EMPTY, kind: 'never', tool: 'drop_table' },
    { ...EMPTY, sentence: 99, kind: 'never', tool: 'refund' },
    { ...EMPTY, kind: 'check', tool: 'tool_calls.all(c, true)' },
    'tool_calls.all(c, true)',
  ];
  const provider = await startProvider(() => ({ say: JSON.stringify({ rules }) }));

  const { cwd, status, stdout } = await asked(provider);

  expect(status).toBe(0);
  const { text, names } = drafted(cwd);
  expect(names).toEqual(expect.arrayContaining(['find_booking_first', 'refund_at_most_2']));
  expect(names.filter((name) => name.startsWith('never_'))).toEqual([]);
  expect(text).toContain('# prompt, line 2: "Erstatte höchstens zweimal."');
  expect(stdout).toContain('proposals that name nothing that exists were dropped');
  expect(provider.asked[0]?.material).toContain('sentence 0 "Kündige keine Buchung');
  await expectTested(cwd);
});

test.each([
  ['prose', { say: 'Sure! The rules are these.' }],
  ['a refusal', { refuse: true as const }],
  ['an outage', { status: 500 }],
])('a model that answers with %s costs its own rules only', async (_, reaction) => {
  const provider = await startProvider(() => reaction);

  const { cwd, status, stdout } = await asked(provider);

  expect(status).toBe(0);
  expect(stdout).toContain('left out: rules of the model:');
  expect(drafted(cwd).names).toContain('refund_arguments');
});

test('a judge that is not configured is named', async () => {
  const provider = await startProvider(() => ({ say: '' }));

  expect((await asked(provider, 'one')).stderr).toContain('--judge one: no such judge is configured: there are reader');
});
