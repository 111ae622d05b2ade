/**
 * Examples of a suite, as its author writes them beside it: a conversation, in a few lines or recorded, and what the suite has to say of
 * it. Everything expected knows its line, so that what is not so leads there.
 */
import type { Outcome, VerdictKind } from '../../model/evaluation.ts';
import type { Excerpt } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';

export interface SuiteTests {
  readonly file: string;
  /** The suite's file as the tests name it; undefined where it is the one beside them. */
  readonly suite: string | undefined;
  readonly tests: readonly SuiteTest[];
}

export interface SuiteTest {
  readonly name: string;
  readonly line: number | undefined;
  /** Chooses one of the suites of a module that has several. */
  readonly suite: string | undefined;
  readonly conversation: Excerpt | Recorded;
  /** Ground truth. */
  readonly truth: Json | undefined;
  /** Answers assumed of a judge, by criterion: no judge is asked. */
  readonly judges: ReadonlyMap<string, GivenAnswer>;
  readonly expected: Expected;
}

export interface Recorded {
  readonly is: 'recorded';
  /** Recording as `assay score` reads it; relative to the file of the tests. */
  readonly spans: string;
  /** Id of the conversation; undefined if the recording has only one. */
  readonly id: string | undefined;
  readonly line: number | undefined;
}

export interface GivenAnswer {
  readonly pass: boolean;
  readonly reason: string;
  readonly line: number | undefined;
}

export interface Expected {
  readonly verdicts: ReadonlyMap<string, ExpectedVerdict>;
  readonly score: Placed<number> | undefined;
  readonly outcome: Placed<Outcome> | undefined;
  /** Kind of the failure. */
  readonly because: Placed<string> | undefined;
  /** Whether the suite is for this conversation at all. */
  readonly applies: Placed<boolean>;
}

export interface ExpectedVerdict {
  readonly verdict: VerdictKind;
  /** Text that its reason contains. */
  readonly reason: string | undefined;
  readonly line: number | undefined;
}

interface Placed<T> {
  readonly value: T;
  readonly line: number | undefined;
}
