/** The example of docs/score/system-prompt-as-a-suite.md: its suite is valid, its tests hold, and the page shows what is in it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';

const EXAMPLE = new URL('../../examples/system-prompt-as-a-suite/', import.meta.url);
const page = readFileSync(new URL('../../docs/score/system-prompt-as-a-suite.md', import.meta.url), 'utf8');
const suite = readFileSync(new URL('rental-rules.yaml', EXAMPLE), 'utf8');

test('the suite is valid, and says of its examples what is expected', async () => {
  const cwd = EXAMPLE.pathname;

  expect(await assayHere(['validate', 'rental-rules.yaml'], { cwd })).toMatchObject({ status: 0 });
  expect(await assayHere(['suite', 'test', 'rental-rules.yaml'], { cwd })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('7 tests passed'),
  });
}, 60_000);

test('each criterion on the page is the one of the suite', () => {
  const linesOf = (text: string) => text.split('\n').map((line) => line.replace(/ +#.*$/, '').trim());
  const inSuite = new Set(
    linesOf(suite.replace('sees: &seen [', 'sees: [').replaceAll('sees: *seen', 'sees: [instructions, tool]')),
  );
  const shown = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(([, block = '']) => linesOf(block));

  expect(shown.length).toBeGreaterThan(20);
  expect(shown.filter((line) => line !== '' && !inSuite.has(line))).toEqual([]);
});
