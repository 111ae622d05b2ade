/**
 * Runs scripts of package.json on the Node that npm installed: `node scripts/on-installed-node.mjs build sbom`.
 *
 * npm puts that Node first for every script. npm 10 does not, because it removes the link `node` again with the packages of the other platforms.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { installedNode } from '../bin/installed-node.mjs';

const { env, execPath, argv } = process;
const folder = path.dirname(installedNode() ?? execPath);

for (const script of argv.slice(2)) {
  // npm itself stays on the Node that it was started on.
  execFileSync(execPath, [env.npm_execpath, 'run', '--silent', script], {
    stdio: 'inherit',
    env: { ...env, PATH: `${folder}${path.delimiter}${env.PATH}` },
  });
}
