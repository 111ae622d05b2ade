/** Other weights in a suite's own text: what git makes of the diff is read, and weighs as was asked. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ChangedWeights } from '../../src/model/what-if.ts';
import { reweighed } from '../../src/score/suite/reweigh.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { reweighingDiff } from '../../src/score/suite/reweigh-file.ts';
import { tempDirectory } from '../temp-directory.ts';

const FEW = { weights: { few: 0.25 }, off: [] };

function compiled(text: string) {
  const { suite, mistakes } = readSuite(text, 's.yaml');
  if (suite === undefined) throw new Error(JSON.stringify(mistakes));
  return suite;
}

function diffOf(text: string, changes: ChangedWeights) {
  const before = compiled(text);
  return reweighingDiff(text, reweighed(before, changes), { file: 's.yaml', before });
}

/** The text after git has applied the diff, and the diff. */
function applied(text: string, changes: ChangedWeights) {
  const written = diffOf(text, changes);
  if ('whyNot' in written) throw new Error(written.whyNot);
  const folder = tempDirectory();
  const file = path.join(folder, 's.yaml');
  writeFileSync(file, text);
  execFileSync('git', ['apply', '-'], { cwd: folder, input: written.diff });
  return { now: readFileSync(file, 'utf8'), diff: written.diff };
}

const BLOCK = `# A suite.
suite: s   # its name
version: "7" # as text
scope: conversation # for now
min_decided: 0.2

criteria:
  # The most important one.
  - name: few
    question: Few?
    weight: .5 # half
    check: "true"
  - { name: clean, weight: 3e-1, question: 'Clean?', check: "true" } # flow
  - name: short
    question: Short?
    weight: 0.2
    check: "true"
outcomes:
  - { outcome: successful_completion, when: "criteria.few == 'pass'" }
  - outcome: partial_failure
`;

test('only the numbers, the version and the sum change: comments, order and forms stay', () => {
  const { now, diff } = applied(BLOCK, { weights: { few: 0.25 }, off: ['clean'] });

  expect(diff).toBe(`--- a/s.yaml
+++ b/s.yaml
@@ -1,16 +1,17 @@
 # A suite.
 suite: s   # its name
-version: "7" # as text
+version: "8" # as text
 scope: conversation # for now
+normalize: true
 min_decided: 0.2
 
 criteria:
   # The most important one.
   - name: few
     question: Few?
-    weight: .5 # half
+    weight: 0.25 # half
     check: "true"
-  - { name: clean, weight: 3e-1, question: 'Clean?', check: "true" } # flow
+  - { name: clean, weight: 0.00, question: 'Clean?', check: "true" } # flow
   - name: short
     question: Short?
     weight: 0.2
`);
  expect(compiled(now).criteria.map(({ weight }) => weight)).toEqual([250_000, 0, 200_000]);
});

test('weights that sum to 1 again need no word about it', () => {
  const { now } = applied(BLOCK, { weights: { few: 0.4, clean: 0.4 }, off: [] });

  expect(now).toBe(
    BLOCK.replace('"7"', '"8"').replace('.5 # half', '0.40 # half').replace('weight: 3e-1', 'weight: 0.40'),
  );
});

describe('whatever the file looks like', () => {
  const flow = (rest: string) =>
    `{ suite: s, scope: turn, ${rest}criteria: [{ name: few, question: F?, weight: 0.5, check: 'true' }, { name: b, question: B?, weight: 0.5, check: 'true' }] }`;
  test.each([
    [
      'without a version it is the second',
      BLOCK.replace('version: "7" # as text\n', ''),
      ['version: "2"', 'normalize: true'],
    ],
    ['a version that is a number', BLOCK.replace('"7"', '7'), ['version: 8 # as text']],
    ["a version that is no number is its author's", BLOCK.replace('"7"', 'v7.1'), ['version: v7.1 # as text']],
    ['a sum that need not be 1', BLOCK.replace('min_decided', 'normalize: true\nmin_decided'), ['normalize: true']],
    [
      'a sum that must be 1',
      BLOCK.replace('min_decided', 'normalize: false # exact\nmin_decided'),
      ['normalize: true # exact'],
    ],
    ['lines of Windows', BLOCK.replaceAll('\n', '\r\n'), ['normalize: true\r\n']],
    ['no newline at its end', BLOCK.trimEnd(), ['normalize: true']],
    ['one line', `${flow('')}\n`, ['scope: turn, normalize: true,', 'suite: s, version: "2"']],
    ['one line without an end', flow('version: 1, '), ['version: 2']],
    [
      'the scope in the last line',
      `suite: s\ncriteria:\n- { name: few, question: F?, weight: 0.5, check: 'true' }\n- { name: b, question: B?, weight: 0.5, check: 'true' }\nscope: turn\n`,
      ['scope: turn\nnormalize: true\n'],
    ],
    [
      'the scope in the last line without an end',
      `suite: s\ncriteria:\n- { name: few, question: F?, weight: 0.5, check: 'true' }\n- { name: b, question: B?, weight: 0.5, check: 'true' }\nscope: turn`,
      ['scope: turn\nnormalize: true'],
    ],
    ['other fields all around', `---\n${BLOCK}...\n`, ['---\n# A suite', 'normalize: true']],
  ])('%s', (_what, text, parts) => {
    const { now } = applied(text, FEW);

    for (const part of parts) expect(now).toContain(part);
    expect(now.match(/normalize:/g)).toHaveLength(1);
    const [few, ...others] = compiled(now).criteria.map(({ weight }) => weight);
    expect(few).toBe(250_000);
    expect(others).toEqual(
      compiled(text)
        .criteria.slice(1)
        .map(({ weight }) => weight),
    );
    expect(compiled(now).definition.id).toBe(compiled(text).definition.id);
  });
});

test('no change is an empty diff', () => {
  expect(diffOf(BLOCK, { weights: {}, off: [] })).toEqual({ diff: '' });
  expect(diffOf(BLOCK, { weights: { few: 0.5 }, off: [] })).toEqual({ diff: '' });
});

test('a weight that others share, or that stands elsewhere, is said and not written', () => {
  const shared = BLOCK.replace('.5 # half', '&w 0.4').replace('3e-1', '*w');

  expect(diffOf(shared, { weights: { few: 0.3 }, off: [] })).toEqual({
    whyNot: 'its weights cannot be changed one by one in its file',
  });
  // The alias itself can be replaced.
  expect(applied(shared, { weights: { clean: 0.3 }, off: [] }).now).toContain('weight: 0.30, question');
});

test('a file that has become another one is said', () => {
  const before = compiled(BLOCK);
  const after = reweighed(before, FEW);

  expect(reweighingDiff('[]', after, { file: 's.yaml', before })).toEqual({
    whyNot: 'its file has changed since it was loaded',
  });
  const other = BLOCK.replace('name: clean', 'name: tidy');
  expect(reweighingDiff(other, after, { file: 's.yaml', before })).toEqual({
    whyNot: 'its weights cannot be changed one by one in its file',
  });
});
