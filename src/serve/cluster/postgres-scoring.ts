/**
 * The scoring thread's side of one of many instances: files what lanes closed in the shared store, and scores what is due there. Both go on side by
 * side, each with its own connection: while one waits for the database, the other computes. If the store is away, commands wait until it is back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkajsProducer } from '../../kafka/kafkajs/producer.ts';
import { evaluationRecord } from '../../report/results/evaluation-record.ts';
import type { Total } from '../../store/engine-store.ts';
import { type PostgresOptions, PostgresStore } from '../../store/postgres/postgres-store.ts';
import { findStore } from '../../store/postgres/found-store.ts';
import { MIGRATIONS } from '../../store/postgres/schema.ts';
import type { LaneAnswer, LaneStorage, OrderedCommand, LaneQuestion } from '../scoring/scoring-protocol.ts';
import type { DutyLoop, ScoringParts, ScoringSide } from '../scoring/scoring-side.ts';
import { ArrivalUnderstanding } from './arrival-understanding.ts';
import { EvaluationRelay } from './evaluation-relay.ts';
import { LaneFiler } from './filer.ts';
import { PostgresForgetting } from './postgres-forgetting.ts';
import { ProblemLatch } from './problem-latch.ts';
import { ScoringLoop } from './scoring-loop.ts';
import { RETRY_PAUSE_MS } from '../threads/retry-pause.ts';
import { upgradeEvents, upgradeOf } from '../store-place/store-upgrade.ts';

export class PostgresScoring implements ScoringSide {
  readonly store: PostgresStore;
  readonly troubles: ProblemLatch;
  readonly duties: readonly DutyLoop[];
  /** Offsets of Kafka say where reading begins. */
  readonly floor = { position: 0, logTime: 0, readFrom: 0, logEnd: 0 };
  readonly forgetting: PostgresForgetting;
  readonly #post: ScoringParts['post'];
  #jumpMs: number | undefined;
  readonly #filer: LaneFiler;
  readonly #loop: ScoringLoop;

  private constructor(
    { evaluations }: LaneStorage,
    { post, makeEngine, idKeys }: ScoringParts,
    parts: {
      readonly store: PostgresStore;
      readonly troubles: ProblemLatch;
      readonly understanding: ArrivalUnderstanding;
    },
  ) {
    const { store, troubles, understanding } = parts;
    this.store = store;
    this.forgetting = new PostgresForgetting(
      store.forgetting,
      { archive: store.archive, totals: store.engineStore.totals },
      idKeys,
    );
    this.troubles = troubles;
    this.#post = post;
    this.#filer = new LaneFiler({
      store: store.filing,
      understanding,
      post,
      troubles,
      pause: () => sleep(RETRY_PAUSE_MS),
    });
    this.#loop = new ScoringLoop({ store, makeEngine, post });
    this.duties = evaluations === undefined ? [] : [relayOf(evaluations, store, post)];
  }

  /** A database that is away at the start comes back like any other; the problem is reported meanwhile. */
  static async open(storage: LaneStorage, parts: ScoringParts): Promise<PostgresScoring> {
    const { post, idKeys } = parts;
    const troubles = new ProblemLatch((problem) => post({ type: 'problem', of: 'store', problem }));
    const outboxPayload = storage.evaluations === undefined ? undefined : evaluationRecord;
    const understanding = new ArrivalUnderstanding(idKeys);
    const keysOf: PostgresOptions['keysOf'] = (content) => understanding.keysOf(content);
    const options: PostgresOptions = { ...storage.store, outboxPayload, keysOf };
    for (;;) {
      try {
        const upgrade = upgradeOf(await findStore(options), MIGRATIONS);
        post({ type: 'events', events: upgradeEvents(upgrade) });
        const store = await PostgresStore.open(options);
        troubles.over('open');
        return new PostgresScoring(storage, parts, { store, troubles, understanding });
      } catch (error) {
        troubles.said('open', error);
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  get scoredTo(): number | undefined {
    return this.#loop.scoredTo;
  }

  totals(): readonly Total[] {
    return this.store.engineStore.totals.all();
  }

  async take(waiting: OrderedCommand[]): Promise<void> {
    await this.#filer.fileNext(waiting);
  }

  async scoreDue(): Promise<boolean> {
    return this.#loop.scoreNext();
  }

  async tidy(): Promise<void> {
    const { jumpMs } = await this.store.housekeeping.tidy();
    if ((jumpMs === undefined) === (this.#jumpMs === undefined)) return;
    this.#jumpMs = jumpMs;
    this.#post({ type: 'events', events: [{ type: 'clock-jumped', byMs: jumpMs }] });
  }

  async answer(question: LaneQuestion): Promise<LaneAnswer> {
    const { lanes } = this.store;
    if (question.ask === 'filed') return { filed: [...(await lanes.filedPositions(question.lane, question.traceIds))] };
    await lanes.expect(question.all);
    return { lanes: await lanes.own(question.lanes) };
  }

  async close(): Promise<void> {
    await this.store.close();
  }
}

function relayOf(
  { connection, topic }: NonNullable<LaneStorage['evaluations']>,
  store: PostgresStore,
  post: ScoringParts['post'],
): EvaluationRelay {
  return new EvaluationRelay({
    store: store.outbox,
    topic,
    makeProducer: () => new KafkajsProducer({ connection }),
    onSent: (evaluations) => post({ type: 'events', events: [{ type: 'evaluations-sent', evaluations }] }),
    troubles: new ProblemLatch((problem) => post({ type: 'problem', of: 'sending', problem })),
  });
}
