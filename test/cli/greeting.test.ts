import { expect, test } from 'vitest';
import { greeting } from '../../src/cli/greeting.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

const PORTS = { otlpGrpc: 4317, otlpHttp: 4318, http: 4319 };

function greetingWith(env: Readonly<Record<string, string>>, ports = PORTS): string {
  const { settings } = loadSettings({ flags: {}, env, cwd: tempDirectory() });
  return greeting({ settings, suites: [] }, { ports });
}

test('the greeting has addresses that can be copied', () => {
  const said = greetingWith({});

  expect(said).toContain('Point an agent here:   OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318\n');
  expect(said).toContain('look at     http://127.0.0.1:4319/    http://127.0.0.1:4319/metrics');
  expect(said).toContain('Ask why one failed:    npx assay explain <conversation>');
});

test.each(['0.0.0.0', '::'])('who listens at %s, as in a container, is told to put in the host', (host) => {
  const said = greetingWith({ ASSAY_HOST: host });

  expect(said).toContain(`OTLP/HTTP  http://${host === '::' ? '[::]' : host}:4318 `);
  expect(said).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=http://<this host>:4318\n');
  expect(said).toContain('look at     http://<this host>:4319/    http://<this host>:4319/metrics');
});

test('hints reach this service on whatever port and host it listens', () => {
  const elsewhere = greetingWith({ ASSAY_DATA_DIR: '/srv/assay' }, { ...PORTS, http: 5319 });
  const host = greetingWith({ ASSAY_HOST: '::1' });

  expect(greetingWith({})).toContain('npx assay doctor\n');
  expect(elsewhere).toContain('npx assay doctor --http-port 5319\n');
  expect(elsewhere).toContain('npx assay explain <conversation> --data-dir /srv/assay\n');
  expect(host).toContain('npx assay doctor --url http://[::1]:4319\n');
});

test('a gateway says what it does', () => {
  const said = greetingWith({ ASSAY_HOST: '::1', ASSAY_KAFKA_BROKERS: 'kafka:9092', ASSAY_KAFKA_ROLE: 'gateway' });

  expect(said).toContain('This instance takes OTLP and writes it to Kafka');
  expect(said).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=http://[::1]:4318\n');
  expect(said).not.toContain('explain');
});
