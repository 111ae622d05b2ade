/** The pack for SQL agents on what frameworks really export, as `assay score` reads it. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { formatMistakes } from '../../src/model/mistake.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { readRecording } from '../../src/offline/recording.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { loadPack } from '../score/packs/packs.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');

const OTHER_TOOLS = `
suite: sql
scope: conversation
criteria:
  - name: schema_before_query
    question: Was the schema inspected first?
    weight: 1
    uses: schema_before_query
    with: { tool: run_query, schema_tools: [get_schema] }
`;

const { settings } = loadSettings({ flags: {}, env: {}, cwd: FIXTURES });
const otherTools = readSuite(OTHER_TOOLS, 'sql.yaml');
const suites = [await loadPack('sql-agent'), otherTools.suite].filter((suite) => suite !== undefined);

function runsOf(folder: string, scenario: string): readonly string[] {
  return readdirSync(path.join(FIXTURES, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file).startsWith(scenario) && !/\.(expected|logs)\.json$/.test(file))
    .map((file) => path.join(folder, file))
    .sort();
}

async function verdictOf(file: string, suite: string) {
  async function* batches() {
    const logs = file.replace(/\.json$/, '.logs.json');
    yield* readRecording(path.join(FIXTURES, file));
    if (readdirSync(path.join(FIXTURES, path.dirname(file))).includes(path.basename(logs)))
      yield* readRecording(path.join(FIXTURES, logs));
  }
  const { evaluations } = await scoreRecorded({ batches: batches(), suites, settings });
  return evaluations.find((evaluation) => evaluation.suite === suite)?.verdicts.get('schema_before_query');
}

test('there are no mistakes, and enough recordings', () => {
  expect(formatMistakes(otherTools.mistakes)).toBe('');
  expect(runsOf('recorded', 'sql_no_schema_check').length).toBeGreaterThan(20);
});

test.each(runsOf('recorded', 'sql_no_schema_check'))(
  'data was queried before the schema was inspected: %s',
  async (file) => {
    expect(await verdictOf(file, 'sql-agent')).toMatchObject({
      verdict: 'fail',
      reason: 'Data was queried before the schema was inspected: SELECT SUM(revenue) FROM sales WHERE year = 2026',
    });
  },
);

test.each(runsOf('captured', 'sql_schema_then_query'))(
  'the schema was inspected first, by a tool of its own: %s',
  async (file) => {
    expect(await verdictOf(file, 'sql')).toMatchObject({ verdict: 'pass' });
    expect(await verdictOf(file, 'sql-agent')).toMatchObject({ verdict: 'not_applicable' });
  },
);
