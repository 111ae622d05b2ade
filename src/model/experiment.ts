/**
 * An experiment: one version of an agent, run over the cases of a dataset and scored. It is kept in a folder of its
 * own, so that it can be carried from one machine to another, and a release be compared with the one before.
 */
import type { NotApplicableHandling } from './decision.ts';
import type { Evaluation, Millionths, SuiteScope } from './evaluation.ts';
import type { UntilDecided } from './until-decided.ts';

export interface Experiment {
  /** Unique id: its start, and random letters. */
  readonly id: string;
  /** Name for people. Several may have the same name; the last one is meant then. */
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Undefined while cases are left: it runs, or was interrupted. */
  readonly endedAt: string | undefined;
  readonly dataset: {
    readonly name: string;
    readonly version: string;
    readonly file: string;
    readonly fingerprint: string;
    readonly cases: number;
  };
  readonly agent: {
    /** `recording`: nobody was asked; its conversations had been recorded. */
    readonly kind: 'command' | 'module' | 'url' | 'recording';
    /** Agent as named on the command line; for a recording, its files. */
    readonly target: string;
    /** Version that its spans give; undefined until the first arrives. */
    readonly version: string | undefined;
  };
  /** Commit of the folder it was started in; undefined if that is no git checkout. */
  readonly git: { readonly commit: string; readonly branch: string | undefined; readonly isDirty: boolean } | undefined;
  readonly suites: readonly ExperimentSuite[];
  /** How often each case is run. */
  readonly repeats: number;
  /** Handed to the agent with each run, different for each. */
  readonly seed: number;
  readonly assayVersion: string;
  /** Present if it ends as soon as a gate is decided. */
  readonly untilDecided?: UntilDecided;
}

/** Suite that scored it: as much as is needed to read the evaluations without it. */
export interface ExperimentSuite {
  readonly name: string;
  readonly version: string;
  /** SHA-256, in hex, of its file. */
  readonly fingerprint: string;
  readonly scope: SuiteScope;
  /** Ids of its approved golden traces; absent in what was kept before they were. */
  readonly golden?: readonly string[];
  readonly criteria: readonly {
    readonly name: string;
    readonly question: string;
    readonly weight: Millionths;
    readonly isCritical: boolean;
    readonly whenNotApplicable: NotApplicableHandling;
  }[];
}

export const RUN_ENDS = ['completed', 'agent_failed', 'timed_out', 'no_spans'] as const;
/**
 * `completed`: the agent answered and its spans are there. `agent_failed`: it ended with an error, of its process or in
 * its answer; `timed_out`: it did not end in time. Their spans are scored all the same. `no_spans`: it answered, and
 * showed nothing of how.
 */
export type RunEnd = (typeof RUN_ENDS)[number];

/** A run of a case. */
export interface CaseRun {
  readonly case: string;
  readonly caseFingerprint: string;
  readonly tags: readonly string[];
  /** Number of the repeat, from 1. */
  readonly repeat: number;
  /** Id of the scored conversation; the id that the run was given if there is none. */
  readonly conversationId: string;
  readonly end: RunEnd;
  /** A sentence for a person: what went wrong, or what was odd. */
  readonly problem: string | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Empty where no suite is for it, or nothing is there to be scored. */
  readonly evaluations: readonly Evaluation[];
  readonly effort: RunEffort;
  /** Range of its spans and log records in the experiment's files; undefined if there are none. */
  readonly spans: FileRange | undefined;
  readonly logs: FileRange | undefined;
}

/** Effort that the spans report; undefined if they do not. */
export interface RunEffort {
  readonly steps: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly costUsd: number | undefined;
}

export interface FileRange {
  readonly from: number;
  readonly to: number;
}

export interface ExperimentResult {
  readonly experiment: Experiment;
  /** Runs in the order in which they ended. */
  readonly runs: readonly CaseRun[];
}
