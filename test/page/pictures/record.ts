/** A service with a small traffic of the example agent, some of which a person has read, to record what views ask of it. */
import { expect } from 'vitest';
import type { ConversationList } from '../../../src/api/conversation-list.ts';
import { untilAnswered } from '../sent-spans.ts';
import { startWithTraffic } from '../service-with-traffic.ts';
import type { Recording } from './answers.ts';

const OF_A_VERSION = 14;
const KINDS = ['Wrong person invited', 'Wrong time', 'Wrong person invited', undefined];

export async function startToRecord() {
  const { service, end } = await startWithTraffic(OF_A_VERSION);
  const list = `${service.http}/api/v1/conversations?order=worst&limit=200`;
  const { conversations } = await untilAnswered<ConversationList>(list, (answer) => {
    const scored = answer.conversations.filter(({ state }) => state === 'scored');
    return scored.length === 2 * OF_A_VERSION;
  });
  const bad = conversations.filter(({ agent_version }) => agent_version === 'v2').slice(0, KINDS.length);
  const readings = bad.map(({ conversation_id }, at) => ({
    ...{ conversation_id, by: 'bo', answer: 'bad', note: `Seen in the calendar, entry ${at + 1}` },
    ...(KINDS[at] === undefined ? {} : { kind: KINDS[at] }),
  }));
  const response = await fetch(`${service.http}/v1/readings`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(readings),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const failed = bad[0]?.conversation_id ?? '';
  const recording: Recording = { at: new Date().toISOString(), failed, answers: {} };
  return { http: service.http, recording, end };
}
