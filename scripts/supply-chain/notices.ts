/** Writes `dist/THIRD-PARTY-NOTICES.txt`: every package of production with its licence and notices. Fails for one that nobody has allowed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Lock, type ShippedPackage, shippedPackages } from './licences.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILE = path.join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt');
const RULE = '-'.repeat(80);

// The cast holds because npm wrote the file.
const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
const { shipped, mistakes } = shippedPackages(ROOT, lock);
for (const mistake of mistakes) process.stderr.write(`notices: ${mistake}\n`);
if (mistakes.length > 0) process.exitCode = 1;
else {
  mkdirSync(path.dirname(FILE), { recursive: true });
  writeFileSync(FILE, noticesOf(shipped));
  process.stdout.write(`notices: ${shipped.length} packages in ${path.relative(ROOT, FILE)}\n`);
}

/** A text that several packages share is written once, behind their names. */
function noticesOf(packages: readonly ShippedPackage[]): string {
  const byText = Map.groupBy(packages, ({ texts }) => texts.join(`\n\n${RULE}\n\n`));
  const sections = [...byText].map(([text, members]) => {
    const names = members.map(({ name, version, licence }) => `${name}@${version} (${licence})`);
    return `${RULE}\n${names.join('\n')}\n\n${text}\n`;
  });
  return `Assay includes the following packages under their own licences.\n\n${sections.join('\n')}`;
}
