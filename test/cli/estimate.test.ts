/** `assay estimate` against a running service, readings from a file, and reading on a terminal whose keys are played. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Keys, readConversations } from '../../src/cli/read-conversations.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { forFile } from '../for-file.ts';
import { assayHere } from '../assay-here.ts';
import { get, post, SENT, SUITE, traceOf } from '../serve/api/v1/filled-service.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';
import { printed } from './printed.ts';

const shared = forFile(async () => {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'live.yaml'), SUITE);
  const running = await runService({ suites: [path.join(cwd, 'live.yaml')] });
  for (const [index, sent] of SENT.entries()) await post(running, sent, index + 1);
  await evaluated(running, SENT.length);
  return { cwd, running };
});
const evaluated = (running: RunningService, count: number) =>
  vi.waitFor(async () => expect(sumOf(await metricsOf(running), 'assay_evaluations_total')).toBe(count), 20_000);
const inService = (...args: readonly string[]) =>
  assayHere([...args, '--url', shared().running.http], { cwd: shared().cwd });
const file = (name: string, text: string) => {
  writeFileSync(path.join(shared().cwd, name), text);
  return name;
};

beforeEach(async () => {
  const readings = SENT.flatMap(({ id }) => ['ana', 'bo'].map((by) => ({ conversation_id: id, answer: null, by })));
  await put('/v1/readings', readings);
  await put('/v1/outcomes', { conversation_id: 'none', label: 'refund', good: null });
});

async function put(place: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${shared().running.http}${place}`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(body),
  });
  expect(status).toBe(200);
}

async function queue(): Promise<readonly string[]> {
  const { body } = await get(shared().running, '/api/v1/readings/queue?agent=helper');
  // The cast holds because the shape is the API's own.
  return (body as { items: { conversation_id: string }[] }).items.map((one) => one.conversation_id);
}

async function readFirst(...answers: readonly string[]): Promise<void> {
  const ids = await queue();
  await put(
    '/v1/readings',
    answers.map((answer, at) => ({ conversation_id: ids[at], answer, by: 'ana' })),
  );
}

test('with nothing read it says so, and what to do', async () => {
  const { status, stdout, stderr } = await inService('estimate');

  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^No conversation has been read: how many went well is not known\.\n {4}spoken for +4 /);
  expect(stdout).toMatch(/\nRead 4 conversations \(about 5 minutes\) to know it exactly\.\n$/);
});

test('the headline is that of the API, with its counts and what the suites miss', async () => {
  await readFirst('good', 'bad', 'cannot_tell');

  const shown = await inService('estimate', '--agent', 'helper', '--since', '1h');
  const json = await inService('estimate', '--agent', 'helper', '--since', '1h', '--json');

  const answer = JSON.parse(json.stdout);
  expect(answer).toMatchObject({ readings: { sample: 3, unclear: 1 }, conversations: { spoken_for: 4 } });
  expect(answer.says).toMatch(/^\d+\.\d % \(.*\) of 4 conversations went well, from 3 readings\./);
  expect(shown.stdout.split('\n')).toEqual([
    answer.says,
    expect.stringMatching(/^ {4}spoken for +4 {2}began since /),
    expect.stringMatching(/^ {4}later +0 /),
    expect.stringMatching(/^ {4}unreadable +0 /),
    expect.stringMatching(/^ {4}sample +3 /),
    expect.stringMatching(/^ {4}out of turn +0 /),
    expect.stringMatching(/^ {4}certain +0 /),
    expect.stringMatching(/^ {4}unclear +1 /),
    expect.stringMatching(/^ {4}disagreed +0 {2}of 0 that two people read$/),
    expect.stringMatching(/^ {4}miss rate +\d+\.\d % \(\d/),
    expect.stringMatching(/^ {4}missed per 100 +\d+\.\d \(\d/),
    answer.next,
    '',
  ]);
});

test('an explanation has the cells, each draw, and factors that multiply to the limit at the ends', async () => {
  await readFirst('good', 'bad');

  const { stdout } = await inService('estimate', '--explain');

  const draws = [...stdout.matchAll(/^ +(\d) +\d +\d\.\d\de-\d +(good|bad) +0\.\d{4} +(\S+) +(\S+)$/gm)];
  expect(draws.map(([, draw, answer]) => [draw, answer])).toEqual([
    ['1', 'good'],
    ['2', 'bad'],
  ]);
  const [, ...products] = /^ +product +(\S+) +(\S+)$/m.exec(stdout) ?? [];
  for (const [end, product] of products.entries())
    expect(draws.reduce((all, draw) => all * Number(draw[3 + end]), 1)).toBeCloseTo(Number(product), 2);
  expect(stdout).toContain('Each belief is tilted to q by q − p = m q (1 − q)');
  expect(stdout).toMatch(/^ +cell +conversations +rate +called +group$/m);
});

test('the only agent is looked for in the window that is asked about', async () => {
  const none = await inService('estimate', '--since', '2099-01-01');
  const all = await inService('estimate', '--since', '9000d');

  expect([none.status, none.stderr]).toEqual([
    3,
    expect.stringContaining('has evaluated no conversation since 2099-01-01'),
  ]);
  expect(all.stdout).toMatch(/^No conversation has been read/);
});

test('of several agents each has a line, and what is about one takes its name', async () => {
  const attributes = { 'gen_ai.agent.name': 'other\u001b[2J' };
  await post(
    shared().running,
    { id: 'of-other', question: 'Hi?', answer: 'Hello.', results: [], attributes },
    SENT.length + 1,
  );
  await evaluated(shared().running, SENT.length + 1);

  const all = await inService('estimate');
  const json = await inService('estimate', '--json');
  const explained = await inService('estimate', '--explain');

  expect(all.stdout).toMatch(
    /^helper: No conversation has been read.*\nother \[2J: No conversation has been read.*\n$/,
  );
  expect(JSON.parse(json.stdout)).toMatchObject([{ agent: 'helper' }, {}]);
  expect(explained).toMatchObject({
    status: 2,
    stderr: 'there are several agents: --agent with one of helper, other [2J\n',
  });
});

test('readings come from a file, certain outcomes count, and reading needs a terminal', async () => {
  const [first = '', second = ''] = await queue();
  const text = `conversation_id,answer,by,note\n"${first}",TRUE,,\n"${second}",bad,bo,"It got lost,\nthen stopped."\n`;
  const imported = await inService('labels', 'import', file('read.csv', text), '--readings', '--by', 'ana');
  const again = await inService('labels', 'import', 'read.csv', '--readings', '--by', 'ana', '--json');
  const outcomes = file('refund.csv', 'conversation_id,refund\nnone,0\n');
  const certain = await inService('labels', 'import', outcomes, '--outcome', '--certain');
  const read = await inService('estimate', '--agent', 'helper', '--read');

  expect(imported).toMatchObject({ status: 0, stderr: '', stdout: '2 readings, 2 of them new or changed\n' });
  expect(JSON.parse(again.stdout)).toEqual({ readings: 2, changed: 0 });
  expect(certain.stdout).toContain('1 outcome in refund, 1 of them new or changed\n');
  const { body } = await get(shared().running, '/api/v1/estimate?agent=helper');
  expect(body).toMatchObject({ readings: { certain: 1 } });
  expect(read).toMatchObject({ status: 2, stdout: '' });
  expect(read.stderr).toMatch(/^--read waits for keys and needs a terminal/);
});

test('annotations of another tool come in for the conversations that are here, and out of turn', async () => {
  const score = (sessionId: string | null, source: string, value: number, traceId: string | null = null) => ({
    ...{ name: 'resolved', dataType: 'BOOLEAN', source, authorUserId: null, sessionId, traceId, value },
  });
  const data = [
    score(SENT[0]?.id ?? '', 'ANNOTATION', 1),
    score('many', 'EVAL', 1),
    score(null, 'ANNOTATION', 0, 'ab'.repeat(16)),
  ];
  const text = JSON.stringify({ data: [...data, score('none', 'ANNOTATION', 0), score('none', 'ANNOTATION', 1)] });
  const imported = await inService('labels', 'import', file('scores.json', text), '--readings', '--by', 'ana');
  const again = await inService('labels', 'import', 'scores.json', '--readings', '--by', 'ana', '--json');
  await put('/v1/readings', { conversation_id: 'none', answer: null, by: 'ana' });
  const { body } = await get(shared().running, '/api/v1/estimate?agent=helper');
  // The cast holds because the shape is the API's own.
  const { readings } = body as { readings: { sample: number; out_of_turn: number } };
  await put('/v1/readings', { conversation_id: 'many', answer: null, by: 'ana', source: 'agent' });

  expect(imported).toEqual({ status: 0, stderr: '', stdout: expect.any(String) });
  expect(imported.stdout.split('\n').slice(0, -1)).toEqual([
    '3 readings, 3 of them new or changed',
    'Langfuse: resolved says whether a conversation went well.',
    'by programs, which count in no estimate: 1',
    'left out, without a value, a trace or a session: 0',
    'left out, of a trace or session that is no conversation here: 1',
    'No lot chose these conversations: each is out of turn, and counts once all that come before it are read.',
  ]);
  const counts = { readings: 3, changed: 0, by_programs: 1, left_out: 0, of_no_conversation: 1 };
  expect(JSON.parse(again.stdout)).toEqual(counts);
  // The window may end behind the one that a person read, if it began first.
  expect(readings.sample + readings.out_of_turn).toBe(1);
});

test('an annotation of a trace is of the conversation that has no other name', async () => {
  const number = SENT.length + 2;
  const attributes = { 'gen_ai.conversation.id': '', 'gen_ai.agent.name': 'nameless' };
  await post(shared().running, { id: '', question: 'Hi?', answer: 'Hello.', results: [], attributes }, number);
  const asked = async () => (await get(shared().running, '/api/v1/estimate?agent=nameless')).body;
  await vi.waitFor(async () => expect(await asked()).toMatchObject({ conversations: { spoken_for: 1 } }), 20_000);
  const uuid = traceOf(number).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const feedback = { key: 'ok', score: 1, trace_id: uuid, feedback_source: { type: 'app', user_id: 'u' } };
  const text = `${JSON.stringify(feedback)}\n`;
  const imported = await inService('labels', 'import', file('feedback.jsonl', text), '--readings', '--json');

  expect(JSON.parse(imported.stdout)).toMatchObject({ readings: 1, changed: 1, of_no_conversation: 0 });
  expect(await asked()).toMatchObject({ readings: { sample: 1 }, success: { value: 1 } });
});

test.each([
  [['--readings', '--certain'], '--certain needs --outcome'],
  [['--certain'], '--certain needs --outcome'],
  [['--readings', '--suite', 's'], '--suite is for labels of people, and --readings is given'],
  [['--readings', '--outcome'], "option '--readings"],
])('labels import %o is a mistake', async (args, problem) => {
  const { status, stderr } = await inService('labels', 'import', 'none.csv', ...args);

  expect(status).toBe(2);
  expect(stderr).toContain(problem);
});

const NOTE = /^(?:note|kind) (.*)/;

/** Output while these keys are pressed; `note …` presses n and writes it. */
async function readWith(by: string, ...pressed: readonly string[]): Promise<string> {
  const left = [...pressed];
  let note = '';
  const keys: Keys = {
    next: async () => {
      const key = left.shift() ?? 'q';
      note = NOTE.exec(key)?.[1] ?? '';
      return key.slice(0, 1);
    },
    line: async () => note,
  };
  let done: Promise<void> | undefined;
  const lines: string[] = [];
  const read = (terminal: Terminal) => {
    const out = (text: string) => void lines.push(text);
    const service = { url: shared().running.http, token: undefined, writeToken: undefined };
    done = readConversations({ ...terminal, out }, keys, { service, by, idKeys: [], query: 'agent=helper' });
  };
  printed(read);
  await done;
  return lines.join('\n');
}

test('conversations are shown one by one and blind, and each key does what it says', async () => {
  const [first = '', second = ''] = await queue();

  const text = await readWith('ana', '1', 'x', 'note It took too long.', '2', 'u', '3', 'q');

  expect(text.match(/^conversation .*$/gm)).toHaveLength(5);
  expect(text).toContain('tool    track({"order":7}) → ');
  expect(text).not.toMatch(/no_fault_found|hard_failure|Did it look/);
  expect(text).toMatch(/^\d+\.\d % \(.*\) of 4 conversations went well, from 1 reading\./m);
  expect(text.length).toBeLessThan(100_000);
  const { body } = await get(shared().running, '/api/v1/estimate?agent=helper');
  expect(body).toMatchObject({ readings: { sample: 2, unclear: 1 } });
  expect((await queue()).slice(0, 2)).not.toContain(first);
  expect(await readWith('ana', 'q')).not.toContain(`conversation ${second}\n`);
});

test('a failure is given a kind by a key, and what went well has none', async () => {
  const [first = '', second = ''] = await queue();

  await readWith('ana', 'kind looks at nothing', '2', 'kind looks at nothing', '1', 'q');

  const { body } = await get(shared().running, '/api/v1/readings?agent=helper');
  expect(body).toMatchObject({
    items: [
      { conversation_id: first, answer: 'bad', kind: 'looks at nothing' },
      { conversation_id: second, answer: 'good' },
    ],
  });
  expect(JSON.stringify(body).match(/looks at nothing/g)).toHaveLength(1);
});

test('when all are read it says so, and there may be nothing to undo', async () => {
  const text = await readWith('ana', 'u', '1', '1', '1', '1');

  expect(text).toContain('Nothing to undo.');
  expect(text.endsWith('No conversation is left for you to read.')).toBe(true);
});
