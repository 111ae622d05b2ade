/**
 * One run of a case:
 *
 *   planned    -- a place is free --------------------------------------> started
 *   started    -- the agent answers ------------------------------------> answered
 *   started    -- it ends with an error --------------------------------> failed
 *   started    -- its time is over, and its processes are ended --------> timed out
 *   started    -- Ctrl-C a second time, or the whole is given up -------> planned
 *   answered, failed, timed out
 *              -- its spans are complete, or not waited for any more ---> shown
 *   shown      -- suites and judges have said what they say ------------> scored
 *   scored     -- its spans and its line are on disk -------------------> kept
 *
 * Only `kept` counts as done. Effects of a crash of Assay, a kill -9 or a power cut, and of `--resume` after it:
 *
 *   planned                     nothing was lost
 *   started up to scored        planned again: the agent is asked once more, in a conversation of another id. A command
 *                               that the crash left running goes on until it ends by itself, and its spans are ignored
 *   while it is written         its line is whole and on disk, then it is kept; else it is cut off with its spans, and planned again
 *   kept                        never run again
 *
 * This file leads from `started` to `scored`; `run-experiment.ts` from `planned` to `started`, and from `scored` to
 * `kept`.
 */
import { randomBytes } from 'node:crypto';
import type { Settings } from '../../config/settings.ts';
import type { AgentEnd, AgentPlace, GivenRun } from '../../agent-runner/agent.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import type { CaseRun, RunEnd } from '../../model/experiment.ts';
import { type TraceId, tryParseTraceId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import { errorMessage } from '../../model/error-message.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import type { RunContent } from '../../store/experiment/read-experiment.ts';
import { truthOfCase } from '../datasets/case-truth.ts';
import type { OfflineJudges } from '../offline-judges.ts';
import { scoreRecorded } from '../score-recording.ts';
import type { RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { redactBatches } from '../recording.ts';
import { MemorySpool } from '../../engine/recorded/recording-log.ts';
import { understandRecorded } from '../../engine/recorded/understand-recording.ts';
import { asOwnConversation } from './own-conversation.ts';
import { effortOf } from './run-effort.ts';
import { type InboxArrival, RunInbox } from './run-inbox.ts';
import { newConversationId, type PlannedRun } from './run-plan.ts';
import { type ShownRun, spansOfMessages } from './shown-messages.ts';
import type { SpanRoutes } from './span-routes.ts';

export interface CaseRunning {
  readonly experiment: string;
  readonly settings: Settings;
  readonly suites: readonly CompiledSuite[];
  /** Judges for judged criteria; without them, such criteria are skipped. */
  readonly judges: OfflineJudges | undefined;
  readonly redaction: RedactionRules | undefined;
  readonly timeoutMs: number;
  readonly settleMs: number;
  /** How long spans that are not there yet are waited for, beyond that: exporters try again where nobody answers at first. */
  readonly spansWithinMs: number;
  /** Ends what is in flight. */
  readonly abandon: AbortSignal;
}

/** Place of the run. */
export interface RunPlace {
  readonly agent: AgentPlace;
  readonly routes: SpanRoutes;
  readonly otlpEndpoint: string;
}

export interface ScoredRun {
  readonly run: Omit<CaseRun, 'spans' | 'logs'>;
  readonly content: RunContent;
  /** Version of the agent in its spans. */
  readonly agentVersion: string | undefined;
  readonly isUnreachable: boolean;
}

/** Agents may say what they like. */
const PROBLEM_MAX = 4_000;

/** Undefined where it was abandoned: it is planned as before. */
export async function runCase(
  planned: PlannedRun,
  place: RunPlace,
  running: CaseRunning,
): Promise<ScoredRun | undefined> {
  const { agent, routes, otlpEndpoint } = place;
  const given = givenRun(planned, { otlpEndpoint, experiment: running.experiment });
  const inbox = new RunInbox(given.traceparents.map(spanIdOf));
  routes.begin(inbox, {
    conversationId: given.conversationId,
    traceIds: given.traceparents.map(traceIdOf).filter((id) => id !== undefined),
  });
  const startedAt = new Date();
  const startedAtMs = performance.now();
  try {
    const timeout = AbortSignal.timeout(running.timeoutMs);
    const end = await agent.run(given, AbortSignal.any([running.abandon, timeout]));
    const durationMs = Math.round(performance.now() - startedAtMs);
    if (end.ended === 'interrupted' && running.abandon.aborted) return undefined;
    for (const name of namesIn(end.answers)) routes.alsoKnownAs(inbox, name);
    const messages = spansShown({ ...end, ...given, startedAtMs: startedAt.getTime() });
    const arrival = await inbox.arrived({
      settleMs: end.spans === 'sent' ? 0 : running.settleMs,
      // Spans that were still in a process which is gone won't come, and who shows messages has none to send.
      withinMs: running.settleMs + (end.spans === 'lost' || messages !== undefined ? 0 : running.spansWithinMs),
      signal: running.abandon,
    });
    if (running.abandon.aborted) return undefined;
    const leftRunning = await agent.clear();
    const isShown = inbox.batches.length === 0 && messages !== undefined;
    const exported = isShown ? await redacted(messages.batches, running.redaction) : inbox.batches;
    const seen = await seenIn(exported, { given, idKeys: running.settings.conversation.idKeys });
    const main = mainOf(seen.conversations, given.conversationId);
    const all = main === undefined ? [] : await scored(planned, seen.batches, running);
    if (all === undefined) return undefined;
    // Comparisons take one conversation a run; those under other names are kept, and the run says so.
    const evaluations = all.filter(({ conversationId }) => conversationId === main?.id);
    const runEnd = runEndOf(end, main);
    const problems = [
      problemOf(end, runEnd, { timeoutMs: running.timeoutMs, records: rowsIn(exported) }),
      isShown ? messages.problem : seen.problem,
      !isShown && main !== undefined ? incomplete(arrival) : undefined,
      seen.named.length > 1 && main !== undefined
        ? `its spans name ${seen.named.length} conversations, and ${main.id} alone is scored`
        : undefined,
      inbox.leftOut > 0 ? `${inbox.leftOut} spans and log records were too much to be kept` : undefined,
      leftRunning,
    ].filter((problem) => problem !== undefined);
    return {
      run: {
        case: planned.case.id,
        caseFingerprint: planned.case.fingerprint,
        tags: planned.case.tags,
        repeat: planned.repeat,
        conversationId: main?.id ?? given.conversationId,
        end: runEnd,
        problem: problems.length === 0 ? undefined : problems.join('; ').slice(0, PROBLEM_MAX).toWellFormed(),
        startedAt: startedAt.toISOString(),
        durationMs,
        evaluations,
        effort: effortOf(seen.conversations),
      },
      content: { traces: bytesOf(seen.batches, 'traces'), logs: bytesOf(seen.batches, 'logs') },
      agentVersion: main?.agent.version,
      isUnreachable: end.ended === 'failed' && end.isUnreachable,
    };
  } finally {
    routes.end(inbox);
  }
}

function givenRun(
  planned: PlannedRun,
  { otlpEndpoint, experiment }: { readonly otlpEndpoint: string; readonly experiment: string },
): GivenRun {
  const { id, turns, tags } = planned.case;
  const traceparent = () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
  return {
    case: id,
    repeat: planned.repeat,
    seed: planned.seed,
    conversationId: newConversationId(experiment, planned),
    turns,
    tags,
    traceparents: turns.map(traceparent),
    otlpEndpoint,
  };
}

/** The agent's own id of the conversation, if its answers give one. */
function namesIn(answers: readonly Json[]): readonly string[] {
  return answers.flatMap((answer) => {
    if (typeof answer !== 'object' || answer === null || !('conversation_id' in answer)) return [];
    return typeof answer.conversation_id === 'string' ? [answer.conversation_id] : [];
  });
}

/** Undefined where it has none. */
function spansShown(run: ShownRun) {
  try {
    const batches = spansOfMessages(run);
    return batches === undefined ? undefined : { batches, problem: undefined };
  } catch (error) {
    return { batches: [], problem: `its messages could not be understood: ${errorMessage(error)}` };
  }
}

interface Seen {
  readonly batches: readonly RecordedBatch[];
  /** The conversations that its spans name. */
  readonly named: readonly string[];
  readonly conversations: readonly Conversation[];
  readonly problem: string | undefined;
}

/** A run that cannot be understood, by a mistake of ours, must not end all others. */
async function seenIn(
  exported: readonly RecordedBatch[],
  { given, idKeys }: { readonly given: GivenRun; readonly idKeys: readonly string[] },
): Promise<Seen> {
  try {
    const givenParents = given.traceparents.map(spanIdOf);
    const own = await asOwnConversation(exported, { conversationId: given.conversationId, givenParents, idKeys });
    const options = { conversationKeys: idKeys, spool: new MemorySpool() };
    const { conversations } = await understandRecorded(own.batches, options);
    return { ...own, conversations, problem: undefined };
  } catch (error) {
    const problem = `its spans could not be understood: ${errorMessage(error)}`;
    return { batches: exported, named: [], conversations: [], problem };
  }
}

/** Header of W3C trace context: 00-<trace id>-<span id>-01. */
function traceIdOf(traceparent: string): TraceId | undefined {
  return tryParseTraceId(traceparent.split('-')[1] ?? '');
}

function spanIdOf(traceparent: string): string {
  return traceparent.split('-')[2] ?? '';
}

async function redacted(
  batches: readonly RecordedBatch[],
  rules: RedactionRules | undefined,
): Promise<readonly RecordedBatch[]> {
  const taken: RecordedBatch[] = [];
  for await (const batch of redactBatches(batches, rules)) taken.push(batch);
  return taken;
}

/** Undefined where judges did not get to answer because it is abandoned. */
async function scored(
  planned: PlannedRun,
  batches: readonly RecordedBatch[],
  { settings, suites, judges, abandon }: CaseRunning,
): Promise<readonly Evaluation[] | undefined> {
  const truth = truthOfCase(planned.case);
  try {
    return (await scoreRecorded({ batches, settings, suites, judges, truthOf: () => truth })).evaluations;
  } catch (error) {
    if (abandon.aborted) return undefined;
    throw error;
  }
}

function runEndOf(end: AgentEnd, conversation: Conversation | undefined): RunEnd {
  switch (end.ended) {
    case 'answered':
      return conversation === undefined ? 'no_spans' : 'completed';
    case 'failed':
      return 'agent_failed';
    case 'interrupted':
      return 'timed_out';
  }
}

function problemOf(
  end: AgentEnd,
  runEnd: RunEnd,
  { timeoutMs, records }: { readonly timeoutMs: number; readonly records: number },
): string | undefined {
  switch (end.ended) {
    case 'answered':
      if (runEnd !== 'no_spans') return end.oddity;
      return records === 0
        ? 'it answered, and no span came'
        : `it answered, and of ${records} spans and log records none shows a model call, a tool call or an agent`;
    case 'failed':
      return end.problem;
    case 'interrupted': {
      const problem = `it did not end within ${timeoutMs / 1000} s`;
      return end.lastSaid === '' ? problem : `${problem}; it said: ${end.lastSaid}`;
    }
  }
}

function incomplete(arrival: InboxArrival): string | undefined {
  return arrival === 'incomplete' ? 'its spans are not complete: a root or a parent never came' : undefined;
}

/** Conversation with the name that the run was given, else the one with most steps. */
function mainOf(conversations: readonly Conversation[], given: string): Conversation | undefined {
  const named = conversations.find(({ id }) => id === given);
  return named ?? conversations.toSorted((a, b) => stepsIn(b) - stepsIn(a))[0];
}

function stepsIn({ turns }: Conversation): number {
  return turns.reduce((sum, turn) => sum + turn.steps.length, 0);
}

function bytesOf(batches: readonly RecordedBatch[], signal: RecordedBatch['signal']): readonly Uint8Array[] {
  return batches.filter((batch) => batch.signal === signal).map(({ bytes }) => bytes);
}

function rowsIn(batches: readonly RecordedBatch[]): number {
  return batches.reduce((sum, { rows }) => sum + rows, 0);
}
