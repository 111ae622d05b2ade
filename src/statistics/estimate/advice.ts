/** The worth of more readings: the interval as it would be if they said what is believed now. */
import { beliefsOf } from './beliefs.ts';
import type { Draw } from './evidence.ts';
import { type Frame, type ReadDraw, sizeOf } from './frame.ts';
import { successEstimate } from './success-estimate.ts';

interface Worth {
  /** Readings in all. */
  readonly readings: number;
  /** Half of the interval's width then. */
  readonly plusMinus: number;
}

/** Half a point that ten more readings take off the width is not worth a quarter of an hour. */
const WORTH_READING = 0.005;
const MORE = 10;
const FIRST = [20, 40];

/** With nothing read, what the first readings give. */
export function worthOf(frame: Frame): readonly Worth[] {
  const { draws } = frame;
  const targets = draws.length < (FIRST[0] ?? 0) ? FIRST : [draws.length + MORE];
  const left = frame.cells.reduce((sum, { size }) => sum + size, 0) - draws.length;
  return targets
    .map((target) => Math.min(target, draws.length + left))
    .filter((target, index, all) => target > draws.length && all.indexOf(target) === index)
    .map((target) => ({ readings: target, plusMinus: halfWidth(withMore(frame, target - draws.length)) }));
}

/** Whether the next ten readings would not make the interval noticeably narrower. */
export function isEnough(frame: Frame, [next]: readonly Worth[] = worthOf(frame)): boolean {
  if (frame.draws.length < (FIRST[0] ?? 0)) return false;
  return next === undefined || halfWidth(frame) - next.plusMinus < WORTH_READING;
}

function halfWidth(frame: Frame): number {
  const found = successEstimate(frame);
  return found === undefined ? 0.5 : (found.success.upper - found.success.lower) / 2;
}

/** Readings as they would come if beliefs were right: cells in proportion to their rates, answers in proportion to chances. */
function withMore(frame: Frame, count: number): Frame {
  const { cells, draws } = frame;
  const known: Draw[] = draws.map(({ cell, answer }) => ({ cell, isGood: answer === 'good' }));
  const chances = beliefsOf(cells, known).at(-1) ?? [];
  const left = cells.map(({ size }, cell) => size - draws.filter((draw) => draw.cell === cell).length);
  const all = left.reduce((sum, of, cell) => sum + of * (cells[cell]?.rate ?? 1), 0);
  const owed = cells.map(() => 0);
  const good = cells.map(() => 0.5);
  const more: ReadDraw[] = [];
  while (more.length < count && sizeOf(frame) > 0) {
    left.forEach((of, cell) => {
      owed[cell] = (owed[cell] ?? 0) + (of * (cells[cell]?.rate ?? 1)) / all;
    });
    const next = owed.reduce((best, of, cell) => (of > (owed[best] ?? 0) ? cell : best), 0);
    owed[next] = (owed[next] ?? 0) - 1;
    good[next] = (good[next] ?? 0) + (chances[next] ?? 0.5);
    const isGood = (good[next] ?? 0) >= 1;
    if (isGood) good[next] = (good[next] ?? 0) - 1;
    more.push({ cell: next, answer: isGood ? 'good' : 'bad' });
  }
  return { ...frame, draws: [...draws, ...more] };
}
