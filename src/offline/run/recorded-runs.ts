/**
 * Recorded conversations as the runs of an experiment: each is a run of the case that one of its attributes names. The conversations of a case
 * are its repeats, in the order in which they began.
 *
 * A case is known again by its name and its truth: what users said differs from run to run. With a dataset, the truth and the fingerprint are those
 * of its case, so that recordings and `assay run` can be compared.
 */
import { checkedTruth } from '../../engine/truth-files.ts';
import type { Settings } from '../../config/settings.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { Dataset, DatasetCase } from '../../model/dataset.ts';
import type { CaseRun } from '../../model/experiment.ts';
import type { TraceId } from '../../model/ids.ts';
import { knowing } from '../../assemble/build-conversation.ts';
import { splitByTrace } from '../../receive/split-by-trace.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import type { RunContent } from '../../store/experiment/read-experiment.ts';
import { caseFingerprint } from '../datasets/read-dataset.ts';
import { truthOfCase } from '../datasets/case-truth.ts';
import type { OfflineJudges } from '../offline-judges.ts';
import type { RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { redactRecorded } from '../recording.ts';
import { scoreRecorded } from '../score-recording.ts';
import { understandRecorded } from '../../engine/recorded/understand-recording.ts';
import { effortOf } from './run-effort.ts';

interface RecordedRunsWanted {
  readonly batches: AsyncIterable<RecordedBatch>;
  readonly suites: readonly CompiledSuite[];
  readonly settings: Settings;
  /** The attribute that names the case. */
  readonly caseBy: string;
  /** Truth and fingerprints of the cases; conversations of others are left out. */
  readonly dataset: Dataset | undefined;
  readonly judges: OfflineJudges | undefined;
}

interface RecordedRun {
  readonly run: Omit<CaseRun, 'spans' | 'logs'>;
  readonly content: RunContent;
}

export interface RecordedRuns {
  /** Runs in the order of the cases' names, then of the repeats. */
  readonly runs: readonly RecordedRun[];
  readonly cases: readonly Pick<DatasetCase, 'id' | 'fingerprint'>[];
  readonly agentVersion: string | undefined;
  /** Conversations that name no case, or none of the dataset. */
  readonly leftOut: readonly string[];
  /** Attributes that could have named a case. */
  readonly attributes: readonly string[];
}

export async function recordedRuns(wanted: RecordedRunsWanted): Promise<RecordedRuns> {
  const { suites, settings, dataset, judges } = wanted;
  const batches: RecordedBatch[] = [];
  for await (const batch of redactRecorded(wanted.batches, settings)) batches.push(batch);
  const { conversations } = await understandRecorded(batches, { conversationKeys: settings.conversation.idKeys });
  const cases = casesIn(conversations, wanted);
  const truths = new Map<string, DatasetCase | undefined>();
  for (const { of, conversations: runs } of cases) for (const { id } of runs) truths.set(id, of);
  const { evaluations } = await scoreRecorded({
    batches,
    suites,
    settings,
    judges,
    ...(dataset !== undefined && {
      truthOf: (id) => {
        const one = truths.get(id);
        return one && truthOfCase(one);
      },
    }),
  });
  const evaluationsOf = Map.groupBy(evaluations, ({ conversationId }) => conversationId);
  const contentOf = contentByTrace(batches);
  const runs = cases.flatMap(({ id, fingerprint, of, conversations: ofCase }) =>
    ofCase.map((conversation, index): RecordedRun => {
      const run = runOf(conversation, { id, fingerprint, tags: of?.tags ?? [], repeat: index + 1 });
      const content = contentOf(conversation);
      return { run: { ...run, evaluations: evaluationsOf.get(conversation.id) ?? [] }, content };
    }),
  );
  const known = new Set(truths.keys());
  return {
    runs,
    cases: cases.map(({ id, fingerprint }) => ({ id, fingerprint })),
    agentVersion: conversations.findLast(({ agent }) => agent.version !== undefined)?.agent.version,
    leftOut: conversations.filter(({ id }) => !known.has(id)).map(({ id }) => id),
    attributes: [...new Set(conversations.flatMap(({ attributes }) => [...attributes.keys()]))].sort(),
  };
}

interface RecordedCase {
  readonly id: string;
  readonly fingerprint: string;
  /** Undefined without a dataset. */
  readonly of: DatasetCase | undefined;
  readonly conversations: readonly Conversation[];
}

function casesIn(
  conversations: readonly Conversation[],
  { caseBy, dataset, settings }: RecordedRunsWanted,
): readonly RecordedCase[] {
  const written = checkedTruth(settings.truth);
  const byCase = Map.groupBy(conversations, ({ attributes }) => attributes.get(caseBy)?.toString());
  return [...byCase]
    .flatMap(([id, found]): RecordedCase[] => {
      const of = dataset?.cases.find((one) => one.id === id);
      const inOrder = found.toSorted((a, b) => a.startedAtMs - b.startedAtMs || (a.id < b.id ? -1 : 1));
      const [first] = inOrder;
      if (id === undefined || first === undefined || (dataset !== undefined && of === undefined)) return [];
      const { truth } = knowing(first, written?.find(first) ?? []);
      const fingerprint = of?.fingerprint ?? caseFingerprint({ turns: [id], truth, golden: undefined });
      return [{ id, fingerprint, of, conversations: inOrder }];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function runOf(
  conversation: Conversation,
  known: {
    readonly id: string;
    readonly fingerprint: string;
    readonly tags: readonly string[];
    readonly repeat: number;
  },
): Omit<CaseRun, 'spans' | 'logs' | 'evaluations'> {
  const { error } = conversation.turns.at(-1) ?? {};
  return {
    case: known.id,
    caseFingerprint: known.fingerprint,
    tags: known.tags,
    repeat: known.repeat,
    conversationId: conversation.id,
    end: error === undefined ? 'completed' : 'agent_failed',
    problem: error && `its last turn ended with an error: ${error.message}`,
    startedAt: new Date(conversation.startedAtMs).toISOString(),
    durationMs: Math.max(0, Math.round(conversation.endedAtMs - conversation.startedAtMs)),
    effort: effortOf([conversation]),
  };
}

/** The spans and log records of a conversation, out of requests that hold those of many. */
function contentByTrace(batches: readonly RecordedBatch[]): (conversation: Conversation) => RunContent {
  const parts = batches.flatMap((batch) =>
    splitByTrace(batch, { bytesMax: Number.POSITIVE_INFINITY }).map((part) => ({ ...part, signal: batch.signal })),
  );
  const byTrace = Map.groupBy(parts, ({ traceId }) => traceId);
  return ({ turns }) => {
    const traces = new Set<TraceId>(
      turns.flatMap(({ traceId, steps }) => [traceId, ...steps.map((step) => step.traceId)]),
    );
    const own = [...traces].flatMap((traceId) => byTrace.get(traceId) ?? []);
    const bytesOf = (signal: RecordedBatch['signal']) =>
      own.filter((part) => part.signal === signal).map(({ bytes }) => bytes);
    return { traces: bytesOf('traces'), logs: bytesOf('logs') };
  };
}
