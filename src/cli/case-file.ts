/** The dataset to which the MCP server adds cases: a file of JSON lines that the person who started it has named. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { KeptCase } from '../mcp/tool.ts';
import { readDataset } from '../offline/datasets/read-dataset.ts';

/** In a folder. */
const FILE = 'from-production.jsonl';

/** A case whose id is there is not added again. */
export function addCase(dataset: string, { line, id }: { readonly line: string; readonly id: string }): KeptCase {
  const file = existsSync(dataset) && statSync(dataset).isDirectory() ? path.join(dataset, FILE) : dataset;
  if (!/\.(jsonl|ndjson)$/.test(file))
    return { is: 'refused', because: `${file} is not a file of JSON lines (.jsonl), to which a case can be added` };
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text.trim() !== '') {
    const { dataset: known, mistakes } = readDataset(file);
    if (known === undefined || mistakes.length > 0)
      return { is: 'refused', because: `${file} has mistakes: see \`assay dataset check ${file}\`` };
    if (known.cases.some((one) => one.id === id)) return { is: 'there', file };
  }
  const opened = openSync(file, 'a');
  try {
    writeSync(opened, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  return { is: 'added', file };
}
