/** npm run build:candidates: makes src/redact/candidates-wasm.ts from candidates.wat beside it. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import loadWabt from 'wabt';

const FOLDER = path.resolve(import.meta.dirname, '../src/redact');

/** The file that belongs to the source. */
export async function candidatesFile(): Promise<string> {
  const wabt = await loadWabt();
  const module = wabt.parseWat('candidates.wat', readFileSync(path.join(FOLDER, 'candidates.wat'), 'utf8'));
  const bytes = Buffer.from(module.toBinary({}).buffer);
  module.destroy();
  const lines = bytes.toString('base64').match(/.{1,112}/g) ?? [];
  return [
    '/** Made from candidates.wat by `npm run build:candidates`. */',
    'export const CANDIDATES_WASM =',
    `${lines.map((line) => `  '${line}'`).join(' +\n')};`,
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(path.join(FOLDER, 'candidates-wasm.ts'), await candidatesFile());
