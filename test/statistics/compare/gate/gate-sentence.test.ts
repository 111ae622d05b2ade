/** The first line of a gate: what broke, by which criterion and rules, and where to read on. */
import { expect, test } from 'vitest';
import { decideGate } from '../../../../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';
import { experimentOf, passing, type RunLine, SUCCESS } from '../experiments.ts';

function sentence(text: string, now: readonly RunLine[], before?: readonly RunLine[]): string {
  const candidate = experimentOf('b', now);
  const { gate, mistakes } = readGate(text, 'gate.yaml', candidate.experiment.suites);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  const baseline = before === undefined ? undefined : experimentOf('a', before);
  return decideGate({ candidate, baseline, gate, warnings: [] }).sentence;
}

const FIRST = 'rules: { cases_worse: by chance, tcr: { max_drop: 5 points } }';
const all = (count: number) => passing(Array(count).fill(1));
const lost = (count: number, of: number) => passing(Array.from({ length: of }, (_, index) => (index < count ? 0 : 1)));
const SEE = 'see `npx assay compare 2026-11-20-a 2026-11-20-b --transcripts case-0`';

test.each([
  [
    'a regression',
    FIRST,
    lost(8, 10),
    all(10),
    `Regression: 8 of 10 cases broke; criterion booked; rules cases_worse, tcr max_drop; ${SEE}.`,
  ],
  [
    'what does not stop the release',
    FIRST,
    lost(4, 6),
    all(6),
    `Not enough evidence, which does not stop the release: 4 of 6 cases broke, which chance can explain; criterion booked; 1 of 2 rules open; \`--repeats 3\` can tell them from chance; ${SEE}.`,
  ],
  [
    'what stops it because the file says so',
    `${FIRST}\non_not_enough_evidence: fail`,
    lost(4, 6),
    all(6),
    `Not enough evidence, which stops the release: 4 of 6 cases broke, which chance can explain; criterion booked; open rule tcr max_drop; \`--repeats 3\` can tell them from chance; ${SEE}.`,
  ],
  [
    'cases that got better',
    FIRST,
    passing([0, 1, 1, 1]),
    passing([1, 0, 0, 1]),
    `Not enough evidence, which does not stop the release: 1 of 4 cases broke, 2 mended, which chance can explain; criterion booked; 2 of 2 rules open; \`--repeats 3\` can tell them from chance; ${SEE}.`,
  ],
  ['a pass', FIRST, all(80), all(80), 'Pass: no case of 80 broke; 2 rules kept.'],
  [
    'a missing case',
    FIRST,
    all(79),
    all(80),
    'Not enough evidence, which stops the release: no case of 79 broke; open rule missing_cases.',
  ],
  [
    'no baseline',
    'rules: { success_rate: { floor: 0.9 } }',
    lost(8, 10),
    undefined,
    'Regression: rule success_rate floor; see `npx assay show 2026-11-20-b case-0`.',
  ],
])('%s', (_, rules, now, before, expected) => {
  expect(sentence(rules, now, before)).toBe(expected);
});

test('the criterion that most cases lost is named', () => {
  const failing = (name: string): RunLine['evaluations'] => [
    { ...SUCCESS, verdicts: { ...SUCCESS.verdicts, [name]: 'fail' } },
  ];
  const now = all(12).map((line, index) => ({ ...line, evaluations: failing(index < 4 ? 'booked' : 'polite') }));

  expect(sentence(FIRST, now, all(12))).toContain('12 of 12 cases broke; criterion polite; ');
});
