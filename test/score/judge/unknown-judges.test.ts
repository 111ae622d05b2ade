import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSuites } from '../../../src/score/load-suites.ts';

const SUITE = `suite: s
scope: turn
criteria:
  - { name: a, question: Q?, weight: 0.5, judge: { by: strct } }
  - { name: b, question: Q?, weight: 0.3, judge: other }
  - name: c
    question: Q?
    weight: 0.2
    judge: {}
`;

async function mistakesWith(judges: readonly string[], text = SUITE) {
  const baseDir = await mkdtemp(path.join(tmpdir(), 'assay-judges-'));
  onTestFinished(() => rm(baseDir, { recursive: true }));
  await writeFile(path.join(baseDir, 's.yaml'), text);
  const { mistakes } = await loadSuites(['s.yaml'], { baseDir, builtinDir: baseDir, judges });
  return mistakes.map(({ line, path: at, problem, expected }) => [line, at, problem, expected]);
}

test('a judge that is not configured is a mistake where others are, with the line that names it', async () => {
  expect(await mistakesWith(['strict', 'lenient'])).toEqual([
    [4, 'criteria[0].judge.by', "no judge is configured by the name 'strct'", "did you mean 'strict'?"],
    [5, 'criteria[1].judge.by', "no judge is configured by the name 'other'", 'one of strict, lenient'],
    [9, 'criteria[2].judge.by', "no judge is configured by the name 'default'", 'one of strict, lenient'],
  ]);
});

test('where none is configured, or all that are named are, nothing is wrong', async () => {
  expect(await mistakesWith([])).toEqual([]);
  expect(await mistakesWith(['strct', 'other', 'default'])).toEqual([]);
});

test('a block with a mistake of form is not said to name another judge as well', async () => {
  const mistakes = await mistakesWith(['strct', 'other'], SUITE.replace('{}', '{ share: true }'));

  expect(mistakes.map(([, , problem]) => problem)).toEqual(["unknown field 'share'"]);
});
