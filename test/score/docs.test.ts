import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { VARIABLES } from '../../src/score/cel/scope.ts';
import { StepView, ToolCallView, TurnView, UsageView } from '../../src/score/cel/views.ts';
import { BUILT_IN_CHECKS } from '../../src/score/checks/built-in-checks.ts';
import { formatMistakes } from '../../src/model/mistake.ts';
import { readSuite } from '../../src/score/yaml/read-suite.ts';
import { loadPack } from './packs/packs.ts';

const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/suites.md'), 'utf8');

test('the example suite of the documentation has no mistakes', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '';

  expect(formatMistakes(readSuite(example, 'docs/suites.md').mistakes)).toBe('');
});

test('every variable, field and built-in check there is, is documented', () => {
  const names = [
    ...Object.keys(VARIABLES),
    ...[TurnView, StepView, ToolCallView, UsageView].flatMap(({ fields }) => Object.keys(fields)),
    ...BUILT_IN_CHECKS.keys(),
  ];

  expect(names.filter((name) => !text.includes(`\`${name}\``) && !text.includes(`\`.${name}\``))).toEqual([]);
});

test.each(['default', 'scheduling', 'response-clarity', 'error-recovery'])(
  'the documentation has the criteria of %s with their weights',
  async (name) => {
    const { criteria } = await loadPack(name);

    const rows = criteria.map((criterion) => `| \`${criterion.name}\` | ${(criterion.weight / 1e6).toFixed(2)} |`);
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
  },
);
