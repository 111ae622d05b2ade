import { expect, test } from 'vitest';
import { claim } from '../../../src/store/postgres/claim.ts';

interface Answers {
  readonly claimed: readonly { readonly id: number; readonly leader: number | null }[];
  /** Found a moment later, by a separate statement. */
  readonly members: readonly { readonly id: number; readonly leader: number }[];
  readonly counts: readonly { readonly leader: number; readonly members: number }[];
}

const BESIDE = { revisit: null, truth: null, feedback_said: null, waits: false };

async function conversationsOf(answers: Answers): Promise<readonly (readonly number[])[]> {
  const byStatement: Readonly<Record<string, readonly object[]>> = {
    claim: answers.claimed.map((row) => ({ ...HEAD, ...row, time: 1_000 })),
    'claim-members': answers.members.map((row) => ({ ...HEAD, ...row })),
    'count-members': answers.counts,
    'claim-beside': [...answers.claimed, ...answers.members].map(({ id }) => ({ ...BESIDE, id })),
  };
  // The cast is the statement's: each gives rows of one shape.
  const rows = async <Row>({ name }: { readonly name: string }) => (byStatement[name] ?? []) as readonly Row[];
  const found = await claim({ rows }, { home: undefined, conversationsMax: 10 });
  return (found?.units ?? []).map(({ heads }) => heads.map(({ id }) => id));
}

const HEAD = {
  conversation_id: 'c',
  first_day: 0,
  agent: '',
  agent_version: '',
  environment: '',
  first_closed_at: null,
  first_trace: null,
  last_closed_at: 0,
  updated_at: 0,
  turns: 0,
  turns_evaluated: 0,
  due_at: null,
  due_cause: null,
  revision: 0,
  cause: null,
  worst_outcome: 0,
  unscored_because: null,
  segment: null,
  facts: null,
  began_at: null,
  ceased_at: null,
  asked: null,
  answered: null,
};

test('a conversation that joins a group while both are being taken is taken once, with the group', async () => {
  const taken = await conversationsOf({
    claimed: [
      { id: 5, leader: null },
      { id: 3, leader: 3 },
      { id: 8, leader: null },
    ],
    members: [
      { id: 3, leader: 3 },
      { id: 4, leader: 3 },
      { id: 5, leader: 3 },
    ],
    counts: [{ leader: 3, members: 3 }],
  });

  expect(taken).toEqual([[3, 4, 5], [8]]);
});

test('where somebody else has a part of the group, a conversation that has just joined it is still taken by itself', async () => {
  const taken = await conversationsOf({
    claimed: [
      { id: 5, leader: null },
      { id: 3, leader: 3 },
    ],
    members: [
      { id: 3, leader: 3 },
      { id: 5, leader: 3 },
    ],
    counts: [{ leader: 3, members: 3 }],
  });

  expect(taken).toEqual([[5]]);
});

test('a group that another has swallowed meanwhile is taken with it', async () => {
  const taken = await conversationsOf({
    claimed: [
      { id: 2, leader: 2 },
      { id: 6, leader: 6 },
    ],
    members: [
      { id: 2, leader: 2 },
      { id: 6, leader: 2 },
    ],
    counts: [{ leader: 2, members: 2 }],
  });

  expect(taken).toEqual([[2, 6]]);
});
