/** Tests of learned criteria: the conversations in which each was found, and one that went well. */
import { parse, stringify } from 'yaml';
import type { LearnedCriterion } from '../learn/learned.ts';
import type { ReadCase } from '../learn/read-case.ts';
import { writtenTest } from '../learn/written-test.ts';
import type { Conversation } from '../model/conversation.ts';
import { retell } from '../mutate/retell.ts';
import { evaluate } from '../score/suite/evaluate.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';

const OF_EACH = 2;

export function testsOf(
  suite: CompiledSuite,
  best: readonly { readonly criterion: LearnedCriterion }[],
  cases: readonly ReadCase[],
): { readonly text: string; readonly tests: number; readonly untold: readonly string[] } {
  const failing = best.flatMap(({ criterion: { failsOn } }) =>
    failsOn.filter((at) => cases[at]?.isBad === true).slice(0, OF_EACH),
  );
  const isFired = new Set(best.flatMap(({ criterion }) => criterion.failsOn));
  const fine = cases.findIndex(({ isBad }, at) => !isBad && !isFired.has(at));
  const chosen = new Set([...failing, ...(fine < 0 ? [] : [fine])]);
  const written = new Map(
    [...chosen].map((at) => [at, cases[at] === undefined ? [] : testOf(suite, cases[at].conversation)] as const),
  );
  const tests = [...written.values()].flat();
  const isShown = (at: number) => (written.get(at) ?? []).length > 0;
  const untold = best.flatMap(({ criterion: { name, failsOn } }) => (failsOn.some(isShown) ? [] : name));
  return { text: stringify({ tests }, { lineWidth: 0 }), tests: tests.length, untold };
}

/** None where a few lines do not hold what was recorded. */
function testOf(suite: CompiledSuite, conversation: Conversation): readonly unknown[] {
  const excerpt = retell(conversation);
  if (typeof excerpt === 'string') return [];
  const evaluation = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
  const written = writtenTest({ conversation, excerpt, evaluation, suite });
  if (typeof written === 'string') return [];
  // The cast is what such a text holds.
  return (parse(written.text) as { readonly tests: readonly unknown[] }).tests;
}
