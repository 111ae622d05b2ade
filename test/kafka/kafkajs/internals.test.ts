/** The private files of kafkajs that `src/kafka/kafkajs/internals.ts` uses, and the members it takes from each. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const INTERNALS = path.resolve(import.meta.dirname, '../../../src/kafka/kafkajs/internals.ts');
const SRC = path.resolve(import.meta.dirname, '../../../src');

/** The used members, by private file: of its exports, or of the prototype of the class that it exports. */
const USED: Readonly<Record<string, { readonly members?: readonly string[]; readonly methods?: readonly string[] }>> = {
  'kafkajs/src/broker': { methods: ['connect', 'isConnected'] },
  'kafkajs/src/network/connectionPool': { methods: ['send'] },
  'kafkajs/src/network/requestQueue': { methods: ['checkPendingRequests', 'scheduleCheckPendingRequests'] },
  'kafkajs/src/protocol/requests': { members: ['requests'] },
  'kafkajs/src/protocol/requests/apiKeys': {
    members: ['Fetch', 'OffsetCommit', 'JoinGroup', 'SyncGroup', 'Produce', 'InitProducerId'],
  },
  'kafkajs/src/protocol/error': { members: ['createErrorFromCode'] },
};

function problemsOf(load: (file: string) => unknown, used: typeof USED = USED): readonly string[] {
  return Object.entries(used).flatMap(([file, { members = [], methods = [] }]) => {
    let loaded: Readonly<Record<string, unknown>> & { readonly prototype?: Readonly<Record<string, unknown>> };
    try {
      // The cast holds for any module; the members are looked for below.
      loaded = load(file) as typeof loaded;
    } catch {
      return [`${file} is gone`];
    }
    const missing = [
      ...members.filter((name) => loaded[name] === undefined),
      ...methods.filter((name) => typeof loaded.prototype?.[name] !== 'function').map((name) => `${name}()`),
    ];
    return missing.map((name) => `${file} has no ${name}`);
  });
}

test('kafkajs has its private parts where src/kafka/kafkajs/internals.ts looks for them: where a new version moved one, adapt that file', () => {
  expect(problemsOf(require)).toEqual([]);
});

test('a part that a new version of kafkajs moved or renamed is named', () => {
  const moved = (file: string): unknown => {
    if (file.endsWith('/broker')) throw new Error('Cannot find module');
    return file.endsWith('/error') ? {} : require(file);
  };

  expect(problemsOf(moved)).toEqual([
    'kafkajs/src/broker is gone',
    'kafkajs/src/protocol/error has no createErrorFromCode',
  ]);
});

test('these are all private files of kafkajs that are used, and one file uses them', () => {
  const text = readFileSync(INTERNALS, 'utf8');
  const found = [...text.matchAll(/require\('(kafkajs\/src\/[^']+)'\)/g)].map(([, file]) => file);

  expect(found.toSorted()).toEqual(Object.keys(USED).toSorted());
  const users = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => readFileSync(path.join(SRC, file), 'utf8').includes("'kafkajs/src"));
  expect(users.map((file) => path.join(SRC, file))).toEqual([INTERNALS]);
});
