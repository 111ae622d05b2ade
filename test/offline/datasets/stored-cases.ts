/** Cases from a store, and why conversations were left out. */
import type { LeftOut, RecordedCase } from '../../../src/engine/recorded-case.ts';
import { casesFromStore, type Selection } from '../../../src/offline/datasets/from-store.ts';
import type { ConversationReader } from '../../../src/store/conversation-reader.ts';

const ALL: Selection = {
  outcomes: undefined,
  suite: undefined,
  agent: undefined,
  agentVersion: undefined,
  since: undefined,
  limit: 10_000,
};

export async function casesOf(reader: ConversationReader, selection: Partial<Selection> = {}) {
  const leftOut: LeftOut[] = [];
  const cases: RecordedCase[] = [];
  const parts = { reader, written: undefined, conversationKeys: [], selection: { ...ALL, ...selection } };
  for await (const one of casesFromStore({ ...parts, onLeftOut: (because) => leftOut.push(because) })) cases.push(one);
  return { cases, leftOut };
}
