/**
 * npm run bench -- validity --data <file> [--json]
 *
 * Tests whether Assay reports a task as done if it was done. The file holds conversations whose outcome is known, in
 * the form in which tau-bench publishes its trajectories: a list of
 *
 *     { task_id, trial, reward, traj: [messages of OpenAI's chat API],
 *       info: { task: { actions: [{name, kwargs}], outputs: [texts] } } }
 *
 * Each becomes spans like any recording of messages (`src/offline/messages`). A user message and everything up to the
 * next one is a turn, with a root span, a model call for each answer or request of tools, and a span for each tool
 * call. The simulated user's last message is left out if it holds the benchmark's sign that the conversation is over
 * (`###STOP###` and similar), because the agent need not answer it. The truth is `{ actions, outputs }` of the task, and
 * `complete`, because the reward looks at nothing else.
 * Everything is scored as by `assay score`, without configuration, in one recording.
 *
 * The data does not say which tools change something. The engine derives it from the tools' names
 * (`src/score/subject/effect-by-name.ts`), or from a file beside the data: for data.json, data.tools.yaml with
 * `{ writes: […], reads: […] }`, the section `tools` of a configuration.
 *
 * The numbers:
 *
 *     conversations           all elements of the file
 *     success                 the outcome of the pack `task-success` is `successful_completion`; no other outcome counts, nor
 *                             does `unscored`
 *     rewarded                `reward` is 1, give or take 10⁻⁶
 *     agreement               the share of conversations that are a success and rewarded, or neither
 *     false_success           how many are a success and not rewarded
 *     false_failure           how many are rewarded and no success
 *     auc_default             the area under the curve of the pack `default`: the chance that a rewarded conversation has a
 *                             higher score than one that is not, ties counting half. The score of a conversation is the mean
 *                             of the scores that the suite gave it (one for each turn in a suite of scope turn). A
 *                             conversation without a score gets the mean of the others, which is neutral. null if all rewards
 *                             are equal, or nothing is scored
 *     auc_best_without_truth  the greatest area among the suites that do not read truth: all built-in packs whose text has no
 *                             `truth` in it, and the policy of `examples/airline-policy`, if its `match` finds its agent.
 *                             Judges are not asked
 *
 * The notes (without --json) have the area of each suite, the conversations that the policy flags and how often that is
 * right, and the conversations on which the pack and the reward differ.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { loadSettings } from '../src/config/settings.ts';
import { understandRecorded } from '../src/engine/recorded/understand-recording.ts';
import type { Conversation } from '../src/model/conversation.ts';
import type { Evaluation, Outcome } from '../src/model/evaluation.ts';
import type { Json } from '../src/model/json.ts';
import type { ToolNames } from '../src/model/tool-names.ts';
import { requestOfMessages } from '../src/offline/messages/recorded-messages.ts';
import type { RecordedBatch } from '../src/engine/recorded/recorded-batch.ts';
import { recordedRequest } from '../src/offline/recording.ts';
import { scoreRecorded } from '../src/offline/score-recording.ts';
import { builtinPacks, loadSuites } from '../src/score/load-suites.ts';
import { areaUnderCurve } from '../src/statistics/calibrate/area-under-curve.ts';
import { saidOfConversations } from '../src/statistics/calibrate/said-of-conversations.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const BUILTIN = path.join(ROOT, 'suites');
const POLICY = path.join(ROOT, 'examples/airline-policy/airline-policy.yaml');
const TRUTH_PACK = 'task-success';
const ENDS_THE_SIMULATION = /###[A-Z-]+###/;

interface Element {
  readonly task_id: number | string;
  readonly trial: number;
  readonly reward: number;
  readonly traj: readonly { readonly role: string; readonly content?: unknown }[];
  readonly info: { readonly task: { readonly actions: Json; readonly outputs?: Json } };
}

interface Known {
  readonly id: string;
  readonly rewarded: boolean;
}

export interface ValidityRow {
  readonly name: string;
  readonly conversations: number;
  readonly agreement: number;
  readonly false_success: number;
  readonly false_failure: number;
  readonly auc_default: number | null;
  readonly auc_best_without_truth: number | null;
}

export async function benchValidity(
  file: string,
): Promise<{ readonly rows: readonly ValidityRow[]; readonly notes: readonly string[] }> {
  // The cast is the form of the file, as its README gives it.
  const elements = JSON.parse(readFileSync(file, 'utf8')) as readonly Element[];
  const known = elements.map(
    (element, at): Known => ({ id: idOf(element, at), rewarded: Math.abs(element.reward - 1) < 1e-6 }),
  );
  const evaluations = await evaluated(elements, file);
  const bySuite = Map.groupBy(evaluations, ({ suite }) => suite);
  const successes = new Set(
    (bySuite.get(TRUTH_PACK) ?? [])
      .filter(({ outcome }) => outcome === 'successful_completion')
      .map(({ conversationId }) => conversationId as string),
  );
  const falseSuccess = known.filter(({ id, rewarded }) => !rewarded && successes.has(id));
  const falseFailure = known.filter(({ id, rewarded }) => rewarded && !successes.has(id));
  const areas = new Map([...bySuite].map(([suite, of]) => [suite, areaOf(of, known)]));
  const without = [...areas].flatMap(([suite, area]) => (suite === TRUTH_PACK || area === undefined ? [] : [area]));
  const row: ValidityRow = {
    name: 'validity',
    conversations: known.length,
    agreement: rounded((known.length - falseSuccess.length - falseFailure.length) / known.length),
    false_success: falseSuccess.length,
    false_failure: falseFailure.length,
    auc_default: areas.get('default') ?? null,
    auc_best_without_truth: without.length === 0 ? null : Math.max(...without),
  };
  const differing = (of: readonly Known[]) => of.map(({ id }) => id).join(', ') || 'none';
  const notes = [
    `${known.filter(({ rewarded }) => rewarded).length} rewarded`,
    `false success: ${differing(falseSuccess)}; false failure: ${differing(falseFailure)}`,
    ...[...areas].map(([suite, area]) => `area under the curve of ${suite}: ${area ?? 'none'}`),
    ...flagged(bySuite.get('airline-policy') ?? [], known),
  ];
  return { rows: [row], notes };
}

export interface TauSaid {
  readonly task: number;
  readonly isRewarded: boolean;
  /** The worst that the suite `default` says of a turn. */
  readonly called: Outcome;
}

export async function saidOfTau(file: string): Promise<readonly TauSaid[]> {
  // The cast is the form of the file, as its README gives it.
  const elements = JSON.parse(readFileSync(file, 'utf8')) as readonly Element[];
  const evaluations = (await evaluated(elements, file)).filter(({ suite }) => suite === 'default');
  const called = new Map(saidOfConversations(evaluations).map((said) => [said.conversationId, said.outcome]));
  return elements.map((element, at) => ({
    task: Number(element.task_id),
    isRewarded: Math.abs(element.reward - 1) < 1e-6,
    called: called.get(idOf(element, at)) ?? 'unscored',
  }));
}

export interface TauConversation {
  readonly task: number;
  readonly isRewarded: boolean;
  readonly conversation: Conversation;
}

export async function conversationsOfTau(file: string): Promise<readonly TauConversation[]> {
  // The cast is the form of the file, as its README gives it.
  const elements = JSON.parse(readFileSync(file, 'utf8')) as readonly Element[];
  const { conversations } = await understandRecorded(batchesOf(elements, file));
  const byId = new Map(conversations.map((one) => [one.id as string, one]));
  return elements.flatMap((element, at) => {
    const conversation = byId.get(idOf(element, at));
    if (conversation === undefined) return [];
    return [{ task: Number(element.task_id), isRewarded: Math.abs(element.reward - 1) < 1e-6, conversation }];
  });
}

async function evaluated(elements: readonly Element[], file: string): Promise<readonly Evaluation[]> {
  const { settings } = loadSettings({ flags: {}, env: {}, cwd: BUILTIN });
  const packs = (await builtinPacks(BUILTIN)).filter((pack) => pack === TRUTH_PACK || !readsTruth(pack));
  const { suites, mistakes } = await loadSuites([...packs, POLICY], {
    baseDir: ROOT,
    builtinDir: BUILTIN,
    tools: toolsBeside(file),
  });
  if (mistakes.length > 0) throw new Error(`the suites have mistakes: ${JSON.stringify(mistakes)}`);
  return (await scoreRecorded({ batches: batchesOf(elements, file), suites, settings })).evaluations;
}

/**
 * Sequential: each model call contains all messages before it, so many conversations at once would take much memory.
 */
function* batchesOf(elements: readonly Element[], file: string): Generator<RecordedBatch> {
  for (const [at, element] of elements.entries()) {
    const request = requestOfMessages({ value: recordedAs(element, at), place: file, lineNumber: at + 1 });
    if (request !== undefined) yield* recordedRequest(request, `${file}: element ${at}`);
  }
}

function recordedAs(element: Element, at: number): Json {
  const { traj, info } = element;
  const last = traj.at(-1);
  const isOver = last?.role === 'user' && ENDS_THE_SIMULATION.test(String(last.content));
  // The cast holds: it was read from JSON.
  const messages = (isOver ? traj.slice(0, -1) : traj) as readonly Json[];
  const { actions, outputs = [] } = info.task;
  return {
    conversation_id: idOf(element, at),
    case: String(element.task_id),
    messages,
    truth: { actions, outputs, complete: true },
  };
}

/** The position distinguishes duplicates in a file. */
function idOf({ task_id: task, trial }: Element, at: number): string {
  return `${task}-${trial}/${at}`;
}

function readsTruth(pack: string): boolean {
  const text = readFileSync(path.join(BUILTIN, `${pack}.yaml`), 'utf8');
  return /\btruth\b/.test(text.replaceAll(/#.*/g, ''));
}

function toolsBeside(file: string): ToolNames | undefined {
  try {
    // The cast is the form of the section `tools`; an absent list declares nothing.
    return parse(readFileSync(file.replace(/\.json$/, '.tools.yaml'), 'utf8')) as ToolNames;
  } catch {
    // The file does not exist.
    return undefined;
  }
}

function areaOf(evaluations: readonly Evaluation[], known: readonly Known[]): number | undefined {
  const said = saidOfConversations(evaluations);
  const means = new Map(
    said.flatMap(({ conversationId, score }) => (score === undefined ? [] : [[conversationId, score]])),
  );
  if (means.size === 0) return undefined;
  const unknown = mean([...means.values()]);
  const area = areaUnderCurve(
    known.map(({ id, rewarded }) => ({ score: means.get(id) ?? unknown, isPositive: rewarded })),
  );
  return area === undefined ? undefined : rounded(area);
}

/** A conversation is flagged if a criterion of the policy failed. */
function flagged(evaluations: readonly Evaluation[], known: readonly Known[]): readonly string[] {
  if (evaluations.length === 0) return [];
  const failed = new Set(known.filter(({ rewarded }) => !rewarded).map(({ id }) => id));
  const all = new Set<string>();
  const byCriterion = new Map<string, Set<string>>();
  for (const { conversationId, verdicts } of evaluations) {
    for (const [criterion, { verdict }] of verdicts) {
      if (verdict !== 'fail') continue;
      all.add(conversationId);
      byCriterion.set(criterion, (byCriterion.get(criterion) ?? new Set()).add(conversationId));
    }
  }
  const rightOf = (ids: ReadonlySet<string>) => [...ids].filter((id) => failed.has(id)).length;
  const right = rightOf(all);
  return [
    `policy: ${all.size} flagged, ${right} of them failed: precision ${rounded(right / all.size)}, recall ${rounded(right / failed.size)}`,
    ...[...byCriterion].map(([criterion, ids]) => `  ${criterion}: ${ids.size} flagged, ${rightOf(ids)} failed`),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
