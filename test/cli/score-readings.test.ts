/** `assay score --readings`: how many conversations of a recording went well. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lotOfId } from '../../src/store/frame-columns.ts';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';

/** A faulty one calls a tool that fails, and answers nothing. */
const line = (id: string, isFaulty: boolean) =>
  `${JSON.stringify({
    conversation_id: id,
    messages: [
      { role: 'user', content: 'When do you open?' },
      ...(isFaulty ? [] : [{ role: 'assistant', content: 'At nine.' }]),
    ],
  })}\n`;
const IDS = Array.from({ length: 12 }, (_, index) => `c-${index}`);
const FAULTY = new Set(['c-1', 'c-4', 'c-7']);
const RECORDING = IDS.map((id) => line(id, FAULTY.has(id))).join('');

interface Scored {
  readonly estimate: {
    readonly says: string;
    readonly next: string;
    readonly success?: { readonly value: number; readonly low: number; readonly high: number };
    readonly conversations: Readonly<Record<string, number>>;
    readonly readings: Readonly<Record<string, number>>;
  };
  readonly to_read: readonly string[];
}

async function score(readings: string | undefined, ...args: readonly string[]) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'recorded.jsonl'), RECORDING);
  writeFileSync(path.join(cwd, 'readings.csv'), readings ?? '');
  const given = readings === undefined ? [] : ['--readings', 'readings.csv'];
  return await assayHere(['score', 'recorded.jsonl', '--suite', 'default', ...given, ...args], { cwd });
}

async function scored(readings?: string): Promise<Scored> {
  // The cast holds because the shape is the command's own.
  return JSON.parse((await score(readings, '--json')).stdout) as Scored;
}

const csv = (answers: readonly (readonly [id: string, answer: string])[]) =>
  `conversation_id,answer\n${answers.map((one) => `${one.join(',')}\n`).join('')}`;

test('the lot of a recorded conversation is the first 52 bits of the hash of its id', () => {
  const hash = createHash('sha256').update('c-1').digest();

  expect(lotOfId('c-1')).toBe(Number(hash.readBigUInt64BE() >> 12n));
});

test('conversations to read come in the order of their lots, faulty ones sooner, the same in each run', async () => {
  const { to_read: toRead, estimate } = await scored();
  const place = (id: string) => -Math.log(1 - lotOfId(id) / 2 ** 52) / (FAULTY.has(id) ? 1.5 : 1);

  expect(estimate.conversations).toMatchObject({ spoken_for: 12, called_fine: 9, later: 0 });
  expect(toRead).toEqual(IDS.toSorted((a, b) => place(a) - place(b)));
  expect((await scored()).to_read).toEqual(toRead);
});

test('without readings it says that nothing is known, and what to read first', async () => {
  const { to_read: toRead } = await scored();
  const { stdout } = await score(undefined);

  expect(stdout.split('\n').slice(1, 4)).toEqual([
    '  No conversation has been read: how many went well is not known.',
    '  Read 12 conversations (about 15 minutes) to know it exactly.',
    `  First to read: ${toRead.slice(0, 3).join(', ')} and to_read of --json; answers come in by --readings`,
  ]);
});

test('those read in order are the sample; those read out of turn are said to be so, and change nothing', async () => {
  const { to_read: toRead } = await scored();
  const first = toRead.slice(0, 6).map((id, index) => [id, index === 1 ? 'bad' : 'good'] as const);
  const last = [[toRead.at(-1) ?? '', 'bad'] as const, ['nowhere', 'good'] as const];

  const inOrder = await scored(csv(first));
  const withLast = await scored(csv([...first, ...last]));
  const { stdout } = await score(csv([...first, ...last]));

  expect(inOrder.estimate.says).toMatch(
    /^\d+\.\d % \(.*\) of 12 conversations went well, from 6 readings\. The suites/,
  );
  expect(inOrder.estimate.readings).toMatchObject({ sample: 6, out_of_turn: 0 });
  expect(inOrder.to_read).toEqual(toRead.slice(6));
  expect(withLast.estimate.success).toEqual(inOrder.estimate.success);
  expect(withLast.estimate.readings).toMatchObject({ sample: 6, out_of_turn: 1 });
  expect(stdout).toContain(`  ${withLast.estimate.says}\n  ${withLast.estimate.next}\n`);
  expect(stdout).toContain('counted once all before are read: 1; readings of conversations that are not here: 1\n');
});

test('all of them read is exact, and a reading by a program counts nowhere', async () => {
  const all = IDS.map((id, index) => [id, index < 9 ? 'good' : 'bad'] as const);
  const agents = IDS.map((sessionId) => ({ name: 'ok', dataType: 'BOOLEAN', source: 'EVAL', sessionId, value: 1 }));

  const exact = await scored(csv(all));
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'recorded.jsonl'), RECORDING);
  writeFileSync(path.join(cwd, 'scores.json'), JSON.stringify(agents));
  const command = ['score', 'recorded.jsonl', '--suite', 'default', '--readings', 'scores.json', '--json'];
  const { estimate } = JSON.parse((await assayHere(command, { cwd })).stdout) as Scored;

  expect(exact.estimate.success).toMatchObject({ value: 0.75, low: 0.75, high: 0.75 });
  expect(exact.to_read).toEqual([]);
  expect(estimate).toMatchObject({ readings: { sample: 0, out_of_turn: 0 } });
  expect(estimate.success).toBeUndefined();
});

test('of several rows of one reader the last counts, and another reader may contradict', async () => {
  const { to_read: toRead } = await scored();
  const [first = '', second = ''] = toRead;
  const changed = [
    [first, 'good'] as const,
    [first, 'bad'] as const,
    [second, 'bad'] as const,
    [second, 'good'] as const,
  ];
  const { estimate } = await scored(csv(changed));
  const byTwo = changed.map(([id, answer], at) => `${id},${answer},${at % 2 === 0 ? 'ana' : 'bo'}\n`).join('');

  expect(estimate.readings).toMatchObject({ sample: 2, unclear: 0, by_two: 0 });
  expect((await scored(`conversation_id,answer,by\n${byTwo}`)).estimate.readings).toMatchObject({
    unclear: 2,
    by_two: 2,
  });
});

test('a conversation is found by each of its traces; who calls them good and bad cannot tell', async () => {
  const cwd = tempDirectory();
  const traces = ['0af7651916cd43dd8448eb211c80319c', '1af7651916cd43dd8448eb211c80319c'];
  writeFileSync(path.join(cwd, 'spans.jsonl'), traces.map((traceId) => `${spansOf(traceId)}\n`).join(''));
  const annotations = traces.map((traceId, index) => ({
    ...{ name: 'ok', dataType: 'BOOLEAN', source: 'ANNOTATION', authorUserId: 'ana', traceId, value: index },
  }));
  writeFileSync(path.join(cwd, 'scores.json'), JSON.stringify(annotations));
  const command = ['score', 'spans.jsonl', '--suite', 'default', '--readings', 'scores.json', '--json'];
  const { estimate } = JSON.parse((await assayHere(command, { cwd })).stdout) as Scored;

  expect(estimate.conversations.spoken_for).toBe(1);
  expect(estimate.readings).toMatchObject({ sample: 1, unclear: 1, out_of_turn: 0 });
});

function spansOf(traceId: string): string {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = {
    ...{ traceId, spanId: traceId.slice(0, 16), name: 'invoke_agent shop', kind: 1 },
    ...{ startTimeUnixNano: '1777885200000000000', endTimeUnixNano: '1777885201000000000' },
    attributes: [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'shop'),
      text('gen_ai.conversation.id', 'of two traces'),
      text('gen_ai.input.messages', '[{"role":"user","parts":[{"type":"text","content":"Open?"}]}]'),
      text('gen_ai.output.messages', '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'),
    ],
  };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
}

test.each([[['--label', 'ok']], [['--good-from', '4']]])('%o needs --readings', async (args) => {
  const { status, stderr } = await score(undefined, ...args);

  expect(status).toBe(2);
  expect(stderr).toContain('--label, --good-from and --good-up-to need --readings');
});
