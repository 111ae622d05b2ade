/** Writes `dist/sbom.cdx.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { billOfMaterials } from './bill-of-materials.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILE = path.join(ROOT, 'dist/sbom.cdx.json');

const bom = billOfMaterials(ROOT);
mkdirSync(path.dirname(FILE), { recursive: true });
writeFileSync(FILE, `${JSON.stringify(bom, undefined, 2)}\n`);
process.stdout.write(`sbom: ${bom.components.length} packages in ${path.relative(ROOT, FILE)}\n`);
