/** Writes runs under a file size limit: two that fit with one between them that does not. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createExperiment, resumeExperiment } from '../../../src/store/experiment/experiment-folder.ts';
import { contentOf, EXPERIMENT, runOf } from './written-experiment.ts';

const TOO_MUCH = new Uint8Array(1 << 20).fill(1);
const [root = ''] = process.argv.slice(2);
const folder = createExperiment(root, EXPERIMENT);
folder.append(runOf(1), contentOf(1));
const bytes = () =>
  ['spans.otlp', 'logs.otlp', 'runs.jsonl']
    .map((name) => readFileSync(path.join(folder.folder, name), 'latin1'))
    .join();
const before = bytes();

let code = 'nothing';
for (const changed of [
  { run: runOf(2), content: { traces: [TOO_MUCH], logs: [] } },
  { run: runOf(2), content: { traces: contentOf(2).traces, logs: [TOO_MUCH] } },
  { run: runOf(2, { problem: 'x'.repeat(1 << 20) }), content: contentOf(1) },
]) {
  try {
    folder.append(changed.run, changed.content);
  } catch (error) {
    code = String((error as { cause: NodeJS.ErrnoException }).cause.code);
  }
}
const same = bytes() === before ? 'the same bytes' : 'other bytes';
folder.append(runOf(2), contentOf(2));
folder.close();
const again = resumeExperiment(folder.folder);
console.log(`${code}, ${again.runs.length} runs, ${same}`);
again.close();
