import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { PROCESS_ROUTES } from '../../src/serve/api/routes.ts';
import { tempDirectory } from '../temp-directory.ts';
import { createdTopics, knownVariables, ROOT, text, type Written, yaml, yamlDocuments } from './shipped-files.ts';

const FOLDER = 'deploy/kubernetes';
const folders = [
  FOLDER,
  ...readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${FOLDER}/${entry.name}`),
];
const resources: readonly Written[] = folders.flatMap(resourcesOf);
const workloads = resources.filter(isWorkload);
const pods = folders.flatMap((folder) =>
  resourcesOf(folder)
    .filter(isWorkload)
    .map(({ metadata, spec }) => ({
      name: `${metadata.labels['app.kubernetes.io/component']} ${metadata.name}`,
      folder,
      claimed: (spec.volumeClaimTemplates ?? []).map((claim: Written) => claim.metadata.name),
      ...spec.template,
    })),
);

function resourcesOf(folder: string): readonly Written[] {
  const { resources: files = [] } = yaml(`${folder}/kustomization.yaml`);
  return files.flatMap((file: string) => yamlDocuments(`${folder}/${file}`));
}

/** The template that a component adds to each workload. */
function addedBy(component: string): Written {
  const [{ spec }] = yamlDocuments(`${FOLDER}/${component}/workload.yaml`) as readonly [Written];
  const [container] = spec.template.spec.containers;
  return { ...spec.template, container, volumes: spec.template.spec.volumes };
}

function isWorkload({ kind }: Written): boolean {
  return kind === 'StatefulSet' || kind === 'Deployment';
}

function ofKind(kind: string): readonly Written[] {
  const found = resources.filter((resource) => resource.kind === kind);
  expect(found.length, `resources of kind ${kind}`).toBeGreaterThan(0);
  return found;
}

/** The pods that a selector matches, by the name of their workload. */
function selectedBy(labels: Record<string, string>) {
  return pods.filter(({ metadata }) =>
    Object.entries(labels).every(([name, value]) => metadata.labels[name] === value),
  );
}

function portsOf(pod: Written): readonly string[] {
  return pod.spec.containers.flatMap(({ ports }: Written) => ports.map(({ name }: Written) => name));
}

test('every file of manifests is part of a kustomization', () => {
  const listed = folders.flatMap((folder) => {
    const { resources: own = [], configMapGenerator, patches = [] } = yaml(`${folder}/kustomization.yaml`);
    const generated = (configMapGenerator ?? []).flatMap(({ files }: Written) => files);
    const patching = new Set(patches.map(({ path: file }: Written) => file));
    return [...own, ...generated, ...patching, 'kustomization.yaml'];
  });
  const present = folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).filter((file) => file.endsWith('.yaml')),
  );

  expect([...present].sort()).toEqual([...listed].sort());
});

test('workloads select their own pods and nobody else’s', () => {
  for (const { metadata, spec } of workloads) {
    const own = `${metadata.labels['app.kubernetes.io/component']} ${metadata.name}`;
    expect(selectedBy(spec.selector.matchLabels).map(({ name }) => name)).toEqual([own]);
  }
});

test('services, budgets, spreading and policies select pods that exist', () => {
  const selectors = [
    ...ofKind('Service').map(({ spec }) => spec.selector),
    ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
    ...ofKind('PodMonitor').map(({ spec }) => spec.selector.matchLabels),
    ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ...pods.flatMap(({ spec }) =>
      (spec.topologySpreadConstraints ?? []).map(({ labelSelector }: Written) => labelSelector.matchLabels),
    ),
  ];

  for (const selector of selectors) expect(selectedBy(selector), JSON.stringify(selector)).not.toEqual([]);
});

test('services, monitors and policies name ports that the pods have', () => {
  for (const { metadata, spec } of ofKind('Service')) {
    for (const pod of selectedBy(spec.selector)) {
      for (const { targetPort } of spec.ports) expect(portsOf(pod), metadata.name).toContain(targetPort);
    }
  }
  for (const { spec } of ofKind('PodMonitor')) {
    for (const pod of selectedBy(spec.selector.matchLabels)) {
      for (const { port } of spec.podMetricsEndpoints) expect(portsOf(pod)).toContain(port);
    }
  }
  for (const { spec } of ofKind('NetworkPolicy')) {
    for (const pod of selectedBy(spec.podSelector.matchLabels)) {
      const named = spec.ingress.flatMap(({ ports }: Written) => ports.map(({ port }: Written) => port));
      for (const port of named) expect(portsOf(pod)).toContain(port);
    }
  }
});

test('the StatefulSet has the headless service that it names', () => {
  const headless = ofKind('Service').filter(({ spec }) => spec.clusterIP === 'None');

  expect(headless.map(({ metadata }) => metadata.name)).toEqual(
    ofKind('StatefulSet').map(({ spec }) => spec.serviceName),
  );
});

/** Waiting for Kafka or the store is a reason to send no traffic to a pod, but not to restart it. */
const ASKED = { livenessProbe: '/healthz', startupProbe: '/healthz', readinessProbe: '/readyz' };

test('probes ask for what is served', () => {
  const served = PROCESS_ROUTES.map(({ path }) => path);
  for (const { name, spec } of pods) {
    for (const container of spec.containers) {
      for (const [probe, path] of Object.entries(ASKED)) {
        const { path: asked, port } = container[probe].httpGet;
        expect(asked, `${name}: ${probe}`).toBe(path);
        expect(served).toContain(asked);
        expect(portsOf({ spec })).toContain(port);
      }
    }
  }
});

test('the chart has the same probes', () => {
  const written = text('deploy/helm/assay/templates/_assay.tpl').matchAll(
    /^(\w+Probe):\n {2}httpGet: \{ path: (\S+),/gm,
  );

  expect(Object.fromEntries([...written].map(([, probe, path]) => [probe, path]))).toEqual(ASKED);
});

test('every variable is a setting, and an instance’s name is its pod’s', () => {
  const known = knownVariables();
  for (const { spec } of pods) {
    for (const { env } of spec.containers) {
      expect(env.map(({ name }: Written) => name).filter((name: string) => !known.has(name))).toEqual([]);
      const named = env.find(({ name }: Written) => name === 'ASSAY_INSTANCE');
      expect(named.valueFrom.fieldRef.fieldPath).toBe('metadata.name');
    }
  }
});

test('the components of TLS change every workload, and only their container', () => {
  for (const component of ['tls', 'tls-clients']) {
    const { patches } = yaml(`${FOLDER}/${component}/kustomization.yaml`);
    const targets = patches.filter(({ path: file }: Written) => file === 'workload.yaml');
    expect(targets.map(({ target }: Written) => target.kind)).toEqual(['StatefulSet', 'Deployment']);
    for (const { metadata, kind } of workloads) {
      const { name } = targets.find(({ target }: Written) => target.kind === kind).target;
      expect(metadata.name).toMatch(new RegExp(`^(?:${name})$`));
    }
    for (const { spec } of pods)
      expect(spec.containers.map(({ name }: Written) => name)).toEqual([addedBy(component).container.name]);
  }
});

test('with the components of TLS, files that are mounted are named, and probes go over TLS', () => {
  const [tls, clients] = [addedBy('tls'), addedBy('tls-clients')];
  const env = Object.fromEntries(
    [...tls.container.env, ...clients.container.env].map(({ name, value }: Written) => [name, value]),
  );

  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd: ROOT });

  expect(mistakes).toEqual([]);
  expect(settings.tls).toEqual({
    certFile: '/etc/assay-tls/tls.crt',
    keyFile: '/etc/assay-tls/tls.key',
    clientCaFile: '/etc/assay-tls-clients/ca.crt',
  });
  const folders = [tls, clients].flatMap(({ container, volumes }) =>
    container.volumeMounts.map(({ name, mountPath }: Written) => [
      mountPath,
      volumes.find((volume: Written) => volume.name === name)?.secret.secretName,
    ]),
  );
  expect(folders).toEqual([
    ['/etc/assay-tls', 'assay-tls'],
    ['/etc/assay-tls-clients', 'assay-tls-clients'],
  ]);
  for (const probe of Object.keys(ASKED)) expect(tls.container[probe]).toEqual({ httpGet: { scheme: 'HTTPS' } });
  expect(tls.metadata.annotations).toEqual({ 'prometheus.io/scheme': 'https' });
});

test('the certificate is for the secret that is mounted, and names every service', () => {
  const [{ spec }] = ofKind('Certificate') as readonly [Written];
  const called = ofKind('Service').filter(({ spec: { clusterIP } }) => clusterIP !== 'None');

  expect(spec.secretName).toBe(addedBy('tls').volumes[0].secret.secretName);
  for (const { metadata } of called) {
    expect(spec.dnsNames).toContain(metadata.name);
    expect(spec.dnsNames).toContain(`${metadata.name}.default.svc`);
  }
  const scraped = yaml(`${FOLDER}/tls/monitor.yaml`).find(({ path: at }: Written) => at.endsWith('tlsConfig')).value;
  expect(spec.dnsNames).toContain(scraped.serverName);
  expect(scraped.ca.secret.name).toBe(spec.secretName);
});

test('what is mounted is there', () => {
  for (const { folder, spec, claimed } of pods) {
    const generated = yaml(`${folder}/kustomization.yaml`).configMapGenerator.map(({ name }: Written) => name);
    const volumes = [...spec.volumes.map(({ name }: Written) => name), ...claimed];
    for (const { volumeMounts } of spec.containers) {
      expect(volumeMounts.map(({ name }: Written) => name).sort()).toEqual([...volumes].sort());
    }
    for (const { configMap } of spec.volumes) if (configMap !== undefined) expect(generated).toContain(configMap.name);
  }
});

test.for(pods)('$name starts with the configuration that it is given', ({ folder, spec }) => {
  const [container] = spec.containers;
  const directory = tempDirectory();
  // The secrets are read from elsewhere here; their content does not matter.
  mkdirSync(path.join(directory, 'etc/assay-store'), { recursive: true });
  writeFileSync(path.join(directory, 'etc/assay-store/password'), 'secret\n');
  const file = path.join(directory, 'assay.yaml');
  writeFileSync(file, text(`${folder}/assay.yaml`).replaceAll(' /etc/', ` ${directory}/etc/`));
  const env = Object.fromEntries(container.env.map(({ name, value }: Written) => [name, value ?? 'pod-0']));

  const { settings, mistakes } = loadSettings({ flags: {}, env: { ...env, ASSAY_CONFIG: file }, cwd: directory });

  expect(mistakes).toEqual([]);
  const isShared = folder === FOLDER;
  expect(settings.sharedStore?.password).toBe(isShared ? 'secret' : undefined);
  expect(settings.instance).toBe('pod-0');
  const access = container.volumeMounts.find(({ name }: Written) => name === 'access');
  expect(settings.access).toMatchObject({
    insecureNoAuth: false,
    tokensFile: `${directory}${access.mountPath}/tokens.json`,
  });
  const data = container.volumeMounts.find(({ name }: Written) => name === 'data');
  expect(settings.dataDir).toBe(data.mountPath);
  const accepts = portsOf({ spec }).includes('otlp-http');
  expect([settings.kafka?.accept, settings.kafka?.read]).toEqual(
    isShared ? [accepts, !accepts] : [undefined, undefined],
  );
});

test('the volume has room for what open turns may hold', () => {
  const [instances] = resourcesOf(FOLDER).filter(({ kind }) => kind === 'StatefulSet');
  const data = instances.spec.template.spec.volumes.find(({ name }: Written) => name === 'data');

  expect(gibibytes(data.emptyDir.sizeLimit)).toBeGreaterThan(gibibytes(yaml(`${FOLDER}/assay.yaml`).journal.max_bytes));
});

test('the volume of the single instance has room for its journal and its store', () => {
  const [instance] = resourcesOf(`${FOLDER}/single`).filter(({ kind }) => kind === 'StatefulSet');
  const [claim] = instance.spec.volumeClaimTemplates;
  const { journal, store } = yaml(`${FOLDER}/single/assay.yaml`);

  expect(instance.spec.replicas).toBe(1);
  expect(gibibytes(claim.spec.resources.requests.storage)).toBeGreaterThan(
    gibibytes(journal.max_bytes) + gibibytes(store.max_bytes),
  );
});

function gibibytes(size: string): number {
  return Number(/^(\d+)Gi/.exec(size)?.[1]);
}

test('nothing runs as root, may become more than it is, or writes where it should not', () => {
  for (const { spec } of pods) {
    expect(spec.securityContext.runAsNonRoot).toBe(true);
    for (const { securityContext } of spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  }
});

test('autoscalers scale what is there', () => {
  const targets = [...ofKind('HorizontalPodAutoscaler'), ...ofKind('ScaledObject')].map(
    ({ spec }) => `${spec.scaleTargetRef.kind} ${spec.scaleTargetRef.name}`,
  );

  const scalable = resourcesOf(FOLDER).filter(isWorkload);
  expect(targets.sort()).toEqual(scalable.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort());
});

test('lag is that of the group and topics that are configured, for as many instances as there are partitions', () => {
  const { kafka } = yaml(`${FOLDER}/assay.yaml`);
  const [{ spec }] = ofKind('ScaledObject') as readonly [Written];
  const { metadata } = spec.triggers.find(({ type }: Written) => type === 'kafka');
  const partitions = /partitions=\$\{PARTITIONS:-(\d+)\}/.exec(text('deploy/kafka/create-topics.sh'))?.[1];

  expect(metadata.consumerGroup).toBe(kafka.group);
  expect(kafka.topics.spans).toContain(metadata.topic);
  expect(metadata.bootstrapServers).toBe(kafka.brokers.join(','));
  expect(spec.maxReplicaCount).toBe(Number(partitions));
});

test('what is written and read are topics that are made', () => {
  const { kafka } = yaml(`${FOLDER}/assay.yaml`);
  const used = [...kafka.topics.spans, ...kafka.topics.logs, kafka.dead_letter_topic, kafka.evaluations_topic];

  const created = createdTopics();
  expect(used.filter((topic: string) => !created.has(topic))).toEqual([]);
});
