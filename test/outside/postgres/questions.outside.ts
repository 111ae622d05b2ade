/**
 * Questions to judges on the shared store, which must meet the contract of all stores. There an evaluation of a
 * conversation waits.
 */
import { vi } from 'vitest';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import type { JudgeRequest } from '../../../src/model/judging.ts';
import type { OwnedLane } from '../../../src/store/cluster-store.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { WaitingQuestions } from '../../../src/store/question-store.ts';
import { contentOf, COUNTED, evaluationOf, joinTurn, storeTurn, traceIdOf } from '../../store/contract.ts';
import { holdQuestionsToContract, type QuestionsUnderTest } from '../../store/questions-contract.ts';
import { freshDatabase } from './shared-postgres.ts';

const LANE = { group: 'test', lane: 0 };
const ALL = { whose: 'any', conversationsMax: 1000, bytesMax: 1 << 30 } as const;
const WAITERS = [1, 2] as const;
const nameOf = (waiter: number) => `c${waiter}` as ConversationId;

async function openPostgres(): Promise<QuestionsUnderTest> {
  const url = await freshDatabase();
  const open = () => PostgresStore.open({ url, instance: 'a', group: LANE.group, topics: ['spans'] });
  let store = await open();
  const [lane] = await store.lanes.own([LANE]);
  const turns = WAITERS.map((waiter) => ({ number: waiter, conversation: nameOf(waiter), at: 1000 }));
  const arrivals = turns.map((turn) => ({
    traceId: traceIdOf(turn.number),
    conversationId: turn.conversation,
    closedAt: turn.at,
    cause: 'settled' as const,
    spans: 3,
    content: contentOf(turn),
    positions: { spans: turn.number },
    has: [],
    wants: [],
    linked: [],
  }));
  await store.filing.file([{ lane: lane as OwnedLane, time: 1000, positions: { spans: 3 }, arrivals }]);
  await store.time.move();
  await store.scoring.scoreDue(ALL, () => {
    for (const turn of turns) storeTurn(store.engineStore, turn, joinTurn(store.engineStore, turn).row);
  });

  /** The questions that each waits for, as last stored. */
  const waited = new Map<number, readonly JudgeRequest[]>();
  let visits = 0;
  let reused: readonly string[] = [];

  function deskOf(rows: ReadonlyMap<number, number>): WaitingQuestions {
    const key = (waiter: number) => ({ conversation: rows.get(waiter) ?? 0, suite: 'pack', turnId: undefined });
    const { engineStore } = store;
    const outcomeOf: WaitingQuestions['outcomeOf'] = (request, waiter) =>
      (waiter === undefined ? undefined : engineStore.waiting.outcomeOf(request, key(waiter))) ?? 'waiting';
    return {
      waitFor(waiter, requests, at) {
        // The store uses the time of its own clock.
        vi.useFakeTimers({ toFake: ['Date'], now: at });
        const evaluation: Evaluation = { ...evaluationOf({ conversation: nameOf(waiter) }), waitsFor: ['right'] };
        const place = { conversation: rows.get(waiter) ?? 0, trace: 0, labels: COUNTED };
        waited.set(waiter, requests);
        return engineStore.waiting.put({ evaluation, place, counted: [], requests });
      },
      outcomeOf,
      endedWaiters: () =>
        [...waited].flatMap(([waiter, requests]) =>
          requests.every((request) => outcomeOf(request.key, waiter) !== 'waiting') ? [waiter] : [],
        ),
      leave: (waiter) => engineStore.waiting.drop(key(waiter)),
    };
  }

  return {
    // The engine finishes before the keys of its questions are known.
    answersAtOnce: false,
    get store() {
      return store.questions;
    },
    get reused() {
      return reused;
    },
    async transact(work) {
      // Makes both be evaluated again, whatever they wait for.
      visits += 1;
      for (const waiter of WAITERS) await store.truths.put(nameOf(waiter), visits);
      let done: { readonly result: ReturnType<typeof work> } | undefined;
      const scored = await store.scoring.scoreDue(ALL, () => {
        const { engineStore } = store;
        const rows = new Map(
          engineStore.revisits
            .take(Number.MAX_SAFE_INTEGER)
            .map((row) => [Number(engineStore.conversations.at(row).id.slice(1)), row]),
        );
        done = { result: work(deskOf(rows), WAITERS) };
      });
      if (done === undefined) throw new Error('nothing was to be looked at');
      reused = scored.reused;
      return done.result;
    },
    async reopen() {
      await store.close();
      store = await open();
    },
    close: () => {
      vi.useRealTimers();
      return store.close();
    },
  };
}

holdQuestionsToContract('PostgreSQL', openPostgres);
