/**
 * A conversation that shows whether a service receives and scores: sent as an agent would send it, under the name of an
 * agent that nobody has.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type ConversationItem, conversationList } from '../../api/conversation-list.ts';
import { requestOfMessages } from '../../offline/messages/recorded-messages.ts';
import { TEST_AGENT } from '../../model/agent-labels.ts';
import { Heartbeat } from '../heartbeat.ts';
import { ask, type AskedService, askResponse, reading, writing } from '../running-service.ts';
import type { Terminal } from '../terminal.ts';

/** A turn is scored ten seconds after its last span, unless the service is set otherwise. */
const SCORED_WITHIN_MS = 90_000;
const ASK_EVERY_MS = 1_000;
const SENT_WITHIN_MS = 10_000;

interface Receiver extends AskedService {
  readonly otlp: string;
  readonly writeToken: string | undefined;
}

export async function sendTestConversation({ otlp, writeToken }: Receiver): Promise<string> {
  const id = `${TEST_AGENT}-${randomUUID().slice(0, 8)}`;
  const call = { id: 'call-1', type: 'function', function: { name: 'look_up_order', arguments: '{"order":17}' } };
  const value = {
    conversation_id: id,
    agent: TEST_AGENT,
    version: '1',
    environment: 'test',
    started_at: new Date().toISOString(),
    messages: [
      { role: 'user', content: 'Where is order 17?' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call-1', content: '{"order":17,"status":"shipped"}' },
      { role: 'assistant', content: 'Order 17 has shipped.' },
    ],
  };
  const body = requestOfMessages({ value, place: id, lineNumber: 0 }) ?? '';
  const headers = { 'content-type': 'application/json', ...reading(writeToken).headers };
  await (
    await askResponse(new URL('/v1/traces', otlp), {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(SENT_WITHIN_MS),
    })
  ).arrayBuffer();
  return id;
}

/** It is nobody's conversation, so it is gone afterwards. False where the service did not do that. */
export async function forgetTestConversation(
  id: string,
  { url, writeToken }: Receiver & AskedService,
): Promise<boolean> {
  const asked = writing('POST', { conversation: id }, writeToken);
  return ask(new URL('/api/v1/forget', url), asked).then(
    () => true,
    () => false,
  );
}

/** Undefined if it was not scored in time. */
export async function untilScored(
  id: string,
  { url, token }: AskedService,
  terminal: Terminal,
): Promise<ConversationItem | undefined> {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const heartbeat = new Heartbeat(
    terminal,
    () => `waiting for its score: ${seconds()} s of at most ${SCORED_WITHIN_MS / 1000}`,
  );
  heartbeat.begin();
  try {
    const asked = new URL(`/api/v1/conversations?conversation_id=${id}`, url);
    while (performance.now() - began < SCORED_WITHIN_MS) {
      const [item] = conversationList.parse(await ask(asked, reading(token))).conversations;
      if (item !== undefined && item.evaluations.length > 0) return item;
      await wait(ASK_EVERY_MS);
    }
    return undefined;
  } finally {
    heartbeat.end();
  }
}
