/** `assay dead-letters` as a user runs it. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { deadLetterOf } from '../../../src/receive/kafka/dead-letter.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { startKafka } from '../services.ts';
import { freshName, type KafkaForTests } from './broker.ts';
import { readAll } from './reader.ts';

let kafka: KafkaForTests;

beforeAll(async () => {
  kafka = await startKafka();
});
afterAll(() => kafka?.close());

const MAIN = path.resolve(import.meta.dirname, '../../../src/cli/main.ts');

async function assay(group: string, letters: string, ...args: string[]) {
  const env = {
    ...process.env,
    ASSAY_KAFKA_BROKERS: kafka.brokers.join(','),
    ASSAY_KAFKA_GROUP: group,
    ASSAY_KAFKA_DEAD_LETTERS: letters,
    ASSAY_STORE_URL: 'postgres://nobody@localhost/none',
  };
  const child = spawn(process.execPath, [MAIN, 'dead-letters', ...args], { env, cwd: tempDirectory() });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, out, err };
}

/** Dead letters from `spans` with these reasons. */
async function lettersFor(reasons: readonly string[]) {
  const [spans, letters, group] = [freshName('spans'), freshName('letters'), freshName('group')];
  await kafka.createTopic(spans, 2);
  await kafka.createTopic(letters, 1);
  const producer = new KafkajsProducer({ connection: { brokers: kafka.brokers } });
  for (const [index, reason] of reasons.entries()) {
    const headers = [{ key: 'theirs', value: Buffer.from(`${index}`) }];
    const record = {
      offset: index,
      timestamp: 1,
      key: Buffer.from(`key ${index}`),
      value: Buffer.from(`value ${index}`),
      headers,
    };
    await producer.send(letters, [deadLetterOf({ topic: spans, partition: index % 2 }, record, reason)]);
  }
  await producer.stop();
  return { spans, letters, group };
}

test('what died is listed, with where it came from and why', async () => {
  const { spans, letters, group } = await lettersFor(['decode: \u001b[31mred', 'decompress: bomb']);

  const table = await assay(group, letters, 'list');
  const lines = await assay(group, letters, 'list', '--json', '--reason', 'decompress*');

  expect(table.status).toBe(0);
  expect(table.out).toMatch(new RegExp(`${spans}/0@0 +7  decode: red\n.*${spans}/1@1 +7  decompress: bomb`));
  expect(table.out).not.toContain('\u001b');
  expect(JSON.parse(lines.out)).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    topic: spans,
    partition: 1,
    offset: 1,
    bytes: 7,
    reason: 'decompress: bomb',
    dead_letter: { partition: 0, offset: 1, done: false },
  });
});

test('records go back as they were, each once, however often and with whatever filters it is asked', async () => {
  const { spans, letters, group } = await lettersFor(['decode', 'decompress', 'decode', 'too large', 'decode']);

  const dry = await assay(group, letters, 'replay', '--dry-run');
  const decodes = await assay(group, letters, 'replay', '--reason', 'decode', '--limit', '2');
  const left = await assay(group, letters, 'list', '--json');
  const rest = await assay(group, letters, 'replay');
  const nothing = await assay(group, letters, 'replay');

  expect([dry.out, decodes.out, rest.out, nothing.out]).toEqual([
    '5 would be sent back\n',
    '2 sent back\n',
    '3 sent back\n',
    '0 sent back\n',
  ]);
  expect(
    left.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).offset),
  ).toEqual([1, 3, 4]);
  const back = await readAll(kafka, spans, 2);
  expect(back.values().sort()).toEqual([0, 1, 2, 3, 4].map((index) => `value ${index}`));
  for (const [name, records] of back.records)
    for (const { key, value, headers } of records) {
      const index = value?.toString().split(' ')[1];
      expect(name).toBe(`${spans}/${Number(index) % 2}`);
      expect([key?.toString(), headers.map((header) => `${header.key}=${header.value}`)]).toEqual([
        `key ${index}`,
        [`theirs=${index}`],
      ]);
    }
  const again = await assay(group, letters, 'replay', '--all', '--dry-run');
  expect(again.out).toBe('5 would be sent back\n');
});

test('discarded records are neither listed nor replayed, and the others are', async () => {
  const { spans, letters, group } = await lettersFor(['garbage', 'decompress', 'garbage', 'too large', 'garbage']);

  const dry = await assay(group, letters, 'discard', '--reason', 'garbage', '--dry-run');
  const one = await assay(group, letters, 'discard', '--limit', '1');
  const rest = await assay(group, letters, 'discard', '--reason', 'garbage', '--json');
  const nothing = await assay(group, letters, 'discard', '--reason', 'garbage');
  const left = await assay(group, letters, 'list', '--json');
  const all = await assay(group, letters, 'list', '--json', '--all');
  const replayed = await assay(group, letters, 'replay');

  expect([dry.out, one.out, nothing.out, replayed.out]).toEqual([
    '3 would be discarded\n',
    '1 discarded\n',
    '0 discarded\n',
    '2 sent back\n',
  ]);
  expect(JSON.parse(rest.out)).toEqual({ discarded: 2, unmarked: 0, dry_run: false });
  const offsetsOf = (out: string, isDone: boolean) =>
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).dead_letter)
      .filter(({ done }) => done === isDone)
      .map(({ offset }) => offset);
  expect(offsetsOf(left.out, false)).toEqual([1, 3]);
  expect(offsetsOf(all.out, true)).toEqual([0, 2, 4]);
  const back = await readAll(kafka, spans, 2);
  expect(back.values().sort()).toEqual(['value 1', 'value 3']);
});

test('discarding again discards nothing, and what was discarded can still be sent back', async () => {
  const { letters, group } = await lettersFor(['garbage', 'garbage']);

  const first = await assay(group, letters, 'discard');
  const second = await assay(group, letters, 'discard', '--json');
  const undone = await assay(group, letters, 'replay', '--all', '--dry-run');
  const wrong = await assay(group, letters, 'discard', '--limit', 'all');

  expect([first.out, undone.out]).toEqual(['2 discarded\n', '2 would be sent back\n']);
  expect(JSON.parse(second.out)).toEqual({ discarded: 0, unmarked: 0, dry_run: false });
  expect(wrong.status).toBe(2);
});

test('a topic that is not there is said so, with exit code 3', async () => {
  const missing = freshName('missing');

  const { status, err } = await assay(freshName('group'), missing, 'list');

  expect(status).toBe(3);
  expect(err).toContain(`topic ${missing} does not exist`);
});
