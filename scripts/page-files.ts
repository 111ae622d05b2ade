/** Copies the files of the page that no compiler makes, its style sheet and its icon, into `dist`. */
import { copyFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const FILES = ['page.css', 'icon.svg'];

for (const file of FILES) copyFileSync(path.join(ROOT, 'src/page', file), path.join(ROOT, 'dist/page', file));
process.stdout.write(`page: ${FILES.join(' and ')} in dist/page\n`);
