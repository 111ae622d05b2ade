/** The plain load of the benchmarks is understood whole, in each dialect: it would measure something else otherwise. */
import { expect, test } from 'vitest';
import { PLAIN_DIALECTS, plainRequests } from '../../bench/plain-traffic.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import type { Turn } from '../../src/model/turn.ts';
import { understandRecorded } from '../../src/engine/recorded/understand-recording.ts';
import { encodeTable } from '../../src/otlp/batch-table.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';

const TRACES = 300;

async function understood() {
  const requests = [...plainRequests({ seed: 1, traces: TRACES })];
  const batches = requests.map(({ json }) => {
    const bytes = transcodeTraces(Buffer.from(json));
    const index = indexTraces(bytes);
    return {
      signal: 'traces' as const,
      bytes,
      table: encodeTable(index),
      rows: index.spanCount,
      rejected: 0,
      logTime: 0,
    };
  });
  const { conversations } = await understandRecorded(batches);
  return { requests, conversations, turns: conversations.flatMap(({ turns }) => turns) };
}

test('every turn has its question, its answer, and its calls with arguments and results', async () => {
  const { requests, conversations, turns } = await understood();

  expect(turns).toHaveLength(TRACES);
  expect(conversations.length).toBeLessThan(TRACES / 2);
  const dialects = Map.groupBy(turns, dialectOf);
  expect([...dialects.keys()].toSorted()).toEqual(PLAIN_DIALECTS.map((_, index) => index));
  for (const all of dialects.values()) expect(all.flatMap(lacksOf)).toEqual([]);
  const sizes = requests.map(({ spans }) => spans);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
  expect(sizes.reduce((sum, size) => sum + size) / sizes.length).toBeGreaterThan(20);
});

test('about 4 % of the turns fail something', async () => {
  const { turns } = await understood();

  const failing = turns.filter(
    ({ finalAnswer, toolCalls }) => finalAnswer.text === '' || toolCalls.some(({ error }) => error !== undefined),
  );

  expect(failing.length / TRACES).toBeGreaterThan(0.02);
  expect(failing.length / TRACES).toBeLessThan(0.07);
});

/** An agent has one dialect. */
function dialectOf({ conversationId = '' }: Turn): number {
  return Number(conversationId.split('-')[2]) % PLAIN_DIALECTS.length;
}

function lacksOf(turn: Turn): readonly string[] {
  const { userInput, finalAnswer, toolCalls, llmCalls, agent, usage } = turn;
  const isFailing = toolCalls.some(({ error }) => error !== undefined);
  return [
    ...(userInput.text.length >= 200 ? [] : [`question ${userInput.text}`]),
    ...(finalAnswer.text.length >= 200 || (finalAnswer.text === '' && !isFailing) ? [] : ['answer']),
    ...(llmCalls === toolCalls.length + 1 ? [] : [`calls ${llmCalls} ${toolCalls.length}`]),
    ...(toolCalls.every(({ args }) => typeof args.json === 'object') ? [] : ['arguments']),
    ...(isFailing || toolCalls.every(({ result }) => result.text.includes('free')) ? [] : ['result']),
    ...(agent.name === undefined ? ['agent'] : []),
    ...(usage === undefined ? ['usage'] : []),
  ].map((what) => `${turn.conversationId}: ${what}`);
}
