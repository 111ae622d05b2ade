/** The example agent over the real SDK and exporter, up to turns and conversations. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentRun, runSchedulingAgent } from '../../examples/scheduling-agent/run.ts';
import { FAULTS } from '../../examples/scheduling-agent/faults.ts';
import { scenarioOf } from '../../examples/scheduling-agent/scenarios.ts';
import { buildConversation } from '../../src/assemble/build-conversation.ts';
import { buildTurns } from '../../src/assemble/build-turns.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { Turn } from '../../src/model/turn.ts';
import { normalize } from '../../src/normalize/normalize.ts';
import { type JsonRequest, tracesIn } from '../normalize/support/otlp.ts';

const CONVERSATIONS = 60;
const requests: JsonRequest[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    // The cast is what the exporter sends: OTLP/JSON.
    requests.push(JSON.parse(Buffer.concat(chunks).toString()) as JsonRequest);
    response.setHeader('content-type', 'application/json').end('{}');
  });
});

async function run(regress: typeof FAULTS | readonly []): Promise<AgentRun> {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the test server does not listen');
  return await runSchedulingAgent({
    endpoint: `http://127.0.0.1:${address.port}`,
    conversations: CONVERSATIONS,
    rate: 2000,
    version: regress.length > 0 ? 'v2' : 'v1',
    environment: 'test',
    seed: 3,
    regress,
    regressRate: 0.8,
    regressAfter: { conversations: 5 },
    modelLatencyMs: 0,
  });
}

function conversationsIn(received: readonly JsonRequest[]): ReadonlyMap<string, Conversation> {
  const turns = tracesIn(received, []).flatMap((trace) => buildTurns(normalize(trace)));
  const byId = Map.groupBy(turns, (turn: Turn) => turn.conversationId ?? 'none');
  // The cast is the brand: these are ids of conversations.
  return new Map([...byId].map(([id, list]) => [id, buildConversation(id as ConversationId, list)]));
}

let healthy: AgentRun;
let regressed: AgentRun;
let conversations: ReadonlyMap<string, Conversation>;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  healthy = await run([]);
  regressed = await run(FAULTS);
  conversations = conversationsIn(requests);
});
afterAll(() => server.close());

function conversation(id: string): Conversation {
  const found = conversations.get(id);
  if (found === undefined) throw new Error(`conversation ${id} did not arrive`);
  return found;
}

describe('a healthy version', () => {
  test('books what was asked for, tells the user, and says how it ended', () => {
    for (const [number, { conversationId, turns }] of healthy.conversations.entries()) {
      const found = conversation(conversationId);
      const { truth, hasConflict } = scenarioOf(3, number);
      const last = found.turns.at(-1);

      expect(found.turns).toHaveLength(turns);
      expect(found.truth).toEqual(truth);
      expect(found.state).toMatchObject({
        conversation_stage: 'completed',
        scheduling_context: {
          booking_confirmed: true,
          booked_event: { time: truth.time, duration: truth.duration },
          conflicts: hasConflict ? [expect.anything()] : [],
        },
      });
      expect(bookedIn(found).participants?.toSorted()).toEqual(truth.participants.toSorted());
      expect([last?.ended, last?.error, last?.finalAnswer.text.startsWith('Done: ')]).toEqual([true, undefined, true]);
      expect(found.agent).toMatchObject({ name: 'scheduling-agent', version: 'v1' });
      expect(found.turns.flatMap((turn) => turn.flags)).toEqual([]);
      expect(found.turns.every((turn) => turn.toolCalls.every((call) => call.answered && call.requestedBy))).toBe(true);
    }
  });
});

describe('a version that regressed', () => {
  const withFault = (fault: string | undefined) => regressed.conversations.filter((ran) => ran.fault === fault);

  test('shows every fault, and none before its moment', () => {
    for (const fault of FAULTS) expect(withFault(fault).length, fault).toBeGreaterThan(2);
    expect(regressed.conversations.slice(0, 5).map(({ fault }) => fault)).toEqual(Array(5).fill(undefined));
  });

  test('books other people, or another time', () => {
    for (const ran of withFault('wrong-participant')) {
      const found = conversation(ran.conversationId);
      const { participants } = found.truth as { participants: readonly string[] };
      expect(bookedIn(found).participants?.toSorted()).not.toEqual(participants.toSorted());
    }
    for (const ran of withFault('wrong-time')) {
      const found = conversation(ran.conversationId);
      expect(bookedIn(found).time).not.toBe((found.truth as { time: string }).time);
    }
  });

  test('crashes without an answer', () => {
    for (const ran of withFault('silent-crash')) {
      const last = conversation(ran.conversationId).turns.at(-1);
      expect([last?.error?.type, last?.finalAnswer.state, last?.ended]).toEqual(['500', 'missing', true]);
    }
  });

  test('offers no alternatives, or loops', () => {
    for (const ran of withFault('skip-alternatives')) {
      const { state } = conversation(ran.conversationId);
      expect(state).toMatchObject({
        scheduling_context: { conflicts: [expect.anything()], proposed_alternatives: [] },
      });
    }
    for (const ran of withFault('loop')) {
      const [first] = conversation(ran.conversationId).turns;
      const checks = first?.toolCalls.filter((call) => call.name === 'check_availability') ?? [];
      expect(new Set(checks.map((call) => call.args.text)).size).toBe(1);
      expect(checks.length).toBeGreaterThan(5);
    }
  });
});

function bookedIn(found: Conversation): { readonly participants?: readonly string[]; readonly time?: string } {
  // The cast is the state that the agent records.
  const state = found.state as {
    scheduling_context: { booked_event: { participants: string[]; time: string } | null };
  };
  return state.scheduling_context.booked_event ?? {};
}
