/** Whether the turns of a conversation are kept until it is scored, because a suite may ask for all of it. */
import { expect, test } from 'vitest';
import { SuiteMatching } from '../../src/engine/suite-matching.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';

/** As much of a suite as is asked here. */
function suite(scope: CompiledSuite['scope'], asksTurns: boolean): CompiledSuite {
  // The cast holds for what `mayNeedWhole` reads.
  return { scope, matchesTurn: asksTurns ? () => true : undefined } as unknown as CompiledSuite;
}

const OF_TURNS = suite('turn', true);
const OF_SOME = suite('conversation', true);
const OF_ANY = suite('conversation', false);

function mayNeedWhole(suites: readonly CompiledSuite[], matchedBy: readonly CompiledSuite[] | undefined): boolean {
  // Nothing else is asked of the parts.
  return new SuiteMatching({ suites } as unknown as ConstructorParameters<typeof SuiteMatching>[0]).mayNeedWhole(
    matchedBy,
  );
}

test.each([
  ['its turns are for suites of turns alone', [OF_TURNS, OF_SOME], [OF_TURNS], false],
  ['there are only such suites', [OF_TURNS], [OF_TURNS], false],
  ['a turn is for a suite of whole conversations', [OF_TURNS, OF_SOME], [OF_TURNS, OF_SOME], true],
  ['a suite does not say of single turns whether it is for them', [OF_TURNS, OF_ANY], [OF_TURNS], true],
  ['its turns may be parts of turns', [OF_TURNS, OF_SOME], undefined, true],
] as const)('a conversation of which %s', (_, suites, matchedBy, may) => {
  expect(mayNeedWhole(suites, matchedBy)).toBe(may);
});
