/**
 * The version, in every file that has it. package.json is the source; `assay --version` and `assay_build_info` read it
 * there. The other files are read by programs that cannot, and `npm run release` writes the version into them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface VersionPlace {
  readonly file: string;
  /** The version is its second group, behind the first. */
  readonly pattern: RegExp;
  /** So that a place that has moved is noticed. */
  readonly times: number;
}

export const VERSION_PLACES: readonly VersionPlace[] = [
  { file: 'package.json', pattern: /^( {2}"version": ")([^"]+)/gm, times: 1 },
  { file: 'package-lock.json', pattern: /("name": "assay",\s+"version": ")([^"]+)/g, times: 2 },
  { file: 'clients/python/pyproject.toml', pattern: /^(version = ")([^"]+)/gm, times: 1 },
  { file: 'deploy/helm/assay/Chart.yaml', pattern: /^((?:v|appV)ersion: )(\S+)/gm, times: 2 },
  { file: 'Dockerfile', pattern: /^(# The image of the service: docker build -t assay:)(\S+)/gm, times: 1 },
  { file: 'Dockerfile', pattern: /^(LABEL org\.opencontainers\.image\.version=)(\S+)/gm, times: 1 },
  { file: 'docker-compose.yml', pattern: /(\$\{ASSAY_IMAGE:-assay:)([^}]+)/g, times: 1 },
  { file: 'deploy/kubernetes/kustomization.yaml', pattern: /^( +newTag: )(\S+)/gm, times: 1 },
  { file: 'deploy/kubernetes/single/kustomization.yaml', pattern: /^( +newTag: )(\S+)/gm, times: 1 },
  { file: 'docs/score/release-gate.md', pattern: /(\/assay-)(\d+\.\d+\.\d+)(?=\.tgz)/g, times: 1 },
];

/** Every version that a place has. */
export function versionsIn(root: string, { file, pattern }: VersionPlace): readonly string[] {
  return [...readFileSync(path.join(root, file), 'utf8').matchAll(pattern)].map(([, , version = '']) => version);
}

export function writeVersion(root: string, version: string): void {
  for (const { file, pattern } of VERSION_PLACES) {
    const target = path.join(root, file);
    const text = readFileSync(target, 'utf8');
    writeFileSync(
      target,
      text.replace(pattern, (_whole, before: string) => `${before}${version}`),
    );
  }
}
