import { expect, test } from 'vitest';
import { conformancePage } from '../../scripts/conformance/page.ts';
import type { RowResult } from '../../scripts/conformance/result.ts';
import type { Row } from '../../scripts/conformance/row.ts';
import { ROWS } from '../../scripts/conformance/rows.ts';

const ROW: Row = {
  id: 'example',
  framework: 'Example',
  exporter: 'OpenInference',
  language: 'python',
  file: 'example.py',
  api: 'openai-chat',
  packages: ['example', 'openinference-example<2'],
  handOff: 'tool',
};

const RESULT: RowResult = {
  ...{ row: 'example', framework: 'Example', exporter: 'OpenInference', language: 'python', date: '2026-01-02' },
  versions: { example: '1.2.3', 'openinference-example': '0.9' },
  behaviours: [
    {
      name: 'success',
      spans: 4,
      complaints: [],
      fields: [
        { name: 'question', turn: 1, state: 'right' },
        { name: 'answer', turn: 1, state: 'wrong', expected: 'Yes.', read: 'a | b`\u202E' },
        { name: 'cached tokens', turn: 1, state: 'not sent' },
      ],
    },
  ],
};

test('a row shows its versions, its figures and what is not sent', () => {
  const page = conformancePage([{ row: ROW, result: RESULT }]);

  expect(page).toContain(
    '| Example | 1.2.3 | OpenInference | 0.9 | Python | 2026-01-02 | **1 of 2** | cached tokens |',
  );
  expect(page).toContain('**1 of 2 fields that were sent are right (50.0 %).');
});

test('a wrong field shows both values, without marks that would change the page', () => {
  const page = conformancePage([{ row: ROW, result: RESULT }]);

  expect(page).toContain("* answer: expected `'Yes.'`".replaceAll("'", '"'));
  expect(page).not.toContain('\u202E');
  expect(page).not.toContain('a | b`');
});

test('a row that could not be played is named with its reason, and not in the table', () => {
  const failed: RowResult = { ...RESULT, behaviours: [], versions: {}, failure: 'uv pip: no version fits\nmore' };
  const page = conformancePage([{ row: ROW, result: failed }]);

  expect(page).not.toContain('| Example |');
  expect(page).toContain('* Example, OpenInference (Python): `uv pip: no version fits`');
});

test('a behaviour that did not go as scripted counts for nothing, and is named', () => {
  const [success] = RESULT.behaviours;
  if (success === undefined) throw new Error('the behaviour is gone');
  const deviated = { ...success, name: 'parallel' as const, complaints: ['turn 1 ended with null'] };
  const page = conformancePage([{ row: ROW, result: { ...RESULT, behaviours: [success, deviated] } }]);

  expect(page).toContain('| **1 of 2** |');
  expect(page).toContain('* Example with OpenInference, parallel: `turn 1 ended with null`');
});

test('a row that was not played this time keeps its lines of the earlier page', () => {
  const [success] = RESULT.behaviours;
  if (success === undefined) throw new Error('the behaviour is gone');
  const other = { ...ROW, id: 'other', framework: 'Other' };
  const deviated = { ...success, name: 'parallel' as const, complaints: ['turn 1 ended with null'] };
  const earlier = conformancePage([
    { row: ROW, result: { ...RESULT, behaviours: [success, deviated] } },
    { row: other, result: RESULT },
  ]);

  const page = conformancePage(
    [
      { row: ROW, result: undefined },
      { row: other, result: RESULT },
    ],
    earlier,
  );

  expect(page).toBe(earlier);
});

test('each row has an id of its own, and a framework and an instrumentation only once', () => {
  const ids = ROWS.map(({ id }) => id);
  const names = ROWS.map(({ framework, exporter }) => `${framework}, ${exporter}`);

  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(names).size).toBe(names.length);
});
