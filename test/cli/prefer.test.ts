/** `assay prefer` over experiments of agents that show messages, with a played provider: the whole way. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { startProvider } from '../ask/provider.ts';
import { tempDirectory } from '../temp-directory.ts';

function assay(cwd: string, ...args: readonly string[]) {
  return assayHere(args, { cwd });
}

/** A module that answers each case with its id in these words. */
function agentSaying(words: string): string {
  return `export const agent = ({ case: id, input }) => ({
    messages: [{ role: 'user', content: input }, { role: 'assistant', content: ${JSON.stringify(words)} + id }],
  });\n`;
}

async function sceneWith(url: string, { cases = 12 }: { readonly cases?: number } = {}): Promise<string> {
  const folder = tempDirectory();
  const lines = Array.from({ length: cases }, (_, index) => `  - { id: case-${index}, input: What of ${index}? }`);
  writeFileSync(path.join(folder, 'some.cases.yaml'), `dataset: some\ncases:\n${lines.join('\n')}\n`);
  writeFileSync(
    path.join(folder, 'assay.yaml'),
    `judges:\n  default:\n    provider: openai\n    model: played\n    base_url: ${url}\n    requests_per_minute: 100000\n    prices: { input_per_million: 2, output_per_million: 8 }\n`,
  );
  for (const [name, words] of [
    ['long', 'Thank you for asking, what a good question that is. The answer is '],
    ['short', 'It is '],
  ] as const) {
    writeFileSync(path.join(folder, `${name}.mjs`), agentSaying(words));
    const run = ['run', 'some.cases.yaml', '--agent', `./${name}.mjs`, '--name', name, '--settle', '10ms'];
    expect(await assay(folder, ...run)).toMatchObject({ status: 0 });
  }
  return folder;
}

/** The answer of a model that prefers the first or the second. */
function saying(material: string, prefersFirst: (first: string, second: string) => boolean): string {
  const items = material.split('\n').filter((line) => line.startsWith('{'));
  const [, first = '', second = ''] = items;
  const isFirst = prefersFirst(first, second);
  const of = (answer: boolean) => ({ quotes: [], reason: 'As the test says.', answer });
  return JSON.stringify({ first_is_more_concise: of(isFirst), second_is_more_concise: of(!isFirst) });
}

test('the shorter answers are preferred in whichever order they stand, and a judge that looks at the place is found out', async () => {
  const provider = await startProvider(({ material }) => ({ say: saying(material, (a, b) => a.length < b.length) }));
  const folder = await sceneWith(provider.url);

  const fair = await assay(folder, 'prefer', 'long', 'short', '--more', 'concise', '--json');
  expect(fair.stderr).toBe(
    '12 pairs of answers make 24 questions to default\njudges: 24 questions asked, 0 answered before\n',
  );
  expect(JSON.parse(fair.stdout)).toMatchObject({
    pairs: [{ wins_a: 0, wins_b: 12, ties: 0, unanswered: 0, share_of_b: { value: 1, cases: 12 } }],
    position: { first: 12, decided: 24 },
    ranking: null,
  });
  expect(provider.asked).toHaveLength(24);

  const again = await assay(folder, 'prefer', 'long', 'short', '--more', 'concise', '--json');
  expect(again.stdout).toBe(fair.stdout);
  expect(again.stderr).toContain('judges: 0 questions asked, 24 answered before');
  expect(provider.asked).toHaveLength(24);

  rmSync(path.join(folder, 'data', 'judge-answers.db'));
  provider.react = ({ material }) => ({ say: saying(material, () => true) });
  const leaning = await assay(folder, 'prefer', 'long', 'short', '--more', 'concise');
  expect(leaning.stdout).toContain('12 ties, in 12 of which the two orders disagreed');
  expect(leaning.stdout).toContain('The judge leans to the first place');
  expect(leaning.status).toBe(0);
}, 120_000);

test('how far it is is said while it asks, what fails as well, and it ends', async () => {
  const provider = await startProvider(async ({ number }) => {
    await sleep(1000);
    return number < 4 ? { say: 'The first.' } : { say: saying('', () => true) };
  });
  const folder = await sceneWith(provider.url);

  const { stderr, status } = await assay(folder, 'prefer', 'long', 'short', '--more', 'concise');

  expect(status).toBe(0);
  expect(stderr).toContain('judge default: calls fail (bad-answer), retrying: The answer is not JSON alone.');
  expect(stderr).toMatch(/judges: \d+ of 24 questions done, about \d+ s left/);
  expect(stderr).toContain('judges: 24 questions asked, 0 answered before');
}, 120_000);

/** Requests that the provider takes in each window; it refuses the rest until the next one. */
const STATED = { requests: 30, windowMs: 3000 };

test('sixty cases show how far they are, and take no longer than the provider allows', async () => {
  let begins = 0;
  let taken = 0;
  let refused = 0;
  const provider = await startProvider(({ material }) => {
    const now = performance.now();
    if (now - begins >= STATED.windowMs) [begins, taken] = [now, 0];
    taken += 1;
    if (taken <= STATED.requests) return { say: saying(material, (a, b) => a.length < b.length) };
    refused += 1;
    const seconds = Math.ceil((begins + STATED.windowMs - now) / 1000);
    return { status: 429, headers: { 'retry-after': String(seconds) } };
  });
  const folder = await sceneWith(provider.url, { cases: 60 });

  const began = performance.now();
  const { stdout, stderr, status } = await assay(folder, 'prefer', 'long', 'short', '--more', 'concise', '--json');
  const tookMs = performance.now() - began;

  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    pairs: [{ wins_a: 0, wins_b: 60, ties: 0, unanswered: 0, share_of_b: { value: 1, cases: 60 } }],
  });
  expect(stderr).toContain('60 pairs of answers make 120 questions to default');
  expect(stderr).toMatch(/judges: \d+ of 120 questions done, about \d+ s left/);
  expect(stderr).toContain('judges: 120 questions asked, 0 answered before');
  expect(provider.asked.length - refused).toBe(120);
  // Calls in flight when the limit is reached, in each window.
  expect(refused).toBeLessThanOrEqual(4 * (120 / STATED.requests));
  // Waiting in whole seconds may cost one a window; the rest is for starting, on a busy machine.
  const windows = 120 / STATED.requests;
  expect(tookMs).toBeLessThan(windows * (STATED.windowMs + 1000) + 15_000);
}, 180_000);

test.each([
  ['one experiment', ['prefer', 'a'], 'at least two experiments', 2],
  ['one that is not there', ['prefer', 'a', 'b'], 'no experiment has the id or name "a"', 3],
])('%s is refused', async (_, args, expected, status) => {
  const folder = tempDirectory();

  expect(await assay(folder, ...args)).toMatchObject({ status, stderr: expect.stringContaining(expected) });
});
