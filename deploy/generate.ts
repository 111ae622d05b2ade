/**
 * npm run generate [-- --docs <url> --grafana <url> --assay <url>]
 * Writes the files of deploy/ that have a source in TypeScript. They are checked in; a test holds them against the source.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatedFiles } from './generated-files.ts';
import { LINKS } from './links.ts';

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: LINKS.docs },
    grafana: { type: 'string', default: LINKS.grafana },
    assay: { type: 'string', default: LINKS.assay },
  },
});
for (const [file, content] of generatedFiles(values)) {
  const target = path.join(import.meta.dirname, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}
