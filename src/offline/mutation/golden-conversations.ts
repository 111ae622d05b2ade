/**
 * Conversations that may be taken for what they should be, from wherever there are some: the tests of suites, recordings, experiments and golden traces.
 * Whether a suite finds nothing wrong with one is for `mutate-suites.ts` to see.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { knowing } from '../../assemble/build-conversation.ts';
import type { Conversation } from '../../model/conversation.ts';
import { BARE_EXCERPT, type Excerpt } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';
import type { Mistake } from '../../model/mistake.ts';
import type { MutationGolden } from '../../model/mutation.ts';
import { goldenExcerpt } from '../../score/trajectory/golden-excerpt.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { excerptRequest } from '../../score/suite-test/excerpt-request.ts';
import { FILES, readExperiment } from '../../store/experiment/read-experiment.ts';
import { retell } from '../../mutate/retell.ts';
import { truthOfCase } from '../datasets/case-truth.ts';
import { readDataset } from '../datasets/read-dataset.ts';
import type { RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { readRecording, recordedRequest, redactBatches } from '../recording.ts';
import { readyTests, type SuiteTestOptions } from '../suite-tests.ts';
import type { WrittenTruth } from '../../engine/truths.ts';
import { MemorySpool } from '../../engine/recorded/recording-log.ts';
import { understandRecorded } from '../../engine/recorded/understand-recording.ts';

export interface GoldenConversation {
  readonly golden: MutationGolden;
  /** Conversation as recorded, with its ground truth. */
  readonly conversation: Conversation;
  /** The conversation in a few lines, or the reason why that is impossible. */
  readonly excerpt: Excerpt | string;
}

/** Conversations of a suite's own. */
interface OwnConversations {
  readonly bySuite: ReadonlyMap<string, readonly GoldenConversation[]>;
  readonly mistakes: readonly Mistake[];
}

export async function fromSuiteTests(files: readonly string[], options: SuiteTestOptions): Promise<OwnConversations> {
  const { ready, mistakes } = await readyTests(files, options);
  const bySuite = new Map<string, GoldenConversation[]>();
  for (const { file, suite, test, conversation } of ready) {
    const golden = { name: test.name, from: file };
    const excerpt = test.conversation.is === 'excerpt' ? asAsked(test.conversation, suite) : retell(conversation);
    const own = bySuite.get(suite.name) ?? [];
    bySuite.set(suite.name, [...own, { golden, conversation, excerpt }]);
  }
  return { bySuite, mistakes };
}

/** A suite that asks turn by turn is asked about the last one. */
function asAsked(excerpt: Excerpt, { scope }: CompiledSuite): Excerpt {
  return scope === 'turn' ? { ...excerpt, turns: excerpt.turns.slice(-1) } : excerpt;
}

export async function fromRecordings(
  files: readonly string[],
  { conversationKeys, redaction, truth }: Pick<SuiteTestOptions, 'conversationKeys' | 'redaction'> & KnownTruth,
): Promise<readonly GoldenConversation[]> {
  const found: GoldenConversation[] = [];
  for (const file of files) {
    const { conversations } = await understandRecorded(redactBatches(readRecording(file), redaction), {
      conversationKeys,
    });
    for (const conversation of conversations) {
      const truths = truth?.find(conversation) ?? [];
      const known = truths.length === 0 ? conversation : knowing(conversation, truths);
      found.push({ golden: { name: known.id, from: file }, conversation: known, excerpt: retell(known) });
    }
  }
  return found;
}

interface KnownTruth {
  readonly truth: WrittenTruth | undefined;
}

/** The truth is the dataset's, where it still lies where it lay; a case that was changed since has none. */
export async function fromExperiment(
  folder: string,
  { conversationKeys, baseDir }: Pick<SuiteTestOptions, 'conversationKeys' | 'baseDir'>,
): Promise<{ readonly conversations: readonly GoldenConversation[]; readonly lacksTruth: boolean }> {
  const { experiment, runs } = readExperiment(folder);
  const file = path.resolve(baseDir, experiment.dataset.file);
  const dataset = existsSync(file) ? readDataset(file).dataset : undefined;
  const truths = new Map<string, Json>();
  for (const run of runs) {
    const same = dataset?.cases.find(({ id, fingerprint }) => id === run.case && fingerprint === run.caseFingerprint);
    const truth = same === undefined ? undefined : truthOfCase(same);
    if (truth !== undefined) truths.set(run.conversationId, truth);
  }
  const { conversations } = await understandRecorded(spansIn(folder), { conversationKeys });
  const cases = new Map(runs.map((run) => [run.conversationId, `${run.case}, repeat ${run.repeat}`]));
  return {
    lacksTruth: dataset === undefined,
    conversations: conversations.map((conversation) => {
      const truth = truths.get(conversation.id);
      const known = truth === undefined ? conversation : knowing(conversation, [truth]);
      const golden = { name: cases.get(conversation.id) ?? conversation.id, from: `experiment ${experiment.name}` };
      return { golden, conversation: known, excerpt: retell(known) };
    }),
  };
}

async function* spansIn(folder: string): AsyncGenerator<RecordedBatch> {
  for (const name of [FILES.spans, FILES.logs]) {
    const file = path.join(folder, name);
    if (existsSync(file)) yield* readRecording(file);
  }
}

/** Examples that follow the golden traces of a suite. */
export async function fromGoldenTraces(suite: CompiledSuite): Promise<readonly GoldenConversation[]> {
  const found: GoldenConversation[] = [];
  for (const trace of suite.golden?.traces ?? []) {
    const golden = { name: `golden trace ${trace.id}`, from: trace.file };
    const excerpt = goldenExcerpt(trace);
    // A trace that cannot be told as an excerpt has an empty conversation.
    const conversation = await understood(typeof excerpt === 'string' ? EMPTY : excerpt);
    found.push({ golden, conversation, excerpt });
  }
  return found;
}

const EMPTY: Excerpt = {
  ...BARE_EXCERPT,
  turns: [{ user: undefined, calls: [], answer: undefined, finish: 'stop', error: undefined, state: undefined }],
};

/** The way of every conversation: from spans to turns. */
export async function understood(excerpt: Excerpt): Promise<Conversation> {
  const batches = recordedRequest(excerptRequest(excerpt, undefined), 'example');
  const { conversations } = await understandRecorded(batches, { conversationKeys: [], spool: new MemorySpool() });
  const [conversation] = conversations;
  if (conversation === undefined) throw new Error('example: spans of an example were not understood');
  return conversation;
}
