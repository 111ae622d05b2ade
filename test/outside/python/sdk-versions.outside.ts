/**
 * The tests of `assay-client` with the oldest SDK that its metadata allow and with the newest that PyPI has, each in an
 * environment of its own. Needs PyPI. Two copies of the API cannot meet in Python: an environment has one of each package.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../../snippets/blocks.ts';
import { shareOf } from '../share-of-round.ts';

const run = promisify(execFile);
const base = mkdtempSync(path.join(tmpdir(), 'assay-python-sdk-'));
const CLIENT = path.join(ROOT, 'clients/python');
/** The tests that touch the SDK. */
const TESTS = ['test_conversations.py', 'test_telemetry.py', 'test_testing.py'];

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Least version of each package, as the metadata have it. */
function oldest(): readonly string[] {
  const metadata = readFileSync(path.join(CLIENT, 'pyproject.toml'), 'utf8');
  return [...metadata.matchAll(/"(opentelemetry-[\w-]+)>=([\d.]+)"/g)].map(([, name, version]) => {
    return `${name}==${version?.split('.').length === 2 ? `${version}.0` : version}`;
  });
}

const SDKS = [
  ['oldest', oldest],
  ['newest', () => []],
] as const;

test.each(shareOf(SDKS, 2))('with the %s SDK', async (which, pins) => {
  const python = path.join(base, which, 'bin/python');
  await run('python3', ['-m', 'venv', path.join(base, which)]);
  const requirements = readFileSync(path.join(CLIENT, 'tests/requirements.txt'), 'utf8').split('\n');
  const wanted = [`${CLIENT}[otlp]`, ...pins(), ...requirements.filter((line) => line.startsWith('pytest'))];
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted]);
  const listed = await run(python, ['-m', 'pip', 'list', '--disable-pip-version-check', '--format=freeze']);

  const env = {
    ...process.env,
    ASSAY_COMMAND: `${process.execPath} ${path.join(ROOT, 'bin/assay.mjs')}`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const files = TESTS.map((file) => `tests/${file}`);
  const tested = await run(python, ['-m', 'pytest', '-p', 'no:cacheprovider', '--quiet', ...files], {
    cwd: CLIENT,
    env,
  }).then(
    ({ stdout }) => ({ status: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ status: code, output: `${stdout}${stderr}` }),
  );

  for (const pin of pins()) expect(listed.stdout).toContain(pin);
  expect(pins().length).toBe(which === 'oldest' ? 3 : 0);
  expect(tested.status, tested.output).toBe(0);
  expect(tested.output).toMatch(/^\d\d+ passed/m);
});
