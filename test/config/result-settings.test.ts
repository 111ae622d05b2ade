import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(yaml: string, env: { readonly [name: string]: string } = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  writeFileSync(path.join(cwd, 'headers'), 'authorization=Bearer abc=,x-team = agents\n');
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return { results: settings.results, mistakes };
}

test('nothing is sent unless it is said where to', () => {
  expect(load('').results).toBeUndefined();
  expect(load('results: { endpoint: "" }').mistakes).toEqual([]);
});

test.for([
  ['http://collector:4318', 'http://collector:4318/v1/logs'],
  ['https://backend.example/otlp/', 'https://backend.example/otlp/v1/logs'],
  ['https://backend.example/otlp/v1/logs', 'https://backend.example/otlp/v1/logs'],
] as const)('the endpoint %s is asked at %s', ([endpoint, url]) => {
  expect(load('', { ASSAY_RESULTS_ENDPOINT: endpoint }).results?.url).toBe(url);
});

test('headers stand elsewhere, as SDKs write them', () => {
  const { results, mistakes } = load('results: { endpoint: "http://c:4318", headers_file: headers }');

  expect(mistakes).toEqual([]);
  expect(results).toEqual({
    url: 'http://c:4318/v1/logs',
    format: 'opentelemetry',
    project: undefined,
    headers: { authorization: 'Bearer abc=', 'x-team': 'agents' },
    timeoutMs: 10_000,
  });
});

test('OpenInference is sent as traces, to a project if there is one', () => {
  const { results, mistakes } = load('results: { endpoint: "http://p:6006", format: openinference, project: shop }');

  expect(mistakes).toEqual([]);
  expect(results).toMatchObject({ url: 'http://p:6006/v1/traces', format: 'openinference', project: 'shop' });
  expect(load('results: { endpoint: "http://p:6006", project: shop }').mistakes[0]?.path).toBe('results.project');
  expect(load('results: { endpoint: "http://p:6006", format: phoenix }').mistakes[0]?.expected).toContain(
    'openinference',
  );
});

test('mistakes say what was expected, and no secret', () => {
  const { mistakes } = load('results: { endpoint: "collector:4318" }', { ASSAY_RESULTS_HEADERS: 'open sesame' });

  expect(mistakes.map(({ path: where }) => where)).toEqual(['results.endpoint', '']);
  expect(mistakes[0]?.expected).toContain('http://collector:4318');
  expect(JSON.stringify(mistakes)).not.toContain('sesame');
});
