/** The reader gives what the command line understands, in the published shape, of every recorded export. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { CONVERSATION_FORMAT, plainConversation } from '../../src/reader/plain-conversation.ts';
import { readConversations } from '../../src/reader/read-conversations.ts';
import { toPlain } from '../../src/reader/to-plain.ts';
import { filesOf, recordedRuns, understandRun } from '../normalize/recorded/compare.ts';

const PUBLISHED = path.resolve(import.meta.dirname, '../../docs/reference/conversation.schema.json');
const [RUN = ''] = recordedRuns().filter((run) => run.endsWith('strands@1.19.0/meeting_success'));

function recorded(run: string): readonly Buffer[] {
  return filesOf(run).map((file) => readFileSync(file));
}

test('every recorded export is read as by the command line, in the published shape', { timeout: 120_000 }, async () => {
  const runs = recordedRuns();
  expect(runs.length).toBeGreaterThan(500);
  for (const [place, run] of runs.entries()) {
    const read = readConversations(recorded(run));

    // Every fourth, because the log of the command line is a file.
    if (place % 4 === 0) expect(read, run).toEqual((await understandRun(run)).map(toPlain));
    const asJson = JSON.parse(JSON.stringify(read));
    expect(z.array(plainConversation).safeParse(asJson).error, run).toBeUndefined();
  }
});

test('the published schema is the one of the shape: UPDATE_GOLDEN=1 writes it', () => {
  const written = z.toJSONSchema(plainConversation, {
    io: 'input',
    // That a type is read-only says nothing about JSON.
    override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
  });
  const schema = JSON.stringify(written, null, 2);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PUBLISHED, `${schema}\n`);

  expect(JSON.parse(readFileSync(PUBLISHED, 'utf8'))).toEqual(JSON.parse(schema));
});

test('protobuf, frames, lines, one document and an object are the same recording', () => {
  const lines = recorded(RUN)
    .map(String)
    .join('\n')
    .split('\n')
    .filter((line) => line !== '');
  const requests = lines.map((line) => transcodeTraces(Buffer.from(line)));
  const frames = requests.flatMap((bytes) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  const expected = readConversations(lines.join('\n'));
  expect(expected).toHaveLength(1);
  expect(expected[0]).toMatchObject({ format: CONVERSATION_FORMAT, agent: 'meeting_scheduler' });

  expect(readConversations(requests)).toEqual(expected);
  expect(readConversations(requests.toReversed())).toEqual(expected);
  expect(readConversations([...requests, ...requests])).toEqual(expected);
  expect(readConversations(Buffer.concat(frames))).toEqual(expected);
  expect(readConversations(lines.map((line) => JSON.parse(line)))).toEqual(expected);
  expect(readConversations(lines.map((line) => JSON.stringify(JSON.parse(line), undefined, 2)))).toEqual(expected);
});

test('redaction comes before reading, and keeps together what belongs together', () => {
  const [plain] = readConversations(recorded(RUN));
  const [redacted] = readConversations(recorded(RUN), { redact: { salt: 'of this test' } });

  expect(JSON.stringify(plain)).toContain('mira.lindqvist@example.com');
  expect(JSON.stringify(redacted)).not.toContain('@example.com');
  expect(redacted?.turns).toHaveLength(plain?.turns.length ?? 0);
  expect(redacted?.user_id).not.toBe(plain?.user_id);
  const [kept] = readConversations(recorded(RUN), { redact: { salt: 's', patterns: ['card'], hashUserIds: false } });
  expect(kept).toEqual(plain);
});

test('a conversation id of your own attribute', () => {
  const [line = ''] = recorded(RUN).map(String);
  const renamed = line.replaceAll('session.id', 'shop.basket');
  const [before] = readConversations(recorded(RUN));

  const [unnamed] = readConversations(renamed);
  expect(unnamed?.conversation_id).toMatch(/^trace:/);
  const [named] = readConversations(renamed, { conversationKeys: ['shop.basket'] });
  expect(named?.conversation_id).toBe(before?.conversation_id);
});

test.each([
  ['no JSON', '{"resourceSpans": [}', /recording 1: /],
  ['no OTLP', '{"hello": 1}', /recording 1: expected an OTLP export request/],
  ['messages', '[{"role": "user", "content": "hi"}]', /recording 1: expected an OTLP export request/],
  ['broken protobuf', Buffer.from([0x0a, 0xff]), /recording 1: /],
])('%s is refused, with its place', (_what, bytes, message) => {
  expect(() => readConversations(bytes)).toThrow(message);
});
