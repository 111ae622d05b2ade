/** Exports of other tools as readings. The files have the shapes that the tools write, with one annotation of each kind. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readingsIn } from '../../src/cli/read-annotations.ts';
import { tempDirectory } from '../temp-directory.ts';

const EXPORTS = path.resolve(import.meta.dirname, '../fixtures/annotations');
const TRACE = 'trace:0af7651916cd43dd8448eb211c80319c';
const OTHER_TRACE = 'trace:1af7651916cd43dd8448eb211c80319c';

type Said = readonly [conversation: string, answer: string, by: string, source: string, note?: string];

test.each<[file: string, flags: object, of: object, said: readonly Said[]]>([
  [
    'langfuse.json',
    { label: 'resolved' },
    { tool: 'Langfuse', name: 'resolved', leftOut: 0 },
    [
      ['c-101', 'good', 'clx-ana', 'person', 'Refund came.'],
      [TRACE, 'bad', 'clx-ana', 'person'],
      [OTHER_TRACE, 'good', 'Langfuse', 'agent', 'Judged.'],
    ],
  ],
  [
    'langfuse.json',
    { label: 'helpfulness', goodFrom: '4' },
    { tool: 'Langfuse', name: 'helpfulness', leftOut: 0 },
    [[TRACE, 'good', 'clx-bo', 'person']],
  ],
  [
    'langfuse.csv',
    { by: 'bo' },
    { tool: 'Langfuse', name: 'outcome', leftOut: 0 },
    [
      [TRACE, 'good', 'clx-ana', 'person', 'He said "thanks".'],
      ['c-102', 'bad', 'bo', 'agent'],
    ],
  ],
  [
    'phoenix.json',
    {},
    { tool: 'Phoenix', name: 'went_well', leftOut: 1 },
    [
      [TRACE, 'good', 'VXNlcjox', 'person', 'Booked.'],
      ['c-102', 'bad', 'judge-1', 'agent'],
    ],
  ],
  [
    'phoenix.csv',
    {},
    { tool: 'Phoenix', name: 'went_well', leftOut: 0 },
    [[TRACE, 'bad', 'VXNlcjox', 'person', 'Wrong day.']],
  ],
  [
    'langsmith.jsonl',
    { label: 'user_goal_met', goodFrom: '0.5' },
    { tool: 'LangSmith', name: 'user_goal_met', leftOut: 0 },
    [
      [TRACE, 'good', 'Ana', 'person', 'As wanted.'],
      ['c-102', 'bad', 'u-2', 'person'],
      [OTHER_TRACE, 'good', 'LangSmith', 'agent'],
    ],
  ],
  ['langsmith.jsonl', { label: 'note' }, { tool: 'LangSmith', name: 'note', leftOut: 1 }, []],
  [
    'mlflow.json',
    { label: 'went_well' },
    { tool: 'MLflow', name: 'went_well', leftOut: 0 },
    [
      ['c-101', 'good', 'ana@example.com', 'person', 'Refund came.'],
      [OTHER_TRACE, 'bad', 'gpt', 'agent'],
    ],
  ],
])('%s %j is read: sessions before traces, and people apart from programs', (file, flags, of, said) => {
  const read = readingsIn(path.join(EXPORTS, file), flags);

  expect(read.of).toEqual(of);
  expect(read.readings).toEqual(
    said.map(([conversation, answer, by, source, note]) => ({
      ...{ conversation_id: conversation, answer, by, source, note },
    })),
  );
});

const score = (name: string, more: object) =>
  JSON.stringify({ name, dataType: 'NUMERIC', source: 'ANNOTATION', traceId: 't', ...more });

/** Files of exports, or lines. */
test.each<[why: string, given: string, flags: object, problem: RegExp]>([
  [
    'no name is guessed where there are several',
    'langfuse.json',
    {},
    /2 names may be the outcome.*--label with one of resolved, helpfulness/s,
  ],
  ['a name that is not there', 'phoenix.json', { label: 'nice' }, /called nice.*one of went_well/s],
  [
    'no number is guessed, and the line is said',
    `${score('helpful', { value: 1 })}\n${score('helpful', { value: 4 })}\n`,
    {},
    /s\.jsonl:2.*"4" is neither good nor bad.*--good-from/s,
  ],
  [
    'names of files are not trusted',
    `${score('\u001b[2Ja', { value: 1 })}\n${score('b', { value: 1 })}\n`,
    {},
    /--label with one of a, b$/,
  ],
  ['what is no export of these is read as readings', '{"verdict":"good"}\n', {}, /conversation_id/],
])('%s', (_, given, flags, problem) => {
  const file = given.startsWith('{') ? path.join(tempDirectory(), 's.jsonl') : path.join(EXPORTS, given);
  if (given.startsWith('{')) writeFileSync(file, given);

  expect(() => readingsIn(file, flags)).toThrow(problem);
});
