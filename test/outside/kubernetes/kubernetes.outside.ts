/**
 * The shipped Kubernetes files against the API's own schemas: the kustomize folders as built, and the chart as Helm
 * renders it. The tools are built from their Go modules; no cluster is needed.
 */
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { ROOT, text, type Written } from '../../deploy/shipped-files.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { builtFromGo } from '../prometheus/go-commands.ts';
import { manifestsOf } from './manifests.ts';
import { writeSchemas } from './schemas.ts';

const BUILD_TIMEOUT_MS = 1_500_000;
const CHART = path.join(ROOT, 'deploy/helm/assay');
const FOLDERS = ['.', ...foldersIn('deploy/kubernetes')];
const isComponent = (folder: string) =>
  parse(text(`deploy/kubernetes/${folder}/kustomization.yaml`)).kind === 'Component';
const KUSTOMIZATIONS = FOLDERS.filter((folder) => !isComponent(folder));
/** The variants of the chart: the defaults, and each file of ci/. */
const USES = ['', ...readdirSync(path.join(CHART, 'ci'))];
/** The oldest Kubernetes version that the chart supports. */
const KUBERNETES = '1.30.0';

let helm: string;
let kubeconform: string;
let kustomize: string;
let schemas: string;

beforeAll(async () => {
  helm = await command('helm.sh/helm/v3', 'v3.20.0', 'cmd/helm');
  kubeconform = await command('github.com/yannh/kubeconform', 'v0.7.0', 'cmd/kubeconform');
  kustomize = await command('sigs.k8s.io/kustomize/kustomize/v5', 'v5.8.2', '');
  schemas = await writeSchemas(path.join(ROOT, 'node_modules/.cache/assay/kubernetes-schemas'));
}, BUILD_TIMEOUT_MS);

async function command(module: string, version: string, folder: string): Promise<string> {
  const directory = await builtFromGo({ module, version, packages: [folder] });
  return path.join(directory, path.basename(folder || module.replace(/\/v\d+$/, '')));
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

async function run(file: string, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, words, { cwd: ROOT, maxBuffer: 64 << 20 });
  return stdout;
}

function valuesOf(use: string): readonly string[] {
  return use === '' ? [] : ['--values', path.join(CHART, 'ci', use)];
}

async function rendered(use: string): Promise<string> {
  return await run(helm, 'template', 'assay', CHART, '--kube-version', KUBERNETES, ...valuesOf(use));
}

interface Checked {
  readonly summary: {
    readonly valid: number;
    readonly invalid: number;
    readonly errors: number;
    readonly skipped: number;
  };
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly msg: string }[];
}

/** The objections of kubeconform to manifests; it ends with 1 if there are any. */
async function check(manifests: string): Promise<Checked> {
  const file = path.join(tempDirectory(), 'manifests.yaml');
  writeFileSync(file, manifests);
  const words = ['-strict', '-summary', '-output', 'json', '-schema-location', schemas, file];
  const output = await run(kubeconform, ...words).catch((error: { readonly stdout?: string }) => error.stdout ?? '');
  return JSON.parse(output) as Checked;
}

test.for(KUSTOMIZATIONS)('deploy/kubernetes/%s is what the API takes', async (folder) => {
  const manifests = await run(kustomize, 'build', path.join('deploy/kubernetes', folder));

  const { summary, resources } = await check(manifests);

  expect(resources ?? []).toEqual([]);
  expect(summary).toEqual({ valid: manifestsOf(manifests).length, invalid: 0, errors: 0, skipped: 0 });
  expect(summary.valid).toBeGreaterThan(0);
});

test.for(['.', 'single'])('deploy/kubernetes/%s with TLS is what the API takes', async (folder) => {
  const directory = tempDirectory();
  const at = (name: string) => path.relative(directory, path.join(ROOT, 'deploy/kubernetes', name));
  const own = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [folder, 'pod-monitor', 'certificate'].map(at),
    components: FOLDERS.filter(isComponent).map(at),
  };
  writeFileSync(path.join(directory, 'kustomization.yaml'), stringify(own));
  const manifests = await run(kustomize, 'build', directory);

  const { summary, resources } = await check(manifests);

  expect(resources ?? []).toEqual([]);
  expect(summary).toEqual({ valid: manifestsOf(manifests).length, invalid: 0, errors: 0, skipped: 0 });
  expectTls(manifestsOf(manifests));
});

test.for(USES.filter((use) => use.includes('with-tls')))('with values %s everything speaks TLS', async (use) => {
  const manifests = manifestsOf(await rendered(use));

  expectTls(manifests);
});

/** Probes, monitors and annotations go over TLS, and every file that is configured is mounted. */
function expectTls(manifests: readonly Written[]): void {
  const monitors = manifests.filter(({ kind }) => /Monitor$/.test(kind));
  const [endpoint] = monitors.flatMap(({ spec }) => spec.endpoints ?? spec.podMetricsEndpoints);
  const pods = manifests.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template]));
  expect(pods.length).toBeGreaterThan(0);
  for (const { metadata, spec } of pods) {
    const [container] = spec.containers;
    for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'])
      expect(container[probe].httpGet.scheme, probe).toBe('HTTPS');
    expect(metadata.annotations['prometheus.io/scheme']).toBe(
      metadata.annotations['prometheus.io/scrape'] === undefined ? undefined : 'https',
    );
    const secrets = container.volumeMounts.map(({ name }: Written) =>
      spec.volumes.find((volume: Written) => volume.name === name),
    );
    const secret = secrets.find((volume: Written) => volume?.name === 'tls')?.secret.secretName;
    expect(secret).toBeDefined();
    if (endpoint.tlsConfig.ca !== undefined) expect(endpoint.tlsConfig.ca.secret.name).toBe(secret);
    for (const { spec: certificate } of manifests.filter(({ kind }) => kind === 'Certificate')) {
      expect(certificate.secretName).toBe(secret);
      expect(certificate.dnsNames).toContain(endpoint.tlsConfig.serverName);
    }
  }
  expect(endpoint.scheme).toBe('https');
}

test('by default a certificate of cert-manager names every service, and names of yours take their place', async () => {
  const names = async (...sets: readonly string[]) => {
    const words = ['template', 'assay', CHART, '--kube-version', KUBERNETES, '--namespace', 'llm', ...sets];
    const resources = manifestsOf(await run(helm, ...words));
    const { spec } = resources.find(({ kind }) => kind === 'Certificate') as Written;
    return { ...spec, services: resources.filter(({ kind }) => kind === 'Service') };
  };
  const issuer = '--set=tls.certManager.issuer.name=internal';
  const { dnsNames, ipAddresses, services } = await names(...valuesOf('cluster-with-tls.yaml'));

  for (const { metadata, spec } of services) {
    const called = spec.clusterIP === 'None' ? `*.${metadata.name}.llm.svc` : `${metadata.name}.llm.svc`;
    expect(dnsNames).toContain(called);
  }
  expect([dnsNames.includes('localhost'), ipAddresses]).toEqual([true, ['127.0.0.1']]);
  const yours = await names(issuer, '--set=tls.certManager.dnsNames={assay.example.com}', '--set=tls.secretName=mine');
  expect([yours.dnsNames, yours.ipAddresses, yours.secretName]).toEqual([['assay.example.com'], undefined, 'mine']);
});

test.for(USES)('helm lint has nothing against the chart with values %s', async (use) => {
  const words = ['lint', '--strict', CHART, '--kube-version', KUBERNETES, ...valuesOf(use)];

  expect(await run(helm, ...words)).toContain('0 chart(s) failed');
});

test.for(USES)('what the chart makes with values %s is what the API takes', async (use) => {
  const manifests = await rendered(use);

  const { summary, resources } = await check(manifests);

  expect(resources ?? []).toEqual([]);
  expect(summary).toEqual({ valid: manifestsOf(manifests).length, invalid: 0, errors: 0, skipped: 0 });
  expect(summary.valid).toBeGreaterThan(0);
});

test.for([
  ['a field that does not exist', 'replicas: 1', 'replica: 1'],
  ['a text where a number belongs', 'replicas: 1', 'replicas: one'],
  ['a field of an inner object', 'runAsNonRoot: true', 'runAsNoRoot: true'],
] as const)('%s is found', async ([, from, to]) => {
  const manifests = await rendered('');
  expect(manifests).toContain(from);

  const { summary } = await check(manifests.replace(from, to));

  expect(summary.invalid).toBe(1);
});

test('a field of the operator’s resources that does not exist is found', async () => {
  const manifests = (await rendered('cluster.yaml')).replace('podMetricsEndpoints:', 'podMetricEndpoints:');

  expect((await check(manifests)).summary.invalid).toBe(1);
});

test.for([
  [
    'a value that the chart does not have',
    '--set=podMonitor.enable=true',
    "additional properties 'enable' not allowed",
  ],
  ['a mode that there is not', '--set=mode=several', "at '/mode': value must be one of"],
  ['clients that show certificates without TLS', '--set=tls.clientCa.secretName=agents', 'only over TLS'],
  ['a cluster without Kafka', '--set=mode=cluster', "missing properties 'kafka', 'store'"],
] as const)('%s is refused', async ([, set, named]) => {
  await expect(run(helm, 'template', 'assay', CHART, '--kube-version', KUBERNETES, set)).rejects.toMatchObject({
    stderr: expect.stringContaining(named),
  });
});

test.for(USES)('Assay takes the configuration that the chart makes with values %s', async (use) => {
  const configMap = manifestsOf(await rendered(use)).find(({ metadata }) => metadata.name === 'assay-config');
  const directory = tempDirectory();
  for (const [name, content] of Object.entries<string>(configMap?.data ?? {})) {
    // Secrets are read from elsewhere here; their content does not matter.
    writeFileSync(
      path.join(directory, name),
      content.replace(/\/etc\/assay-[\w/.-]+/g, path.join(directory, 'secret')),
    );
  }
  writeFileSync(path.join(directory, 'secret'), 'secret\n');
  const file = path.join(directory, 'assay.yaml');

  // With the suites that it names.
  const said = await run(process.execPath, path.join(ROOT, 'src/cli/main.ts'), 'validate', file);

  expect(said).toContain(`valid: ${file}`);
});

test('services, monitors and budgets of the chart select pods that it makes', async () => {
  for (const use of USES) {
    const resources = manifestsOf(await rendered(use));
    const pods = resources.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template]));
    const selectors = resources.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector];
      if (kind === 'NetworkPolicy') return [spec.podSelector.matchLabels];
      return kind === 'PodMonitor' || kind === 'PodDisruptionBudget' ? [spec.selector.matchLabels] : [];
    });
    const isSelected = (pod: Written, selector: Record<string, string>) =>
      Object.entries(selector).every(([name, value]) => pod.metadata.labels[name] === value);

    expect(selectors.length).toBeGreaterThan(0);
    expect(selectors.filter((selector) => !pods.some((pod) => isSelected(pod, selector)))).toEqual([]);
  }
});

test('a ServiceMonitor sees each pod once', async () => {
  const resources = manifestsOf(await rendered('single-with-suites.yaml'));
  const [monitor] = resources.filter(({ kind }) => kind === 'ServiceMonitor');
  const [{ key, values }] = monitor.spec.selector.matchExpressions;
  const seen = resources.filter(({ kind, metadata }) => kind === 'Service' && values.includes(metadata.labels[key]));

  expect(seen.map(({ metadata }) => metadata.name)).toEqual(['assay-pods']);
});

test('rules and dashboards of the chart lead where its values say', async () => {
  const manifests = await rendered('cluster.yaml');
  const [rule] = manifestsOf(manifests).filter(({ kind }) => kind === 'PrometheusRule');
  const annotated = rule?.spec.groups.flatMap(({ rules }: Written) =>
    rules.map(({ annotations }: Written) => annotations),
  );

  expect(rule?.spec.groups).toHaveLength(parse(text('deploy/prometheus/assay.rules.yml')).groups.length);
  expect(manifests).not.toContain('localhost:3000');
  expect(manifests).not.toContain('localhost:4319');
  for (const annotations of annotated.filter((one: Written) => one !== undefined)) {
    expect(annotations.runbook_url).toMatch(
      /^https:\/\/git\.example\.com\/assay\/blob\/main\/docs\/runbooks\/A\w+\.md$/,
    );
    expect(annotations.dashboard_url).toMatch(/^https:\/\/grafana\.example\.com\/d\//);
  }
  const dashboards = manifestsOf(manifests).filter(({ metadata }) => metadata.labels.grafana_dashboard === '1');
  expect(dashboards).toHaveLength(readdirSync(path.join(ROOT, 'deploy/grafana/dashboards')).length);
  for (const { data } of dashboards) for (const board of Object.values<string>(data)) JSON.parse(board);
});
