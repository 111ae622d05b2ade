import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AuditLog } from '../../src/access/audit-log.ts';
import type { AccessEvent } from '../../src/model/events/access-events.ts';
import { tempDirectory } from '../temp-directory.ts';

function open({ maxBytes = 2 ** 20, folder = path.join(tempDirectory(), 'access') } = {}) {
  const events: AccessEvent[] = [];
  const file = path.join(folder, 'audit.log');
  const audit = new AuditLog({ file, maxBytes, onEvent: (event) => events.push(event), now: () => 0 });
  onTestFinished(() => audit.stop());
  const lines = () => linesOf(file);
  return { audit, events, file, lines };
}

function linesOf(file: string): Record<string, unknown>[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('writes are lines at once, in a file that nobody else may read', async () => {
  const { audit, file, lines } = open();

  audit.write({
    what: 'allowed',
    who: 'token ci (x)',
    from: '10.0.0.9',
    method: 'PUT',
    route: '/v1/outcomes',
    role: 'review',
  });
  await audit.stop();

  expect(lines()).toEqual([
    {
      at: '1970-01-01T00:00:00.000Z',
      what: 'allowed',
      who: 'token ci (x)',
      from: '10.0.0.9',
      method: 'PUT',
      route: '/v1/outcomes',
      role: 'review',
    },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('what is frequent is a line a minute with a number', async () => {
  const { audit, lines } = open();
  for (let n = 0; n < 1000; n++)
    audit.sum({ what: 'allowed', who: 'token agents (x)', port: 'otlp_http', route: '/v1/traces' });
  for (let n = 0; n < 4; n++)
    audit.sum({ what: 'allowed', who: 'token prometheus (y)', port: 'http', route: '/metrics' });

  audit.endMinute();
  audit.sum({ what: 'allowed', who: 'token prometheus (y)', port: 'http', route: '/metrics' });
  await audit.stop();

  expect(lines().map(({ who, count }) => [who, count])).toEqual([
    ['token agents (x)', 1000],
    ['token prometheus (y)', 4],
    ['token prometheus (y)', 1],
  ]);
});

test('refusals are bounded in a minute, and none goes uncounted', async () => {
  const { audit, lines } = open();

  for (let n = 0; n < 5000; n++)
    audit.refuse({
      what: 'refused',
      why: 'unknown_token',
      from: `10.0.${n >> 8}.${n & 255}`,
      port: 'http',
      route: `/r${n}`,
    });
  await audit.stop();

  const all = lines();
  expect(all.length).toBeLessThan(30);
  expect(all.reduce((sum, { count }) => sum + (typeof count === 'number' ? count : 1), 0)).toBe(5000);
});

test('the files together stay below their bound', async () => {
  const folder = path.join(tempDirectory(), 'access');
  const { audit } = open({ maxBytes: 80_000, folder });
  for (let n = 0; n < 60; n++) {
    for (let m = 0; m < 50; m++) audit.write({ what: 'allowed', who: `token number ${n} ${m}`, route: '/v1/outcomes' });
    // Each batch is one write.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await audit.stop();

  const files = readdirSync(folder);
  const bytes = files.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  expect(files.length).toBeLessThanOrEqual(8);
  expect(bytes).toBeLessThanOrEqual(80_000 + 5_000);
  expect(linesOf(path.join(folder, 'audit.log')).at(-1)).toMatchObject({ who: 'token number 59 49' });
});

test('long names are cut, and line feeds make no line', async () => {
  const { audit, lines } = open();

  audit.write({ what: 'allowed', who: `${'x'.repeat(5000)}`, route: 'a\n{"at":"forged"}' });
  await audit.stop();

  expect(lines()).toHaveLength(1);
  expect(String(lines()[0]?.who).length).toBeLessThanOrEqual(300);
});

test('lines that cannot be written are counted, and nothing throws', async () => {
  const folder = path.join(tempDirectory(), 'access');
  mkdirSync(path.join(folder, 'audit.log'), { recursive: true });
  const { audit, events } = open({ folder });

  audit.write({ what: 'allowed' });
  await audit.stop();

  expect(events).toEqual([{ type: 'audit-failed', problem: expect.stringContaining('EISDIR'), lines: 1 }]);
  chmodSync(folder, 0o700);
});
