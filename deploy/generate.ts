/**
 * npm run generate [-- --docs <url> --grafana <url> --assay <url>]
 * Writes the files of deploy/ that have a TypeScript source. They are checked in; a test compares them with the source.
 *
 * npm run generate -- --trial <folder> [--shorter-by 360]
 * Writes rules with shorter times, and configurations to try them with, into a separate folder: see
 * docs/start/operators.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatedFiles, trialFiles } from './generated-files.ts';
import { LINKS } from './links.ts';

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    grafana: { type: 'string', default: LINKS.grafana },
    assay: { type: 'string', default: LINKS.assay },
    trial: { type: 'string' },
    'shorter-by': { type: 'string', default: '360' },
  },
});
const factor = Number(values['shorter-by']);
if (!(factor >= 1)) throw new Error(`--shorter-by ${values['shorter-by']}: a number that is at least 1 was expected`);
const links = { ...values, docs: values.docs ?? values.assay };
const files = values.trial === undefined ? generatedFiles(links) : trialFiles(links, factor);
for (const [file, content] of files) {
  const target = path.resolve(values.trial ?? import.meta.dirname, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}
