/**
 * An experiment: one version of an agent, run over the cases of a dataset and scored. It is kept in a folder of its
 * own, so that it can be carried from one machine to another, and a release be compared with the one before. Its shape
 * is that of the files as well.
 */
import { z } from 'zod';
import { NOT_APPLICABLE_HANDLINGS } from './decision.ts';
import { fromEvaluationJson, toEvaluationJson } from './evaluation-json.ts';
import type { Evaluation } from './evaluation.ts';
import { untilDecidedShape } from './until-decided.ts';
import { absent, millionths, writtenRecord } from './written-record.ts';

/** Suite that scored it: as much as is needed to read the evaluations without it. */
const suite = z.object({
  name: z.string(),
  version: z.string(),
  /** SHA-256, in hex, of its file. */
  fingerprint: z.string(),
  scope: z.enum(['conversation', 'turn']),
  /** Ids of its approved golden traces; absent in what was kept before they were. */
  golden: z.array(z.string()).readonly().exactOptional(),
  criteria: z
    .array(
      writtenRecord({
        name: z.string(),
        question: z.string(),
        weight: millionths,
        isCritical: z.boolean(),
        whenNotApplicable: z.enum(NOT_APPLICABLE_HANDLINGS),
      }),
    )
    .readonly(),
});
export type ExperimentSuite = Readonly<z.output<typeof suite>>;

export const experimentShape = writtenRecord({
  /** Unique id: its start, and random letters. */
  id: z.string().min(1),
  /** Name for people. Several may have the same name; the last one is meant then. */
  name: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Undefined while cases are left: it runs, or was interrupted. */
  endedAt: absent(z.string()),
  dataset: z.object({
    name: z.string(),
    version: z.string(),
    file: z.string(),
    fingerprint: z.string(),
    cases: z.int().min(0),
  }),
  agent: z.object({
    /** `recording`: nobody was asked; its conversations had been recorded. */
    kind: z.enum(['command', 'module', 'url', 'recording']),
    /** Agent as named on the command line; for a recording, its files. */
    target: z.string(),
    /** Version that its spans give; undefined until the first arrives. */
    version: absent(z.string()),
  }),
  /** Commit of the folder it was started in; undefined if that is no git checkout. */
  git: absent(writtenRecord({ commit: z.string(), branch: absent(z.string()), isDirty: z.boolean() })),
  suites: z.array(suite).readonly(),
  /** How often each case is run. */
  repeats: z.int().min(1),
  /** Handed to the agent with each run, different for each. */
  seed: z.number(),
  assayVersion: z.string(),
  /** Present if it ends as soon as a gate is decided. */
  untilDecided: untilDecidedShape.exactOptional(),
});
export type Experiment = Readonly<z.output<typeof experimentShape>>;

export const RUN_ENDS = ['completed', 'agent_failed', 'timed_out', 'no_spans'] as const;
/**
 * `completed`: the agent answered and its spans are there. `agent_failed`: it ended with an error, of its process or in
 * its answer; `timed_out`: it did not end in time. Their spans are scored all the same. `no_spans`: it answered, and
 * showed nothing of how.
 */
export type RunEnd = (typeof RUN_ENDS)[number];

/** Effort that the spans report; undefined if they do not. */
const effort = writtenRecord({
  steps: z.number(),
  llmCalls: z.number(),
  toolCalls: z.number(),
  inputTokens: absent(z.number()),
  outputTokens: absent(z.number()),
  costUsd: absent(z.number()),
});
export type RunEffort = Readonly<z.output<typeof effort>>;

const range = z.object({ from: z.int().min(0), to: z.int().min(0) });
export type FileRange = Readonly<z.output<typeof range>>;

const evaluation = z.codec(z.unknown(), z.custom<Evaluation>(), {
  decode: fromEvaluationJson,
  encode: toEvaluationJson,
});

/** A run of a case. */
export const caseRunShape = writtenRecord({
  case: z.string(),
  caseFingerprint: z.string(),
  tags: z.array(z.string()).readonly(),
  /** Number of the repeat, from 1. */
  repeat: z.int().min(1),
  /** Id of the scored conversation; the id that the run was given if there is none. */
  conversationId: z.string(),
  end: z.enum(RUN_ENDS),
  /** A sentence for a person: what went wrong, or what was odd. */
  problem: absent(z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  durationMs: z.number().min(0),
  /** Empty where no suite is for it, or nothing is there to be scored. */
  evaluations: z.array(evaluation).readonly(),
  effort,
  /** Range of its spans and log records in the experiment's files; undefined if there are none. */
  spans: absent(range),
  logs: absent(range),
});
export type CaseRun = Readonly<z.output<typeof caseRunShape>>;

export interface ExperimentResult {
  readonly experiment: Experiment;
  /** Runs in the order in which they ended. */
  readonly runs: readonly CaseRun[];
}
