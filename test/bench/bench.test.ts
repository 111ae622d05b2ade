import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { areaUnderCurve } from '../../src/statistics/calibrate/area-under-curve.ts';
import { tempDirectory } from '../temp-directory.ts';

const MAIN = path.resolve(import.meta.dirname, '../../bench/main.ts');

test('the benchmark validity compares the pack with rewards, and says where they differ', () => {
  const ask = (id: string, name: string, args: object) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }],
  });
  const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
  const say = (content: string) => ({ role: 'assistant', content });
  const bye = { role: 'user', content: '###STOP###' };
  const task = { actions: [{ name: 'zap_lamp', kwargs: { lamp: 1 } }], outputs: ['30'] };
  const element = (trial: number, reward: number, ...traj: readonly object[]) => ({
    task_id: 7,
    trial,
    reward,
    traj: [{ role: 'system', content: 'You zap.' }, { role: 'user', content: 'Zap lamp 1.' }, ...traj],
    info: { task },
  });
  const elements = [
    element(0, 1, ask('c', 'zap_lamp', { lamp: 1 }), result('c', 'ok'), say('That is 30.'), bye),
    // A duplicate id: the first call failed.
    element(
      1,
      0,
      ask('c', 'zap_lamp', { lamp: 1 }),
      result('c', 'Error: dark'),
      ask('c', 'get_lamp', {}),
      result('c', '30'),
      say('30.'),
      bye,
    ),
    // Only the file beside the data declares the unexpected call a write.
    element(
      2,
      0,
      ask('c', 'zap_lamp', { lamp: 1 }),
      result('c', 'ok'),
      ask('d', 'fizz', {}),
      result('d', 'ok'),
      say('30.'),
      bye,
    ),
    // Cut off: the user got no answer.
    element(3, 0, ask('c', 'zap_lamp', { lamp: 1 }), result('c', 'ok'), say('30.'), { role: 'user', content: 'And?' }),
    // The reward reflects something that no trace shows.
    element(4, 0, ask('c', 'zap_lamp', { lamp: 1 }), result('c', 'ok'), say('30.'), bye),
  ];
  const file = path.join(tempDirectory(), 'lamps.json');
  writeFileSync(file, JSON.stringify(elements));
  writeFileSync(file.replace('.json', '.tools.yaml'), 'writes: [zap_*, fizz]\n');

  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'validity', '--data', file, '--json'], {
    encoding: 'utf8',
  });

  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      name: 'validity',
      conversations: 5,
      agreement: 0.8,
      false_success: 1,
      false_failure: 0,
      auc_default: expect.any(Number),
      auc_best_without_truth: expect.any(Number),
    },
  ]);
}, 60_000);

test('the area under the curve: ties count half, and there is none without both kinds', () => {
  const area = (...scores: readonly (readonly [number, boolean])[]) =>
    areaUnderCurve(scores.map(([score, isPositive]) => ({ score, isPositive })));

  expect(area([1, true], [0, false])).toBe(1);
  expect(area([0, true], [1, false])).toBe(0);
  expect(area([1, true], [1, false], [1, false])).toBe(0.5);
  expect(area([3, true], [2, false], [2, true], [1, false])).toBe(0.875);
  expect(area([1, true])).toBeUndefined();
  expect(area()).toBeUndefined();
});
