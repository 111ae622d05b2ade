/**
 * `assay/vitest`: suites and golden traces as assertions.
 *
 *     const run = await conversationOf(() => agent.answer('Book half an hour with Ana.'), { truth: { participants: ['ana'] } });
 *     await expectConversation(run).toPass('scheduling');
 *     await expect(run).toFollowGolden('gt_001', { suite: 'tickets.yaml' });
 *
 * Importing it teaches `expect` the matchers. They are asynchronous: a test in which one is not awaited fails.
 */
import { expect } from 'vitest';
import type { Evaluation } from '../model/evaluation.ts';
import { awaitedAssertion } from './awaited-assertion.ts';
import type { CapturedConversation, ConversationOptions, PrivateEndpoint } from './conversation-of.ts';
import type { GoldenOptions, Matched, PassOptions } from './matchers.ts';
import { scoring } from './scoring.ts';
import type { Subject, SubjectOfTest, SubjectOptions } from './subject-of-test.ts';

export { CapturingSpanProcessor } from './capture.ts';
export type { CapturedConversation, ConversationOptions, PrivateEndpoint } from './conversation-of.ts';
export type { GoldenOptions, PassOptions } from './matchers.ts';
export type { Subject, SubjectOptions } from './subject-of-test.ts';

export interface ConversationMatchers {
  /** No criterion of the suite fails; or what the options say instead. Judges are not asked. */
  toPassSuite(suite: string, options?: PassOptions & SubjectOptions): Promise<void>;
  /** The criterion fails, or each of several; where none is named, any. */
  toFailSuite(suite: string, criteria?: string | readonly string[], options?: SubjectOptions): Promise<void>;
  /** The steps, the answer and the budget are those of the golden trace. */
  toFollowGolden(id: string, options?: GoldenOptions & SubjectOptions): Promise<void>;
}

declare global {
  // Vitest's own `Matchers` has other type parameters in each major version, and a declaration of it fits one of them.
  // Each takes Chai's assertions as well, which have none.
  namespace Chai {
    interface Assertion extends ConversationMatchers {}
  }
}

expect.extend({
  toPassSuite: (subject: unknown, suite: string, options: PassOptions & SubjectOptions = {}) =>
    asserted('toPassSuite', async () => {
      const { passesSuite } = await scoring();
      return passesSuite(await subjectGiven(subject, options), suite, options);
    }),
  toFailSuite: (
    subject: unknown,
    suite: string,
    criteria: string | readonly string[] = [],
    options: SubjectOptions = {},
  ) =>
    asserted('toFailSuite', async () => {
      const { failsSuite } = await scoring();
      return failsSuite(
        await subjectGiven(subject, options),
        suite,
        typeof criteria === 'string' ? [criteria] : criteria,
      );
    }),
  toFollowGolden: (subject: unknown, id: string, options: GoldenOptions & SubjectOptions = {}) =>
    asserted('toFollowGolden', async () => {
      const { followsGolden } = await scoring();
      return followsGolden(await subjectGiven(subject, options), id, options);
    }),
});

function asserted(matcher: string, work: () => Promise<Matched>): Promise<Matched> {
  return awaitedAssertion(`expect(…).${matcher}(…)`, work());
}

export interface ConversationExpectation {
  toPass(suite: string, options?: PassOptions): Promise<void>;
  toFail(suite: string, criteria?: string | readonly string[]): Promise<void>;
  toFollowGolden(id: string, options?: GoldenOptions): Promise<void>;
}

/** Result of `conversationOf`, or a file of recorded spans, as `assay score` reads it. */
export function expectConversation(subject: Subject, options: SubjectOptions = {}): ConversationExpectation {
  // Returns the matchers' result unchanged, because they see by it whether it is awaited.
  return {
    toPass: (suite, more = {}) => expect(subject).toPassSuite(suite, { ...options, ...more }),
    toFail: (suite, criteria = []) => expect(subject).toFailSuite(suite, criteria, options),
    toFollowGolden: (id, more = {}) => expect(subject).toFollowGolden(id, { ...options, ...more }),
  };
}

/** Evaluations of a suite to inspect, as `assay score` would give them. */
export async function evaluationsOf(
  subject: Subject,
  suite: string,
  options: SubjectOptions = {},
): Promise<readonly Evaluation[]> {
  const given = await subjectGiven(subject, options);
  return given.evaluations(await given.suites(suite));
}

/**
 * Runs an agent and keeps what it exports meanwhile, from this process through `CapturingSpanProcessor`, or from another one over the endpoint that
 * the function is given if it takes an argument. Throws what the function throws, and where nothing was exported.
 */
export async function conversationOf<T>(
  run: ((endpoint: PrivateEndpoint) => T | PromiseLike<T>) | (() => T | PromiseLike<T>),
  options: ConversationOptions = {},
): Promise<CapturedConversation<T>> {
  return (await scoring()).conversationOf(run, options);
}

async function subjectGiven(subject: unknown, options: SubjectOptions): Promise<SubjectOfTest> {
  const { SubjectOfTest } = await scoring();
  if (typeof subject === 'string') return new SubjectOfTest(subject, options);
  if (typeof subject === 'object' && subject !== null && 'batches' in subject) {
    // The cast holds: nothing but `conversationOf` makes something with batches.
    return new SubjectOfTest(subject as Exclude<Subject, string>, options);
  }
  throw new TypeError('expected what conversationOf gave (is it awaited?), or the name of a file of recorded spans');
}
