/** The Helm chart as `helm package` would make it: a tar of its folder without what .helmignore names. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const CHARTS = 'deploy/helm';

/** Files of the chart as git has them, by their path in the archive. */
export function chartFiles(root: string): readonly string[] {
  const folder = path.join(root, CHARTS);
  const ignored = readFileSync(path.join(folder, 'assay/.helmignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return execFileSync('git', ['ls-files', 'assay'], { cwd: folder, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !ignored.some((one) => file.startsWith(`assay/${one}`)))
    .toSorted();
}

export function packChart(root: string, target: string): void {
  // Chart.yaml first, as helm does: its readers expect it early.
  const files = chartFiles(root).toSorted((one, other) => Number(!isHead(one)) - Number(!isHead(other)));
  execFileSync('tar', ['-czf', target, '-C', path.join(root, CHARTS), ...files]);
}

function isHead(file: string): boolean {
  return file === 'assay/Chart.yaml';
}
