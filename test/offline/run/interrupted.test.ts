/** The fate of an experiment that is interrupted: by a crash, by Ctrl-C, or by Ctrl-C twice. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../random.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { killedRun } from './killed-run.ts';
import { isRunning, RunFolder } from './running-command.ts';

describe('a crash', () => {
  test('loses no case, and runs none twice but those in flight, whenever it comes', { timeout: 180_000 }, async () => {
    const seed = Date.now() % 1_000_000;
    const options = { directory: tempDirectory(), cases: 8, repeats: 2, concurrency: 3, kills: 3 };
    const { faults, kept } = await killedRun({ ...options, random: randomFrom(seed) });

    expect({ faults, kept, seed }).toEqual({ faults: [], kept: 16, seed });
  });
});

describe('Ctrl-C', () => {
  test('once lets what is in flight end; --resume goes on with the rest', { timeout: 60_000 }, async () => {
    const directory = tempDirectory();
    const note = path.join(directory, 'go');
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const folder = new RunFolder(
      directory,
      ids.map((id) => ({ id, input: { do: ['wait', 'spans'], note } })),
    );
    const running = folder.run('--concurrency', '2');
    await folder.started(2);
    running.kill('SIGINT');
    await running.said('Stopping: 2 runs in flight may end');
    writeFileSync(note, '');
    const stopped = await running.ended();
    const inBetween = folder.experiment();
    const resumed = await folder.run('--resume').ended();

    expect(stopped.code).toBe(130);
    expect(stopped.err).toContain('3 of 5 runs are left');
    expect(inBetween?.runs.map((run) => run.case).sort()).toEqual(['a', 'b']);
    expect(inBetween?.experiment.endedAt).toBeUndefined();
    expect(resumed.code).toBe(0);
    expect(
      folder
        .experiment()
        ?.runs.map((run) => run.case)
        .sort(),
    ).toEqual(ids);
    expect(folder.starts()).toHaveLength(5);
  });

  test('twice ends what is in flight, and leaves no process behind', { timeout: 60_000 }, async () => {
    const folder = new RunFolder(tempDirectory(), [
      { id: 'a', input: { do: ['spans'] } },
      { id: 'b', input: { do: ['spans', 'hang'] } },
      { id: 'c', input: { do: ['spans', 'hang'] } },
    ]);
    const running = folder.run('--concurrency', '2');
    await folder.started(3);
    running.kill('SIGINT');
    await running.said('Ctrl-C again');
    running.kill('SIGINT');
    const stopped = await running.ended();

    expect(stopped.code).toBe(130);
    expect(stopped.err).toContain('2 of 3 runs are left');
    expect(folder.experiment()?.runs.map((run) => run.case)).toEqual(['a']);
    expect(folder.starts().filter(({ pid }) => isRunning(pid))).toEqual([]);
  });
});

describe('--resume', () => {
  test('of one that has ended runs nothing; what is another than at the beginning is refused', {
    timeout: 60_000,
  }, async () => {
    const directory = tempDirectory();
    const folder = new RunFolder(directory, [{ id: 'a', input: { do: ['spans'] } }]);
    await folder.run('--seed', '3').ended();
    const again = await folder.run('--resume', '--json').ended();
    folder.write([{ id: 'a', input: { do: ['spans', 'answer'] } }]);
    const refused = await folder
      .run('--resume', '--repeats', '2', '--seed', '4', '--suite', 'error-recovery', '--agent', 'another one')
      .ended();

    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ runs: { kept: 1, completed: 1 }, summary: { conversations: 1 } });
    expect(refused.code).toBe(2);
    for (const what of [
      'the dataset: ',
      '--repeats: ',
      '--seed: ',
      'the agent: ',
      'the suite error-recovery 3: it was not there',
    ]) {
      expect(refused.err).toContain(what);
    }
    expect(folder.starts()).toHaveLength(1);
  });
});
