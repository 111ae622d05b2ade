/**
 * One agent over two turns, "Where is order 17?" and "And order 99?", as four exporters wrote it that were once misread:
 * one call of a tool in each turn, which fails in the second.
 */
import path from 'node:path';
import { expect, test } from 'vitest';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import { readRecording } from '../../../src/offline/recording.ts';
import { toInspectionJson } from '../../../src/report/inspect/inspection-json.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../fixtures/unlisted');

interface Told {
  readonly agent: string;
  readonly id: string;
  readonly calls: number;
  /** How the second call ended. */
  readonly ended: { readonly error: string } | { readonly result: string; readonly error: null };
}

const TOLD = "Failed to invoke Tool `look_up` with parameters {'order': '99'}. Error: no such order 99";

const EXPORTS: readonly (readonly [string, Told])[] = [
  ['ag2', { agent: 'order-bot', id: 'synthetic', calls: 2, ended: { error: 'ValueError: no such order 99' } }],
  ['haystack-native', { agent: 'order-bot', id: 'synthetic', calls: 2, ended: { error: TOLD } }],
  // Its instrumentation makes no spans of model calls.
  ['haystack-openinference', { agent: 'order-bot', id: 'synthetic', calls: 0, ended: { error: TOLD } }],
  // A gateway sees what its caller made of the tool's failure: words.
  [
    'litellm-proxy',
    {
      agent: 'litellm',
      id: 'metadata.requester_metadata',
      calls: 2,
      ended: { result: 'Error: no such order 99', error: null },
    },
  ],
];

test.each(EXPORTS)('%s is read as it happened', async (name, { agent, id, calls, ended }) => {
  const { conversations } = await understandRecorded(readRecording(path.join(FOLDER, `${name}.traces.bin`)));
  const [conversation, ...others] = toInspectionJson(conversations, dialectOf);

  expect(others).toEqual([]);
  expect(conversation).toMatchObject({ agent, conversation_id_source: id });
  const tokens = { input: 100, output: 24, cached_input: 40, reasoning: 8 };
  const [first, second, ...more] = conversation?.turns ?? [];
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    user_input: 'Where is order 17?',
    final_answer: 'Order 17 is on its way.',
    llm_calls: calls,
    tool_calls: [{ name: 'look_up', args: { order: '17' }, result: { status: 'on its way' }, error: null }],
    tokens,
    error: null,
  });
  expect(second).toMatchObject({
    user_input: 'And order 99?',
    final_answer: 'Order 99 could not be found, sorry.',
    llm_calls: calls,
    tool_calls: [{ name: 'look_up', args: { order: '99' }, ...ended }],
    tokens,
    error: null,
  });
});
