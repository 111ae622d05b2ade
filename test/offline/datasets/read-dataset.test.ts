import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Dataset } from '../../../src/model/dataset.ts';
import { truthOfCase } from '../../../src/offline/datasets/case-truth.ts';
import { readDataset, taskTruthMistakes, weakTruthsRemark } from '../../../src/offline/datasets/read-dataset.ts';
import { loadPack } from '../../score/packs/packs.ts';
import { tempDirectory } from '../../temp-directory.ts';

function read(text: string, name = 'scheduling.cases.yaml') {
  const file = path.join(tempDirectory(), name);
  writeFileSync(file, text);
  return readDataset(file);
}

function dataset(text: string, name?: string): Dataset {
  const { dataset: found, mistakes } = read(text, name);
  expect(mistakes).toEqual([]);
  if (found === undefined) throw new Error('no dataset, and no mistakes');
  return found;
}

function mistakesOf(text: string, name?: string): string[] {
  const { dataset: found, mistakes } = read(text, name);
  expect(found).toBeUndefined();
  return mistakes.map(({ line, path: where, problem, expected }) => [line, where, problem, expected].join(' | '));
}

const YAML = `dataset: scheduling
version: 2
cases:
  - id: free-slot-1
    input: Please book 30 minutes with Ana and Ben
    truth: { participants: [Ana, Ben] }
    golden: gt_001
    tags: [smoke]
  - id: 7
    turns: [first, { text: second }]
    from:
      conversation: c1
      agent: scheduler
      agent_version: 1.0.3
      recorded_at: 2026-11-21T10:00:00.000Z
      outcomes: { scheduling: hard_failure }
`;

test('a dataset in YAML has its cases, with their lines', () => {
  const { name, version, cases } = dataset(YAML);

  expect([name, version]).toEqual(['scheduling', '2']);
  expect(cases).toMatchObject([
    {
      id: 'free-slot-1',
      turns: ['Please book 30 minutes with Ana and Ben'],
      truth: { participants: ['Ana', 'Ben'] },
      golden: 'gt_001',
      tags: ['smoke'],
      from: undefined,
      line: 4,
    },
    {
      id: '7',
      turns: ['first', { text: 'second' }],
      truth: undefined,
      tags: [],
      from: {
        conversation: 'c1',
        agent: 'scheduler',
        agentVersion: '1.0.3',
        recordedAt: '2026-11-21T10:00:00.000Z',
        outcomes: { scheduling: 'hard_failure' },
      },
      line: 9,
    },
  ]);
  expect(cases.map(truthOfCase)).toEqual([{ participants: ['Ana', 'Ben'], golden: 'gt_001' }, undefined]);
});

test('JSON lines are the same cases; the file gives the name', () => {
  const lines = dataset(
    `{"tags":["smoke"],"golden":"gt_001","truth":{"participants":["Ana","Ben"]},"id":"free-slot-1","input":"Please book 30 minutes with Ana and Ben"}

{"id":"7","turns":["first",{"text":"second"}]}
`,
    'mine.cases.jsonl',
  );

  expect([lines.name, lines.version]).toEqual(['mine', '1']);
  expect(lines.cases.map(({ line }) => line)).toEqual([1, 3]);
  expect(lines.fingerprint).toBe(dataset(YAML).fingerprint);
});

test('a fingerprint is of what a case says: turns, truth and golden trace', () => {
  const fingerprint = (fields: string) => dataset(`{"id":"a",${fields}}`, 'x.jsonl').cases[0]?.fingerprint;
  const one = fingerprint('"input":"book","truth":{"a":1,"b":[2]}');

  expect(fingerprint('"turns":["book"],"truth":{"b":[2],"a":1},"tags":["x"]')).toBe(one);
  const others = [
    fingerprint('"input":"book","truth":{"a":1,"b":[3]}'),
    fingerprint('"input":"book"'),
    fingerprint('"input":["book"]'),
    fingerprint('"input":"book","golden":"a"'),
  ];
  expect(new Set([one, ...others]).size).toBe(5);
});

test('all mistakes are given, each with its line, what is wrong and what was expected', () => {
  const found = mistakesOf(`datset: scheduling
cases:
  - id: a
    input: x
    tag: [smoke]
  - id: a
    turns: []
  - input: x
  - id: b
    golden: ''
    input: .nan
  - id: c
  - id: d
    input: x
    turns: [y]
  - id: e
    input: x
    truth: yes it is
    golden: gt_001
  - id: f
    input: x
    truth: { golden: gt_002 }
    golden: gt_001
  - id: g
    input: x
    from: { conversaton: c }
  - id: h
    input: 0
  - id: h
    input: false
`);

  expect(found).toEqual([
    "1 | dataset | 'dataset' is missing | a text",
    "1 | datset | unknown field 'datset' | did you mean 'dataset'?",
    "5 | cases[0].tag | unknown field 'tag' | did you mean 'tags'?",
    '7 | cases[1].turns | a list is not right | at least one turn',
    "8 | cases[2].id | 'id' is missing | a text or a number",
    '10 | cases[3].golden | "" is not right | the id of a golden trace',
    '11 | cases[3].input | NaN is not right | what JSON has: texts, finite numbers, true, false, null, lists and mappings',
    '12 | cases[4] | it has no input | an `input`, or `turns`',
    '15 | cases[5].turns | it has an input as well | either `input` or `turns`',
    '19 | cases[6].golden | a golden trace is named in the truth, and that is no mapping | a truth with fields, or none',
    '23 | cases[7].golden | its truth names another golden trace | one of the two',
    "26 | cases[8].from.conversation | 'conversation' is missing | a text",
    "26 | cases[8].from.agent | 'agent' is missing | a text",
    "26 | cases[8].from.agent_version | 'agent_version' is missing | a text",
    "26 | cases[8].from.recorded_at | 'recorded_at' is missing | a text",
    "26 | cases[8].from.outcomes | 'outcomes' is missing | a mapping",
    "26 | cases[8].from.conversaton | unknown field 'conversaton' | did you mean 'conversation'?",
    "29 | cases[10].id | 'h' is the id of the case in line 27 too | an id of its own",
  ]);
});

test('mistakes in JSON lines have their lines too', () => {
  expect(
    mistakesOf('{"id":"a","input":"x"}\n{"id":"b",\n[]\n{"id":"a","input":0}\n{"id":"c","input":null}\n', 'x.jsonl'),
  ).toEqual([
    expect.stringMatching(/^2 \| {2}\| .*\| one case as JSON, on one line$/),
    expect.stringMatching(/^3 \| .*\| a mapping of fields$/),
    "4 | id | 'a' is the id of the case in line 1 too | an id of its own",
    '5 |  | it has no input | an `input`, or `turns`',
  ]);
});

test('what holds no cases is no dataset', () => {
  expect(mistakesOf('', 'x.jsonl')).toEqual(['1 |  | the file is empty | at least one case']);
  expect(mistakesOf('dataset: x\ncases: []\n')).toEqual(['2 | cases | a list is not right | at least one case']);
  expect(mistakesOf('')).toEqual([expect.stringContaining('a mapping of fields')]);
  expect(mistakesOf('a: b: c')).toEqual([expect.stringContaining('valid YAML')]);
  expect(readDataset('nowhere.jsonl').mistakes).toMatchObject([{ expected: 'a file that can be read' }]);
});

test('a key of a person is just a key', () => {
  const { cases } = dataset('{"id":"__proto__","input":{"__proto__":{"x":1}},"truth":{"__proto__":2}}', 'x.jsonl');

  expect(JSON.stringify([cases[0]?.id, cases[0]?.turns, cases[0]?.truth])).toBe(
    '["__proto__",[{"__proto__":{"x":1}}],{"__proto__":2}]',
  );
});

test('truths of tasks that are not well formed are mistakes where a suite reads them', async () => {
  const found = dataset(`dataset: d
cases:
  - { id: good, input: a, truth: { actions: [{ name: pay }] } }
  - { id: text, input: b, truth: { actions: pay } }
  - { id: own, input: c, truth: { action: pay } }
`);

  const mistakes = taskTruthMistakes(found, [await loadPack('task-success')]);

  expect(mistakes).toMatchObject([
    { line: 4, path: "case 'text'", problem: 'truth.actions is no list', expected: '[{name, args}]' },
  ]);
  expect(taskTruthMistakes(found, [await loadPack('default')])).toEqual([]);
});

test('truths of tasks that show no success are named once, where a suite reads them', async () => {
  const found = dataset(`dataset: d
cases:
  - { id: good, input: a, truth: { actions: [{ name: pay }] } }
  - { id: empty, input: b, truth: { actions: [] } }
  - { id: more, input: c, truth: { actions: [{ name: pay }], answer: 8 } }
  - { id: all, input: d, truth: { actions: [], complete: true } }
`);

  expect(weakTruthsRemark(found, [await loadPack('task-success')])).toMatch(
    /the truth of 2 cases cannot show a success, such as case 'empty': The truth asks for no change and no output/,
  );
  expect(weakTruthsRemark(found, [await loadPack('default')])).toBeUndefined();
});
