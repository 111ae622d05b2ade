/** Third-party parts of the project: which packages, under which licences, whose scripts run, and which images. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { billOfMaterials } from '../../scripts/supply-chain/bill-of-materials.ts';
import { type Lock, shippedPackages } from '../../scripts/supply-chain/licences.ts';
import { ROOT, text, yaml } from './shipped-files.ts';

// The casts hold because the files are the project's own.
const lock = JSON.parse(text('package-lock.json')) as Lock & {
  readonly packages: {
    readonly [place: string]: {
      readonly hasInstallScript?: boolean;
      readonly integrity?: string;
      readonly resolved?: string;
    };
  };
};
const unresolved = JSON.parse(text('deploy/images-without-digest.json')) as {
  readonly images: { readonly [image: string]: string };
};

test('every package of production has an allowed licence and its text', () => {
  const { shipped, mistakes } = shippedPackages(ROOT, lock);

  expect(mistakes).toEqual([]);
  expect(shipped.length).toBeGreaterThan(50);
  for (const { name, texts } of shipped) expect(texts.join('').length, name).toBeGreaterThan(200);
});

test.each([
  ['an unknown licence', { version: '1.0.0', license: 'SSPL-1.0', optional: true }, 'SSPL-1.0'],
  ['no licence', { version: '1.0.0', optional: true }, "the licence ''"],
  ['no copy to read it from', { version: '1.0.0', license: 'MIT' }, 'not installed'],
])('a package with %s is a mistake', (_what, entry, said) => {
  const { mistakes } = shippedPackages(ROOT, { packages: { 'node_modules/no-such-package': entry } });

  expect(mistakes).toEqual([expect.stringContaining(said)]);
});

test('the bill of materials has every package of production and no other, each with its licence, and is the same each time', () => {
  const bom = billOfMaterials(ROOT);

  const named = (of: readonly { readonly name: string; readonly version: string }[]) =>
    [...new Set(of.map(({ name, version }) => `${name}@${version}`))].sort();
  expect(named(bom.components)).toEqual(named(shippedPackages(ROOT, lock).shipped));
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'assay', type: 'application' } },
  });
  for (const component of bom.components) expect(component).toMatchObject({ licenses: [expect.anything()] });
  expect(billOfMaterials(ROOT)).toEqual(bom);
});

test('no package of production has a script that runs when it is installed, others that have are denied, all are locked by contents', () => {
  const installed = Object.entries(lock.packages).filter(([place]) => place.startsWith('node_modules/'));
  const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);

  expect(withScript.filter(([, { dev }]) => dev !== true)).toEqual([]);
  const { allowScripts } = JSON.parse(text('package.json')) as { allowScripts: Record<string, boolean> };
  expect(allowScripts).toEqual(
    Object.fromEntries(withScript.map(([place]) => [place.replace(/^.*node_modules\//, ''), false])),
  );
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  // A package from elsewhere than the registry could have one that the lock file does not show.
  expect(installed.filter(([, { resolved }]) => resolved?.startsWith('https://registry.npmjs.org/') === false)).toEqual(
    [],
  );
});

test('npm refuses to install a package that has one, and runs those of this project', () => {
  const settings = text('.npmrc').split('\n');

  expect(settings).toContain('strict-allow-scripts=true');
  expect(settings.filter((line) => line.startsWith('ignore-scripts'))).toEqual([]);
});

const DOCKERFILES = [
  'Dockerfile',
  'examples/scheduling-agent/Dockerfile',
  'test/outside/images/collector/Dockerfile',
  'test/outside/images/kafka/Dockerfile',
  'test/outside/images/postgres/Dockerfile',
];

/** Images that it is built from, with the default of each argument; those of its own stages are left out. */
function basesOf(file: string): readonly string[] {
  const lines = readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  const defaults = new Map(
    lines.flatMap((line) => {
      const [, name = '', value] = /^ARG (\w+)(?:=(\S+))?$/.exec(line) ?? [];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return lines
    .flatMap((line) => /^FROM (?:--\S+ )*(\S+)/.exec(line)?.[1] ?? [])
    .map((image) => image.replace(/\$\{(\w+)\}/g, (whole, name: string) => defaults.get(name) ?? whole));
}

test('every image is named by its digest, or is listed as unresolved with the reason', () => {
  const compose = yaml('docker-compose.yml');
  const anchors = text('docker-compose.yml').matchAll(/image: (?:\$\{\w+:-)?([^}\s]+)/g);
  const images = new Set([...DOCKERFILES.flatMap(basesOf), ...[...anchors].map(([, image = '']) => image)]);
  expect(Object.keys(compose.services).length).toBeGreaterThan(5);
  // Built from this project, or given by whoever builds: it has no default.
  const own = (image: string) => /^(?:assay:\d+\.\d+\.\d+|assay-example|\$\{BASE_IMAGE\})$/.test(image);

  const named = [...images].filter((image) => !own(image) && !/@sha256:[0-9a-f]{64}$/.test(image));

  expect(named.sort()).toEqual(Object.keys(unresolved.images).sort());
  for (const reason of Object.values(unresolved.images)) expect(reason.length).toBeGreaterThan(20);
});

test('the image of the service has no package manager, and has the notices and the bill of materials', () => {
  const [, final = ''] = text('Dockerfile').split(/^FROM \$\{NODE_IMAGE\}$/m);

  expect(final).toMatch(/rm -rf .*\/usr\/local\/lib\/node_modules/);
  expect(final).toContain('COPY --from=build /app/dist dist');
  expect(text('Dockerfile')).toContain('scripts/supply-chain/notices.ts');
  expect(text('Dockerfile')).toContain('scripts/supply-chain/sbom.ts');
});
