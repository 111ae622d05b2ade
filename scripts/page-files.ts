/** Copies the files of the page that no compiler makes, its style sheets and its icon, into `dist`. */
import { copyFileSync, globSync } from 'node:fs';
import path from 'node:path';

const PAGE = path.resolve(import.meta.dirname, '../src/page');
const files = globSync('**/*.{css,svg}', { cwd: PAGE });

for (const file of files) copyFileSync(path.join(PAGE, file), path.join(PAGE, '../../dist/page', file));
process.stdout.write(`page: ${files.length} style sheets and icons in dist/page\n`);
