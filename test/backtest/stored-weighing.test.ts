/** Stored evaluations that are weighed from their verdicts, each kind once. */
import { afterAll, expect, test } from 'vitest';
import { StoredWeighing } from '../../src/backtest/stored-weighing.ts';
import type { Ending } from '../../src/model/ending.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import type { ScannedEvaluation } from '../../src/store/evaluation-scan.ts';
import { removeDirectories, suiteOf } from './recorded.ts';

const SUITE = `suite: calls
scope: conversation
crash: by_criteria
criteria:
  - { name: few, question: Few calls?, weight: 0.5, check: size(tool_calls) < 6 }
  - { name: clean, question: No errors?, weight: 0.5, check: "!steps.exists(s, s.error != null)" }
`;

afterAll(removeDirectories);

function scanned({ definition }: CompiledSuite, ending: Ending, basis = `${definition.id} 1 00`): ScannedEvaluation {
  return {
    row: 1,
    conversation: 1,
    turnId: '',
    suiteVersion: '1',
    revision: 1,
    score: 1_000_000,
    outcome: 'successful_completion',
    labels: '{"agent":"a","agent_version":"1","environment":"e"}',
    basis,
    ending,
    createdAt: 0,
    because: undefined,
    seen: {
      at: undefined,
      steps: undefined,
      costNanos: undefined,
      tokens: undefined,
      durationMs: undefined,
      beganAt: undefined,
      userKey: undefined,
      kindKey: undefined,
    },
  };
}

test('evaluations that differ only in how the conversation ended are weighed apart', async () => {
  const live = await suiteOf(SUITE);
  const changed = await suiteOf(SUITE.replace('by_criteria', 'hard_failure'));
  const weighing = new StoredWeighing({ changed, live, judge: () => undefined });

  const results = (['no_answer', 'answered', 'no_answer'] as const).map((ending) =>
    weighing.weigh(scanned(live, ending)),
  );

  expect(results.map((result) => typeof result === 'object' && result.after.outcome)).toEqual([
    'hard_failure',
    'no_fault_found',
    'hard_failure',
  ]);
  expect(results[2]).toBe(results[0]);
});

test('says why one cannot be weighed', async () => {
  const live = await suiteOf(SUITE);
  const asksAnother = await suiteOf(SUITE.replace('< 6', '< 5'));
  const looks = await suiteOf(`${SUITE}outcomes: [{ outcome: hard_failure, when: size(turns) > 1 }]\n`);
  const by = (changed: CompiledSuite) => new StoredWeighing({ changed, live, judge: () => undefined });

  expect(by(live).weigh(scanned(live, 'answered', '0123456789abcdef 1 00'))).toBe('other_version');
  expect(by(live).weigh({ ...scanned(live, 'answered'), basis: undefined })).toBe('no_verdicts_kept');
  expect(by(asksAnother).weigh(scanned(live, 'answered'))).toBe('other_question');
  expect(by(looks).weigh(scanned(live, 'answered'))).toBe('reads_conversation');
});
