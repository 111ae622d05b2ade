/**
 * docker-compose.yml as Compose itself reads it: by its own library, built from its Go module. Docker is not needed.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, yaml } from '../deploy/shipped-files.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtFromGo } from './prometheus/go-commands.ts';

const BUILD_TIMEOUT_MS = 1_200_000;
const FILE = path.join(ROOT, 'docker-compose.yml');

interface Model {
  readonly services: Readonly<Record<string, unknown>>;
}

async function read(file: string): Promise<Model> {
  const built = await builtFromGo({
    module: 'github.com/compose-spec/compose-go/v2',
    version: 'v2.16.2',
    packages: ['cmd'],
  });
  const { stdout } = await promisify(execFile)(path.join(built, 'cmd'), ['-format', 'json', file], {
    cwd: path.dirname(file),
    maxBuffer: 16 << 20,
  });
  return JSON.parse(stdout) as Model;
}

test('Compose takes the file, and sees every service', { timeout: BUILD_TIMEOUT_MS }, async () => {
  const { services } = await read(FILE);

  expect(Object.keys(services).sort()).toEqual(Object.keys(yaml('docker-compose.yml').services).sort());
});

test.for([
  ['a word that there is not', 'restart: unless-stopped', 'restarts: unless-stopped', 'restarts'],
  ['a list where a text belongs', 'interval: 10s', 'interval: [10s]', 'interval must be a string'],
] as const)('%s is found', { timeout: BUILD_TIMEOUT_MS }, async ([, from, to, named]) => {
  const directory = tempDirectory();
  const file = path.join(directory, 'docker-compose.yml');
  copyFileSync(path.join(ROOT, '.env'), path.join(directory, '.env'));
  const written = readFileSync(FILE, 'utf8');
  writeFileSync(file, written.replaceAll(from, to));
  expect(written).toContain(from);

  await expect(read(file)).rejects.toMatchObject({ stderr: expect.stringContaining(named) });
});
