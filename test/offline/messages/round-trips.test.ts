/**
 * Spans, written in each format and read again, have the same verdicts. Formats have no tree of spans: a turn of nothing
 * but a model call that asks for a tool is none that the suite judges, and comes back as one that it does.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { WRITERS } from '../../../src/cli/conversations-as.ts';
import type { RecordedBatch } from '../../../src/engine/recorded/recorded-batch.ts';
import { readRecording, recordedRequest } from '../../../src/offline/recording.ts';
import { scoreRecorded } from '../../../src/offline/score-recording.ts';
import type { PlainConversation } from '../../../src/reader/plain-conversation.ts';
import { readConversations } from '../../../src/reader/read-conversations.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import { builtinSuites, defaultSettings } from '../../engine/log-driver.ts';
import { filesOf, recordedRuns } from '../../normalize/recorded/compare.ts';

/** Two behaviours of each framework. */
const RUNS = recordedRuns().filter((run) => /\/(?:meeting_tool_error_recovery|support_subagent)$/.test(run));

let suites: readonly CompiledSuite[];
beforeAll(async () => {
  suites = await builtinSuites(['default']);
});

async function verdicts(batches: readonly RecordedBatch[]): Promise<readonly object[]> {
  const { evaluations } = await scoreRecorded({ batches, suites, settings: defaultSettings() });
  return evaluations.map(({ outcome, score, verdicts: given }) => ({
    outcome,
    score,
    verdicts: Object.fromEntries(Object.entries(given).map(([criterion, { verdict }]) => [criterion, verdict])),
  }));
}

async function batchesOf(run: string): Promise<readonly RecordedBatch[]> {
  const batches: RecordedBatch[] = [];
  for (const file of filesOf(run)) for await (const batch of readRecording(file)) batches.push(batch);
  return batches;
}

function readBack(conversations: readonly PlainConversation[], format: string): readonly RecordedBatch[] {
  return conversations.flatMap((conversation, at) =>
    recordedRequest(JSON.stringify(WRITERS[format]?.(conversation)), `recorded/${at}`),
  );
}

test.each(RUNS)('%s', { timeout: 30_000 }, async (run) => {
  const expected = await verdicts(await batchesOf(run));
  const conversations = readConversations(filesOf(run).map((file) => readFileSync(file)));

  for (const format of ['atif', 'messages', 'responses']) {
    const found = await verdicts(readBack(conversations, format));
    if (found.length === expected.length) expect(found, format).toEqual(expected);
    else expect(conversations.flatMap(({ turns }) => turns).some(isLoneCall), `${format}: turns`).toBe(true);
  }
});

function isLoneCall({ model_calls: calls, final_answer: answer }: PlainConversation['turns'][number]): boolean {
  return calls.length === 1 && answer === null;
}

test('ATIF carries models, tokens and times besides', () => {
  const run = 'strands@1.19.0/meeting_success';
  const [before] = readConversations(filesOf(run).map((file) => readFileSync(file)));
  const [batch] = readBack(before === undefined ? [] : [before], 'atif');
  const [after] = readConversations(batch?.bytes ?? new Uint8Array());

  const { conversation_id, agent, agent_version, environment, user_id, instructions } = before ?? {};
  expect(after).toMatchObject({ conversation_id, agent, agent_version, environment, user_id, instructions });
  expect(turnsIn(after)).toEqual(turnsIn(before));
});

function turnsIn(conversation: PlainConversation | undefined): readonly object[] {
  return (conversation?.turns ?? []).map(({ user_input, final_answer, tool_calls, model_calls }) => ({
    ...{ user_input, final_answer },
    tools: tool_calls.map(({ name, args, result, answered, asked_by }) => ({ name, args, result, answered, asked_by })),
    models: model_calls.map(({ model, text, reasoning, tokens: used, started_at }) => ({
      ...{ model, text, reasoning, started_at },
      tokens: [used?.input, used?.output, used?.cached_input],
    })),
  }));
}
