/** A suite that keeps the scoring thread of a service from starting until it is released. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const DEFINE_SUITE = path.resolve(import.meta.dirname, '../../src/score/define-suite.ts');

export function slowSuite(directory: string): { readonly reference: string; readonly letGo: () => void } {
  const gate = path.join(directory, 'gate');
  writeFileSync(
    path.join(directory, 'slow.ts'),
    `import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { defineSuite } from ${JSON.stringify(DEFINE_SUITE)};
while (!isMainThread && !existsSync(${JSON.stringify(gate)})) await new Promise((next) => setTimeout(next, 20));
export const slow = defineSuite({
  name: 'slow', scope: 'turn',
  criteria: [{ name: 'only', question: 'Is it so?', weight: 1, check: () => true }],
});
`,
  );
  return { reference: './slow.ts', letGo: () => writeFileSync(gate, '') };
}
