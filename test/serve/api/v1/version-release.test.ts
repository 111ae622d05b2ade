/** Which conversations a release goes by. */
import { expect, test } from 'vitest';
import type { SuiteOutline } from '../../../../src/engine/suite-outline.ts';
import type { Outcome } from '../../../../src/model/evaluation.ts';
import type { LatestEvaluation } from '../../../../src/serve/api/v1/latest-evaluations.ts';
import { releaseJson } from '../../../../src/serve/api/v1/version-release.ts';

const HOUR_MS = 3_600_000;
// Parts that are not read here.
const SUITE = { name: 's', about: 'task', criteria: [] } as unknown as SuiteOutline;
const ASKED = { a: 'v1', b: 'v2', smallest: 0.05, evidence: 1, cases: undefined, raced: undefined };

let number = 0;

/** Conversations with these outcomes, in random order within some hours. */
function of(
  agentVersion: string,
  outcomes: { readonly [of in Outcome]?: number },
  hours: readonly [number, number] = [0, 24],
) {
  const all = Object.entries(outcomes).flatMap(([outcome, count]) =>
    Array.from({ length: count }, () => outcome as Outcome),
  );
  const [from, to] = hours;
  return all.map((outcome, index): LatestEvaluation => {
    number += 1;
    return {
      ...{ conversation: number, user: number, agent: 'shop', agentVersion, environment: 'e', segment: '', kind: '' },
      at: (from + ((index * 7919) % all.length) * ((to - from) / all.length)) * HOUR_MS,
      ...{
        score: undefined,
        outcome,
        because: undefined,
        verdicts: new Map(),
        subAgents: undefined,
        used: { steps: 1 },
      },
    } as unknown as LatestEvaluation;
  });
}

function found(evaluations: readonly LatestEvaluation[], isCut = false) {
  return { evaluations, others: 0, isCut };
}

const WELL = { successful_completion: 950, hard_failure: 50 };

test('a version that hands everything over is not promoted by the rest', () => {
  const a = of('v1', { ...WELL, handed_over: 50 });
  const b = of('v2', { successful_completion: 900, hard_failure: 47, handed_over: 2100 });
  const same = releaseJson(SUITE, { a: found(a), b: found(of('v2', { ...WELL, handed_over: 50 })) }, ASKED);
  const release = releaseJson(SUITE, { a: found(a), b: found(b) }, ASKED);

  expect(same.decision).toBe('promote');
  expect(release).toMatchObject({
    decision: 'hold',
    sentence: expect.stringContaining('69 % of the conversations of v2 were handed over or not scored'),
  });
});

test('a version without scores is not promoted either', () => {
  const a = of('v1', { ...WELL, unscored: 100 });
  const b = of('v2', { ...WELL, unscored: 500 });

  expect(releaseJson(SUITE, { a: found(a), b: found(b) }, ASKED).decision).toBe('hold');
});

test('of a version that was cut, hours that are left out do not count for the other', () => {
  const night = { successful_completion: 120, hard_failure: 80 };
  const day = { successful_completion: 190, hard_failure: 10 };
  const a = of('v1', { successful_completion: 950, hard_failure: 50 }, [12, 24]);
  const b = [...of('v2', night, [0, 12]), ...of('v2', day, [12, 24])];

  const release = releaseJson(SUITE, { a: found(a, true), b: found(b) }, ASKED);

  expect(release.evidence.traffic).toBeLessThan(2);
  expect(release.sentence).toMatch(/\((?:19\d|200) conversations beside \d+\)/);
});

test('a gate that found a regression rolls back whatever traffic says, and good cases hide no bad canary', () => {
  const sides = { a: found(of('v1', WELL)), b: found(of('v2', WELL)) };
  const bad = { a: found(of('v1', WELL)), b: found(of('v2', { successful_completion: 200, hard_failure: 100 })) };

  expect(releaseJson(SUITE, sides, { ...ASKED, cases: 'worse' }).decision).toBe('roll_back');
  expect(releaseJson(SUITE, sides, { ...ASKED, cases: 'kept' }).decision).toBe('promote');
  expect(releaseJson(SUITE, bad, { ...ASKED, evidence: 1e-9 })).toMatchObject({ decision: 'roll_back' });
});

test('a name that nobody sent is named', () => {
  const release = releaseJson(SUITE, { a: found(of('v1', WELL)), b: found([]) }, ASKED);

  expect(release).toMatchObject({
    decision: 'hold',
    sentence: expect.stringContaining('no conversation of version v2 is known in this time'),
  });
});
