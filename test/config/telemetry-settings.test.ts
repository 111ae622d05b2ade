import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(yaml: string, env: { readonly [name: string]: string } = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return { telemetry: settings.telemetry, mistakes };
}

test.for([
  ['nothing is said of it', '', {}, false],
  ['agents beside it are told where to send', '', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, false],
  ['it is asked for with the SDK’s own variable', '', { OTEL_TRACES_EXPORTER: 'otlp' }, true],
  ['an endpoint is named', 'telemetry: { endpoint: "http://c:4318" }', {}, true],
  ['the SDK is switched off', 'telemetry: { endpoint: "http://c:4318" }', { OTEL_SDK_DISABLED: 'true' }, false],
] as const)('where %s', ([_what, yaml, env, isOn]) => {
  const { telemetry, mistakes } = load(yaml, env);

  expect(mistakes).toEqual([]);
  expect(telemetry !== undefined).toBe(isOn);
});

test('its mistakes say what was expected', () => {
  const { mistakes } = load('telemetry: { endpoint: "c:4318", actve: true }');

  expect(mistakes.map((mistake) => mistake.path).toSorted()).toEqual(['telemetry.actve', 'telemetry.endpoint']);
});
