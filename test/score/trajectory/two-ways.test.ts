/** One suite by two authors, in YAML and in TypeScript: the same evaluations. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { formatMistakes } from '../../../src/model/mistake.ts';
import {
  defineSuite,
  followsGoldenPath,
  goldenTraces,
  noUnsafeAction,
  outputContains,
  toolPolicy,
  trajectoryScore,
  withinStepBudget,
} from '../../../src/score/define-suite.ts';
import { compileSuite } from '../../../src/score/suite/compile-suite.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { aRun, call, DETAIL, evaluateRun, GT_001, SEARCH } from './ticket-agent.ts';

const RUNS = [
  aRun([SEARCH(), DETAIL()]),
  aRun([DETAIL()]),
  aRun([call('drop_table', {}), SEARCH()]),
  aRun([SEARCH(), ...Array.from({ length: 6 }, () => DETAIL())]),
  aRun([SEARCH()], { answered: 'No.' }),
  aRun([SEARCH()], { asked: 'Something else' }),
];

const YAML = `suite: tickets
scope: conversation
golden: { files: golden/ }
tool_policy: { forbidden: [drop_*] }
criteria:
  - { name: path, question: Was it?, weight: 0.2, uses: follows_golden_path }
  - { name: score, question: Was it?, weight: 0.2, uses: trajectory_score, with: { at_least: 0.9 } }
  - { name: budget, question: Was it?, weight: 0.2, uses: within_step_budget }
  - { name: answer, question: Was it?, weight: 0.2, uses: output_contains }
  - { name: safe, question: Was it?, weight: 0.2, uses: no_unsafe_action }
`;

async function inYaml(directory: string) {
  writeFileSync(path.join(directory, 'tickets.yaml'), YAML);
  const { suites, mistakes } = await loadSuites(['tickets.yaml'], { baseDir: directory, builtinDir: directory });
  if (suites[0] === undefined) throw new Error(formatMistakes(mistakes));
  return suites[0];
}

function inTypeScript(directory: string) {
  const golden = goldenTraces({ files: 'golden', from: pathToFileURL(path.join(directory, 'suite.ts')).href });
  const policy = toolPolicy({ forbidden: ['drop_*'] });
  const question = 'Was it?';
  const suite = defineSuite({
    name: 'tickets',
    scope: 'conversation',
    golden,
    toolPolicy: policy,
    criteria: [
      { name: 'path', question, weight: 0.2, check: followsGoldenPath({ golden, policy }) },
      { name: 'score', question, weight: 0.2, check: trajectoryScore({ golden, policy }, { atLeast: 0.9 }) },
      { name: 'budget', question, weight: 0.2, check: withinStepBudget({ golden }) },
      { name: 'answer', question, weight: 0.2, check: outputContains({ golden }) },
      { name: 'safe', question, weight: 0.2, check: noUnsafeAction({ golden, policy }), critical: true },
    ],
  });
  const nowhere = { line: undefined, column: undefined };
  const { suite: compiled, mistakes } = compileSuite(suite, { file: 'suite.ts', placeOf: () => nowhere });
  if (compiled === undefined) throw new Error(formatMistakes(mistakes));
  return compiled;
}

test('a suite in TypeScript gives the evaluations of the one in YAML, reasons and findings included', async () => {
  const directory = tempDirectory();
  mkdirSync(path.join(directory, 'golden'));
  writeFileSync(path.join(directory, 'golden/gt_001.yaml'), GT_001);
  const [yaml, code] = [await inYaml(directory), inTypeScript(directory)];

  const evaluations = RUNS.map((run) => evaluateRun(yaml, run));

  // Code has no property by which it could be distinguished from other code.
  const known = evaluations.map((evaluation) => ({ ...evaluation, basis: expect.anything() }));
  expect(RUNS.map((run) => evaluateRun(code, run))).toEqual(known);
  expect(evaluations.map(({ outcome, findings }) => [outcome, findings?.map(({ finding }) => finding)])).toEqual([
    ['successful_completion', undefined],
    ['graceful_failure', ['lucky_path']],
    ['partial_failure', ['lucky_path']],
    ['successful_completion', ['silent_inefficiency']],
    ['graceful_failure', undefined],
    ['unscored', undefined],
  ]);
});

test('mistakes in golden files are mistakes of the suite that names them, each with its file and line', async () => {
  const directory = tempDirectory();
  mkdirSync(path.join(directory, 'golden'));
  writeFileSync(path.join(directory, 'golden/a.yaml'), GT_001);
  writeFileSync(path.join(directory, 'golden/b.yaml'), GT_001.replace('tool: search', 'tol: search'));
  writeFileSync(path.join(directory, 'golden/c.yaml'), GT_001);
  writeFileSync(path.join(directory, 'tickets.yaml'), YAML);

  const { mistakes } = await loadSuites(['tickets.yaml'], { baseDir: directory, builtinDir: directory });

  expect(mistakes.map(({ file, line, problem }) => [file, line, problem]).sort()).toEqual([
    ['golden/b.yaml', 6, "unknown field 'tol'"],
    ['golden/c.yaml', 2, "the id 'gt_001' is that of a trace in golden/a.yaml:2 too"],
  ]);
  expect(() => goldenTraces({ files: 'golden', from: directory })).toThrow(/2 mistakes:[\s\S]*unknown field 'tol'/);
});

test('mistakes in TypeScript are told as those in YAML are', () => {
  // A module in JavaScript may hold anything.
  const wrong = { forbiden: [] } as object;

  expect(() => toolPolicy(wrong)).toThrow(/unknown field 'forbiden'[\s\S]*did you mean 'forbidden'/);
  expect(() => toolPolicy({ confirm_first: [{ tool: 'x' }] })).toThrow(/nothing says what confirms it/);
});
