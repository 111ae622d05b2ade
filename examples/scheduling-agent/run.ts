/** Runs conversations of the example agent at a given rate, some of them with a fault, and reports what was run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inConversation } from '../../src/instrument/instrument.ts';
import { SchedulingAgent } from './agent.ts';
import { chooseFault, FAILS, type Fault } from './faults.ts';
import { seededRandom } from './random.ts';
import { scenarioOf, type Scenario } from './scenarios.ts';
import { ModelError, ScriptedModel } from './scripted-model.ts';
import { startTelemetry } from './telemetry.ts';

export interface AgentRunOptions {
  /** Base URL of an OTLP/HTTP receiver. */
  readonly endpoint: string;
  readonly conversations: number;
  /** Conversations begun per second. */
  readonly rate: number;
  readonly version: string;
  readonly environment: string;
  readonly seed: number;
  readonly regress: readonly Fault[];
  /** The share of conversations that go wrong, once faults begin. */
  readonly regressRate: number;
  readonly regressAfter: RegressAfter;
  /** Approximate duration of a model call. */
  readonly modelLatencyMs: number;
  readonly signal?: AbortSignal;
}

export type RegressAfter = { readonly conversations: number } | { readonly seconds: number };

export interface ConversationRun {
  readonly conversationId: string;
  readonly scenario: Scenario['name'];
  readonly turns: number;
  readonly fault: Fault | undefined;
  /** The criteria that should fail; none for a healthy conversation. */
  readonly fails: readonly string[];
}

export interface AgentRun {
  readonly version: string;
  readonly conversations: readonly ConversationRun[];
}

export async function runSchedulingAgent(options: AgentRunOptions): Promise<AgentRun> {
  const telemetry = startTelemetry(options);
  try {
    const startedAtMs = performance.now();
    const running: Promise<ConversationRun>[] = [];
    for (let number = 0; number < options.conversations && options.signal?.aborted !== true; number++) {
      const dueMs = startedAtMs + (number * 1000) / options.rate - performance.now();
      if (dueMs > 1) await sleep(dueMs);
      const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
      running.push(converse(options, number, elapsedSeconds));
    }
    return { version: options.version, conversations: await Promise.all(running) };
  } finally {
    await telemetry.stop();
  }
}

async function converse(options: AgentRunOptions, number: number, elapsedSeconds: number): Promise<ConversationRun> {
  const scenario = scenarioOf(options.seed, number);
  const fault = faultOf(options, scenario, number, elapsedSeconds);
  const model = new ScriptedModel({
    random: seededRandom(options.seed, number, 2),
    fault,
    latencyMs: options.modelLatencyMs,
  });
  const { calendar, userId, truth } = scenario;
  const agent = new SchedulingAgent({ model, calendar, version: options.version, userId });
  // Two versions with one seed have the same users, but not the same conversations.
  const conversationId = `${scenario.conversationId}-${options.version}`;
  let turns = 0;
  try {
    for (const text of scenario.says) {
      turns += 1;
      const isLast = turns === scenario.says.length;
      await inConversation({ id: conversationId, truth }, () => agent.answer(text, { isLast }));
    }
  } catch (error) {
    // A fault: the user sees nothing. Any other error is a mistake of the example.
    if (!(error instanceof ModelError)) throw error;
  }
  return { conversationId, scenario: scenario.name, turns, fault, fails: fault === undefined ? [] : FAILS[fault] };
}

function faultOf(options: AgentRunOptions, scenario: Scenario, number: number, seconds: number): Fault | undefined {
  const { regressAfter } = options;
  const isHealthyYet =
    'conversations' in regressAfter ? number < regressAfter.conversations : seconds < regressAfter.seconds;
  if (isHealthyYet) return undefined;
  const { regress: faults, regressRate: rate } = options;
  return chooseFault(seededRandom(options.seed, number, 1), { faults, rate, hasConflict: scenario.hasConflict });
}
