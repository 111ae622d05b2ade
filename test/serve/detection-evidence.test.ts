import { expect, test } from 'vitest';
import type { ConversationApi } from '../../src/serve/api/conversation-api.ts';
import { evidenceOf } from '../../src/serve/api/detection-evidence.ts';

const LISTED = ['search', 'refund', 'refund'].map((tool, index) => ({
  conversation_id: `${tool}-${index}`,
  agent_version: '1',
  environment: 'prod',
  evaluations: [{ suite: 'care', score: 0.1 * index, outcome: 'hard_failure' }],
}));

function asked(part: string) {
  const queries: Parameters<ConversationApi['list']>[0][] = [];
  const conversations: ConversationApi = {
    list: async (query) => {
      queries.push(query);
      return { conversations: LISTED, next: null };
    },
    get: async () => undefined,
  };
  const level = { suite: 'care', agent: 'helper', environment: 'prod', metric: 'segment', state: 'regressed' } as const;
  const figures = { logEvidence: 9, logThreshold: 8, change: undefined, onset: 1, parts: [] };
  const reading = { ...level, ...figures, part, since: 1, criterion: undefined, minimumDetectableRatio: undefined };
  const evidence = evidenceOf({ kind: 'level', reading }, conversations, async (id) => [`tool: ${id.split('-')[0]}`]);
  return { evidence, queries };
}

test('an alarm of a tool has the worst conversations with that tool, and none of others', async () => {
  const { worst_conversations: worst, where } = await asked('tool: refund').evidence;

  expect(worst.map(({ conversation_id: id }) => id)).toEqual(['refund-1', 'refund-2']);
  expect(where).toEqual([]);
});

test('an alarm of a configured segment asks for its conversations', async () => {
  const { evidence, queries } = asked('segment: gold: old');
  await evidence;

  expect(queries[0]?.segment).toBe('gold: old');
});
