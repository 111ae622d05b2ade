/**
 * A conversation in a few lines: what was said, which tools were called with what and what came of it. `score/suite-test/excerpt-request.ts` makes the spans of
 * it that an agent would have exported.
 */
import type { Json } from './json.ts';

export interface Excerpt {
  readonly is: 'excerpt';
  readonly agent: string | undefined;
  readonly version: string | undefined;
  readonly environment: string | undefined;
  readonly attributes: ReadonlyMap<string, string | number | boolean>;
  /** Instructions of the agent; not recorded if absent. */
  readonly instructions?: string | undefined;
  readonly state: Json | undefined;
  readonly turns: readonly ExcerptTurn[];
}

export const BARE_EXCERPT = {
  is: 'excerpt',
  ...{ agent: undefined, version: undefined, environment: undefined, state: undefined },
  attributes: new Map<string, string>(),
} as const satisfies Omit<Excerpt, 'turns'>;

export interface ExcerptTurn {
  /** Not recorded where it is not given. */
  readonly user: string | undefined;
  /** Calls in groups, one after the other; the calls of a group ran side by side. */
  readonly calls: readonly (readonly ExcerptCall[])[];
  /** Answer; undefined if there was none. */
  readonly answer: string | undefined;
  /** Why the model stopped, where it is known; `length` is that it was cut off. */
  readonly finish: 'stop' | 'length' | undefined;
  readonly error: string | undefined;
  readonly state: Json | undefined;
  /** Facts of its model calls: for each group of calls, which may be empty, and then for the answer. */
  readonly models?: readonly ExcerptModelCall[];
}

/** Facts of a model call that were recorded besides what it said. */
export interface ExcerptModelCall {
  readonly startedAtMs: number | undefined;
  /** Text beside no call. */
  readonly said: string | undefined;
  readonly reasoning: string | undefined;
  readonly model: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly costUsd: number | undefined;
}

export interface ExcerptCall {
  readonly tool: string;
  readonly args: Json;
  /** Not recorded where it is not given. */
  readonly result: Json | undefined;
  readonly error: string | undefined;
  /** True if no span shows that the call ended. */
  readonly isOpen?: boolean;
  /** Text that the model wrote beside a group of calls; on the first of them. */
  readonly said?: string | undefined;
}
