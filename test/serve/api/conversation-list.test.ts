import { expect, test } from 'vitest';
import { conversationApi } from '../../../src/serve/api/conversation-api.ts';
import type { EvaluationSummary } from '../../../src/store/conversation-reader.ts';
import type { ConversationRow } from '../../../src/store/conversation-row.ts';

/** The cast holds because a list shows no more of it. */
const ROW = {
  row: 7,
  conversationId: 'c',
  agent: 'support',
  agentVersion: '1',
  environment: 'prod',
  segment: undefined,
  turns: 1,
  revision: 1,
  cause: 'idle',
  dueCause: undefined,
  unscoredBecause: undefined,
  lastClosedAt: 0,
  updatedAt: 0,
  glance: {},
} as unknown as ConversationRow;

const MADE: EvaluationSummary = {
  suite: 'default',
  turnId: undefined,
  score: 900_000,
  outcome: 'no_fault_found',
  decidedShare: 650_000,
  about: 'form',
  explanation: 'Nothing failed.',
};

test.each<[string, EvaluationSummary, object]>([
  ['kept', MADE, { decided_share: 0.65, about: 'form' }],
  ['not kept', { ...MADE, decidedShare: undefined, about: undefined }, {}],
])(
  'an evaluation of the list tells its decided share and what it is about, where that was %s',
  async (_what, made, said) => {
    const api = conversationApi({
      pages: { search: () => ({ rows: [ROW], next: undefined, lookedAt: 1 }) },
      summaries: () => new Map([[ROW.row, [made]]]),
      find: () => undefined,
      evaluations: () => [],
      readingsOf: () => [],
    });

    const listed = await api.list({ limit: 10 });

    expect(listed).toMatchObject({ conversations: [{ conversation_id: 'c' }] });
    const [{ evaluations }] = (listed as { readonly conversations: readonly [{ readonly evaluations: unknown }] })
      .conversations;
    expect(evaluations).toEqual([
      { suite: 'default', score: 0.9, outcome: 'no_fault_found', ...said, explanation: 'Nothing failed.' },
    ]);
  },
);
