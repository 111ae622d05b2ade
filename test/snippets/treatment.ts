/** The treatment of a block, by its language. */
import type { Block } from './blocks.ts';
import { writtenAs } from './written.ts';

export type Treatment = 'run' | 'checked' | 'compared with the output' | 'not run' | 'unknown';

const BY_LANGUAGE: Readonly<Record<string, Treatment>> = {
  sh: 'run',
  bash: 'run',
  console: 'run',
  ts: 'checked',
  python: 'run',
  yaml: 'checked',
  json: 'checked',
  jsonl: 'checked',
  csv: 'checked',
  promql: 'checked',
  text: 'compared with the output',
  '': 'compared with the output',
};
/** Pages whose TypeScript is run, block by block or as one project. */
const RUN = ['docs/start/frameworks.md', 'docs/score/vitest.md'];

export function treatmentOf(block: Block): Treatment {
  if (block.notRun !== undefined) return 'not run';
  if (block.language === 'ts' && RUN.includes(block.page)) return 'run';
  if (writtenAs(block)?.run !== undefined) return 'run';
  // Nothing checks JavaScript but its page, which runs the file.
  if (block.language === 'js' && writtenAs(block) !== undefined) return 'run';
  return BY_LANGUAGE[block.language] ?? 'unknown';
}
