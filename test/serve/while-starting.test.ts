/** A service that still waits for its store, asked over HTTP. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORE_ROUTES } from '../../src/serve/http/store-routes.ts';
import { freePorts } from '../free-ports.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, runService, sumOf } from './running-service.ts';
import { slowSuite } from './slow-start.ts';

test('while it starts it says so, and a reload asked for then is done once it has started', async () => {
  const dataDir = tempDirectory();
  const { reference, letGo } = slowSuite(dataDir);
  const [httpPort = 0, otlpHttpPort = 0] = await freePorts(2);
  const http = `http://127.0.0.1:${httpPort}`;
  const starting = runService({ suites: [reference], dataDir, httpPort, otlpHttpPort });
  while (!(await fetch(`${http}/healthz`).catch(() => undefined))?.ok)
    await new Promise((next) => setTimeout(next, 20));

  const ready = await fetch(`${http}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(/^starting/)]);
  await expect(fetch(`http://127.0.0.1:${otlpHttpPort}/v1/traces`, { method: 'POST' })).rejects.toThrow();
  for (const { method, path: route } of STORE_ROUTES.filter(({ may }) => may === 'read')) {
    const response = await fetch(http + route.replace(/\{.*\}/, 'c'), { method });
    expect([route, response.status, response.headers.get('retry-after')]).toEqual([route, 503, '1']);
    expect(await response.text()).toContain('this instance is starting');
  }
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'host: 127.0.0.2\n');
  const headers = { 'content-type': 'application/json' };
  const reloading = fetch(`${http}/api/v1/reload`, { method: 'POST', headers, body: '{}' });
  // It has been asked by now, without an error.
  while (!(await (await fetch(`${http}/metrics`)).text()).includes('assay_open_turns 0'));
  letGo();
  const running = await starting;
  const reloaded = await reloading;

  expect([reloaded.status, await reloaded.json()]).toEqual([200, { reloaded: true, needs_restart: ['host'] }]);
  expect(sumOf(await metricsOf(running), 'assay_config_last_reload_successful')).toBe(1);
  expect((await fetch(`${http}/readyz`)).status).toBe(200);
  for (const route of ['/api/conversations', '/api/detection', '/api/v1/shadow'])
    expect([route, (await fetch(http + route)).status]).toEqual([route, 200]);
  expect(running.lines.filter((line) => line.includes('reload failed'))).toEqual([]);
});
