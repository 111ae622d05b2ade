import { expect, test } from 'vitest';
import { StartList } from '../../src/serve/start-list.ts';

function listOf(done: string[], fails: { readonly start?: string; readonly stop?: readonly string[] } = {}) {
  const part = <const Name extends string>(name: Name) => ({
    name,
    needs: [],
    start: () => {
      if (fails.start === name) throw new Error(`${name} cannot start`);
      done.push(`+${name}`);
      return name;
    },
    stop: (started: string) => {
      done.push(`-${started}`);
      if (fails.stop?.includes(name) === true) throw new Error(`${name} cannot stop`);
    },
  });
  return StartList.empty().add(part('lock')).add(part('store')).add(part('log'));
}

test('parts start in order and stop backwards, once however often it is said', async () => {
  const done: string[] = [];
  const { parts, stop } = await listOf(done).start();

  await Promise.all([stop(), stop()]);

  expect(parts).toEqual({ lock: 'lock', store: 'store', log: 'log' });
  expect(done).toEqual(['+lock', '+store', '+log', '-log', '-store', '-lock']);
});

test('a part that fails to stop keeps no other from stopping, and all failures are told', async () => {
  const done: string[] = [];
  const { stop } = await listOf(done, { stop: ['log', 'store'] }).start();

  await expect(stop()).rejects.toThrow('stop log: log cannot stop; stop store: store cannot stop');
  expect(done.slice(3)).toEqual(['-log', '-store', '-lock']);
  await expect(stop()).rejects.toThrow('stop log: log cannot stop');
});

test('if a part fails to start, the parts before it are stopped and its failure is thrown', async () => {
  const done: string[] = [];

  await expect(listOf(done, { start: 'log' }).start()).rejects.toThrow(new Error('log cannot start'));

  expect(done).toEqual(['+lock', '+store', '-store', '-lock']);
});

test('the failure of a start is told first where a stop fails as well', async () => {
  const done: string[] = [];

  await expect(listOf(done, { start: 'log', stop: ['store'] }).start()).rejects.toThrow(
    'log cannot start; stop store: store cannot stop',
  );

  expect(done.at(-1)).toBe('-lock');
});

// These are for the compiler: without the errors that are expected it fails.

test('a part under a name that is taken, or that needs a later one, does not compile', () => {
  const list = StartList.empty().add({ name: 'lock', needs: [], start: () => 1 });
  // @ts-expect-error there is a lock
  const twice = list.add({ name: 'lock', needs: [], start: () => 2 });
  // @ts-expect-error there is no store yet
  const early = list.add({ name: 'log', needs: ['store'], start: () => 3 });

  expect([twice, early]).toHaveLength(2);
});
