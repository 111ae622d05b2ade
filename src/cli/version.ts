/** The version, from package.json: beside `src/` in a clone, beside `dist/` in the package. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

function readVersion(): string {
  const file = path.resolve(import.meta.dirname, '../../package.json');
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const found = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  return typeof found === 'string' ? found : 'unknown';
}

export const version = readVersion();
