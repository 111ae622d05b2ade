/** The program of `examples/estimate`, and the notebook beside it, have the formula a second time: both give the same ends. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { beliefsOf } from '../../../src/statistics/estimate/beliefs.ts';
import type { Frame, ReadDraw } from '../../../src/statistics/estimate/frame.ts';
import { AGAINST } from '../../../src/statistics/estimate/interval.ts';
import { successEstimate } from '../../../src/statistics/estimate/success-estimate.ts';
import { randomFrom } from '../../random.ts';
import { tempDirectory } from '../../temp-directory.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/estimate');
const PROGRAM = path.join(EXAMPLE, 'recompute.py');

function frameOf(seed: number): Frame {
  const random = randomFrom(seed);
  const cells = ['fine', 'faulty', 'failed'].map((group, at) => ({
    ...{ group, isCalledFine: at === 0, rate: at === 0 ? 1 : 2, size: 5 + Math.floor(random() * 40) },
  }));
  const count = 3 + Math.floor(random() * 12);
  const draws = Array.from({ length: count }, (): ReadDraw => {
    const cell = Math.floor(random() * cells.length);
    const isGood = random() < 0.9 - 0.4 * cell;
    return { cell, answer: seed % 2 === 1 && random() < 0.2 ? 'unclear' : isGood ? 'good' : 'bad' };
  });
  return { cells, draws, certain: { good: seed, bad: 1, badCalledFine: 0 }, disagreement: seed % 3 === 0 ? 0.1 : 0 };
}

function answerOf(frame: Frame): { readonly success: { readonly low: number; readonly high: number } } {
  const found = successEstimate(frame);
  if (found === undefined) throw new Error('something was read');
  const { value, lower, upper } = found.success;
  const beliefsIf = (unclear: boolean) =>
    beliefsOf(
      frame.cells,
      frame.draws.map(({ cell, answer }) => ({ cell, isGood: answer === 'unclear' ? unclear : answer === 'good' })),
    );
  const [ifBad, ifGood] = [beliefsIf(false), beliefsIf(true)];
  const explained = {
    cells: frame.cells,
    draws: frame.draws.map((draw, at) => ({ ...draw, beliefs: ifBad[at], beliefs_if_good: ifGood[at] })),
    certain: frame.certain,
    widened_by: frame.disagreement / 2,
    against: AGAINST,
  };
  return Object.assign({ success: { value, low: lower, high: upper } }, { explained });
}

test.each([1, 2, 3, 4, 5, 6])('frame %i', (seed) => {
  const answer = answerOf(frameOf(seed));
  const { stdout, stderr } = spawnSync('python3', [PROGRAM], { input: JSON.stringify(answer), encoding: 'utf8' });

  expect(stderr).toBe('');
  const [low, high] = /^recomputed: (\S+) to (\S+)$/m.exec(stdout)?.slice(1).map(Number) ?? [];
  expect(low).toBeCloseTo(answer.success.low, 3);
  expect(high).toBeCloseTo(answer.success.high, 3);
});

test('the notebook, cell after cell', () => {
  const answer = { says: '70 % went well.', ...answerOf(frameOf(7)) };
  const folder = tempDirectory();
  writeFileSync(path.join(folder, 'answer.json'), JSON.stringify(answer));
  copyFileSync(PROGRAM, path.join(folder, 'recompute.py'));
  // The cast is the form of a notebook.
  const { cells } = JSON.parse(readFileSync(path.join(EXAMPLE, 'estimate.ipynb'), 'utf8')) as {
    readonly cells: readonly { readonly cell_type: string; readonly source: readonly string[] }[];
  };
  const code = cells.flatMap(({ cell_type: type, source }) => (type === 'code' ? `${source.join('')}\n` : []));
  writeFileSync(path.join(folder, 'cells.py'), code.join(''));
  const { stdout, stderr } = spawnSync('python3', ['cells.py'], { cwd: folder, encoding: 'utf8' });

  expect(stderr).toBe('');
  const [low, high] = /^recomputed: (\S+) to (\S+)$/m.exec(stdout)?.slice(1).map(Number) ?? [];
  expect(low).toBeCloseTo(answer.success.low, 3);
  expect(high).toBeCloseTo(answer.success.high, 3);
  expect(stdout).toMatch(/^ +0 +\d+ conversations, rate 1, fine$/m);
  expect(stdout).toMatch(/ %.*in the interval$/m);
});
