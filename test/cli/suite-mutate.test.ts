/** `assay suite mutate`, on the examples that its documentation names. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/golden-traces');

async function mutate(...args: readonly string[]) {
  const cwd = tempDirectory();
  return { ...(await assayHere(['suite', 'mutate', ...args], { cwd })), cwd };
}

test('breaks the tests of a pack, and tells what each criterion noticed', async () => {
  const { status, stdout } = await mutate('scheduling', '--json');

  expect(status).toBe(0);
  // The cast holds for what is asserted below.
  const { suites } = JSON.parse(stdout) as {
    suites: readonly { suite: string; faults: readonly { fault: string; tried: number; noticed: number }[] }[];
  };
  expect(suites.map(({ suite }) => suite)).toEqual(['scheduling']);
  expect(suites[0]?.faults.find(({ fault }) => fault === 'answer_empty')).toMatchObject({ tried: 1, noticed: 1 });
});

test('breaks recordings and golden traces, by one fault, and writes Markdown beside what it prints', async () => {
  const { status, stdout, cwd } = await mutate(
    path.join(EXAMPLE, 'tickets.yaml'),
    ...['--from', path.join(EXAMPLE, 'runs.jsonl'), '--fault', 'call_dropped', '--markdown', 'report.md'],
  );

  expect(status).toBe(0);
  expect(stdout).toContain('2 of 4 faults noticed (50.0 %), in 2 passing conversations');
  expect(stdout).toContain('get_ticket_detail was not called');
  expect(readFileSync(path.join(cwd, 'report.md'), 'utf8')).toContain('2 of 4 faults');
});

test('less than is asked for is a failure, a stranger among faults a mistake, and nothing to break an input to give', async () => {
  expect(await mutate('scheduling', '--fail-under', '90%')).toMatchObject({ status: 1 });
  expect((await mutate('scheduling', '--fault', 'call_droped')).stderr).toContain("did you mean 'call_dropped'?");
  expect(await mutate('judged')).toMatchObject({ status: 3 });
});
