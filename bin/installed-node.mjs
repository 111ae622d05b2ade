/** Finds the Node that npm installed with Assay: the optional dependency of this platform. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of its binary; undefined where npm was told to install no optional dependencies. */
export function installedNode() {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const require = createRequire(import.meta.url);
  for (const name of Object.keys(optionalDependencies)) {
    try {
      const folder = path.dirname(require.resolve(`${name}/package.json`));
      const binary = ['bin/node', 'bin/node.exe'].map((file) => path.join(folder, file)).find(existsSync);
      if (binary !== undefined) return binary;
    } catch {
      // Another platform's.
    }
  }
  return undefined;
}
