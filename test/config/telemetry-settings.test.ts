import { expect, test } from 'vitest';
import { exportTarget, resourceVariables, telemetryIn } from '../../src/config/telemetry-settings.ts';

type Variables = Readonly<Record<string, string>>;

test.for([
  ['nothing is said of it', {}, false],
  ['agents beside it are told where to send', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, false],
  ['it is asked for', { OTEL_TRACES_EXPORTER: 'otlp' }, true],
  ['its metrics are asked for', { OTEL_METRICS_EXPORTER: 'otlp' }, true],
  ['another exporter is asked for', { OTEL_TRACES_EXPORTER: 'console' }, false],
  ['the SDK is switched off', { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }, false],
] satisfies readonly [string, Variables, boolean][])('where %s', ([_what, env, isOn]) => {
  expect(telemetryIn(env) !== undefined).toBe(isOn);
});

test.for([
  ['nothing is set', {}, 'http://localhost:4318/v1/traces'],
  ['the general endpoint is set', { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/x/' }, 'https://c/x/v1/traces'],
  [
    'the signal has an endpoint, which is used as it stands',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t/here' },
    'https://t/here',
  ],
  [
    'another signal has one',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://m/here' },
    'http://localhost:4318/v1/traces',
  ],
  ['it is no address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317' }, 'http://localhost:4318/v1/traces'],
  ['it is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 'http://localhost:4318/v1/traces'],
] satisfies readonly [string, Variables, string][])('where %s', ([_what, env, url]) => {
  expect(exportTarget('traces', env).url).toBe(url);
});

test('headers are decoded, those of the signal win, and what cannot be a header is left out', () => {
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a, x-team = agents ,bad name=1,noise',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20b,x-odd=100%',
  };

  expect(exportTarget('traces', env).headers).toEqual({
    authorization: 'Bearer b',
    'x-team': 'agents',
    'x-odd': '100%',
  });
});

test('time, compression and certificates are those of the signal, then the general ones, then the usual', () => {
  const env = {
    OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: 'soon',
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: '/key.pem',
  };

  expect(exportTarget('metrics', env)).toMatchObject({
    timeoutMs: 2500,
    compression: 'gzip',
    tls: { ca: '/ca.pem', key: '/key.pem' },
  });
  expect(exportTarget('traces', env)).toMatchObject({
    timeoutMs: 10_000,
    compression: 'none',
    tls: { ca: '/ca.pem' },
  });
});

test('attributes of the resource are decoded, and the name of the service has a variable of its own', () => {
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,team=a%2Cb,service.name=x',
    OTEL_SERVICE_NAME: 'judge',
  };

  expect(resourceVariables(env)).toEqual({
    'deployment.environment.name': 'prod',
    team: 'a,b',
    'service.name': 'judge',
  });
});
