/**
 * Names under which statements of PostgreSQL are prepared. A session prepares a name once, so two statements of one name
 * fail as soon as both run in the same session, which may be after days.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const FOLDERS = ['postgres', 'rules'].map((name) => path.resolve(import.meta.dirname, '../../src/store', name));

test('no two statements of PostgreSQL have one name', () => {
  const named = FOLDERS.flatMap((folder) =>
    readdirSync(folder).flatMap((file) =>
      [...readFileSync(path.join(folder, file), 'utf8').matchAll(/\bname: ['`]([\w${}-]+)['`],\s*sql\b/g)].map(
        ([, name = '']) => ({ name, file }),
      ),
    ),
  );
  const shared = [...Map.groupBy(named, ({ name }) => name)].filter(([, places]) => places.length > 1);

  expect(named.length).toBeGreaterThan(80);
  expect(shared).toEqual([]);
});
