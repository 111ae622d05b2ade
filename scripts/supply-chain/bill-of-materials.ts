/**
 * The packages that Assay ships with, as CycloneDX. npm makes the document from the lock file alone, so that no tool
 * has to be trusted besides the one that installs. The same lock file gives the same document.
 *
 * npm's own `--omit=dev` leaves out packages that a development dependency wants as well (zod among them), so that
 * everything is asked for, and the lock file says what is left out.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Lock, nameIn } from './licences.ts';

interface Bom {
  readonly metadata: { readonly timestamp?: string; readonly component: { readonly version: string } };
  readonly components: readonly { readonly 'bom-ref': string; readonly name: string; readonly version: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const OPTIONS = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const FIFTY_MEBIBYTES = 50 << 20;

export function billOfMaterials(root: string): Bom {
  const written = execFileSync('npm', ['sbom', ...OPTIONS], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: FIFTY_MEBIBYTES,
    shell: process.platform === 'win32',
  });
  // The casts hold because npm wrote both.
  const bom = JSON.parse(written) as Bom;
  const lockFile = readFileSync(path.join(root, 'package-lock.json'));
  const { packages } = JSON.parse(lockFile.toString()) as Lock;
  const shipped = new Set(
    Object.entries(packages)
      .filter(([, { dev }]) => dev !== true)
      .map(([place, { version }]) => `${nameIn(place)}@${version}`),
  );
  const components = bom.components.filter(({ name, version }) => shipped.has(`${name}@${version}`));
  const refs = new Set(components.map((component) => component['bom-ref']));
  const { timestamp: _, component, ...metadata } = bom.metadata;
  // npm names it after its folder, and draws a number.
  const itself = { ...component, name: 'assay', purl: `pkg:npm/assay@${component.version}` };
  const isOurs = (ref: string) => refs.has(ref) || ref === `assay@${component.version}`;
  return {
    ...bom,
    ...{ serialNumber: `urn:uuid:${uuidOf(lockFile)}` },
    metadata: { ...metadata, component: itself },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => isOurs(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isOurs) })),
  };
}

/** A UUID of version 8, which may be derived from what it describes. */
function uuidOf(content: Uint8Array): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
