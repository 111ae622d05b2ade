/**
 * The scoring thread: owns the store's writer and the engine, and does what the main thread sends, in order.
 *
 * Whatever has arrived by the time it looks is done in one transaction; so batches grow with the load by themselves.
 * Nothing is answered before the commit. If anything in a transaction fails (a full disk, a broken store), all of it is
 * undone and sent again by the main thread.
 *
 * Between batches it is the owner of regression detection (`detection/detection-rounds.ts`), of what goes to a backend (`result-relay.ts`), and of the
 * judges (`../../ask/judge-scheduler.ts`).
 */
import { parentPort, workerData } from 'node:worker_threads';
import path from 'node:path';
import { JournalReader } from '../../journal/journal-reader.ts';
import { loadSuites } from '../../score/load-suites.ts';
import { prune } from '../../store/sqlite/retention.ts';
import { Store } from '../../store/sqlite/store.ts';
import { SharedCheckWatch } from '../../engine/check-watch.ts';
import { DetectionOwner } from '../../engine/detection/detection-owner.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import type { EngineEvent, TurnFate } from '../../model/events/scoring-events.ts';
import { Engine } from '../../engine/engine.ts';
import { Asking, endAllWaiting } from '../../ask/judge-scheduler.ts';
import { OtlpSender } from '../../report/results/otlp-sender.ts';
import { ResultRelay } from '../result-relay.ts';
import { carryOut } from '../store-writes.ts';
import { checkedTruth } from '../../engine/truth-files.ts';
import { judgeOf } from '../../engine/judging-start.ts';
import { type FromScorer, type ScorerStart, type ToScorer, unpackTurn } from './scorer-protocol.ts';

/** A transaction holds the turns it writes in memory until the commit. */
const BATCH_MAX = 256;

async function main(start: ScorerStart, post: (message: FromScorer) => void): Promise<void> {
  const { suites, shadows, mistakes } = await loadSuites(start.suites, {
    baseDir: start.suitesBaseDirectory,
    builtinDir: path.resolve(import.meta.dirname, '../../../suites'),
    shadows: start.shadowSuites,
  });
  // The main thread has checked them before it started this one.
  if (mistakes.length > 0) throw new Error(`the suites changed while Assay was running: ${mistakes.length} mistakes`);
  const store = Store.open(start.storeFile);
  const reader = new JournalReader(start.journalDirectory);
  const truth = checkedTruth(start.settings.truth);
  let events: EngineEvent[] = [];
  let engine = makeEngine();

  function makeEngine(): Engine {
    return new Engine({
      settings: start.settings,
      suites: [...suites, ...shadows],
      truth,
      judge: judgeOf(start.judging),
      store,
      read: (position, length) => reader.read(position, length),
      watch: new SharedCheckWatch(start.watch, start.stopped),
      onEvent: (event) => events.push(event),
    });
  }

  const detection = start.detection === undefined ? undefined : new DetectionOwner(start.detection, post);
  const results =
    start.results === undefined
      ? undefined
      : new ResultRelay({
          store: store.results,
          sender: new OtlpSender(start.results),
          onEvent: (event) => post({ type: 'result-event', event }),
        });
  results?.start();
  const asks = { questions: store.questions, onEvent: (event: JudgeEvent) => post({ type: 'judge-event', event }) };
  const judging = start.judging === undefined ? undefined : new Asking({ ...start.judging, ...asks });
  judging?.start();
  if (judging === undefined) await endAllWaiting(asks);
  /** Log time up to which everything that was due is evaluated. */
  let evaluatedTo = 0;

  const inbox: ToScorer[] = [];
  let working = false;
  let isEnding = false;
  // After a failure, commands that were on their way already must not be done: they would overtake the ones that failed.
  let awaitsResume = false;
  let pruned = false;
  const port = parentPort;
  if (port === null) throw new Error('the scoring thread was started as a program');
  port.on('message', (message: ToScorer) => {
    if (message.type === 'settled') {
      detection?.settle(message.settled);
      return;
    }
    if (message.type === 'resume') awaitsResume = false;
    else if (message.type === 'accept') detection?.accept(message);
    // Between transactions: those begin and end without waiting for anything.
    else if (message.type === 'put') void carryOut(store, message).then(post);
    else if (!awaitsResume || message.type === 'stop') inbox.push(message);
    if (working || isEnding) return;
    working = true;
    // After all messages that have arrived already.
    setImmediate(work);
  });

  function work(): void {
    working = false;
    while (inbox.length > 0) {
      const batch = inbox.splice(0, BATCH_MAX);
      if (!runBatch(batch)) return;
    }
    if (!awaitsResume && detection?.isDue === true) detection.roundNow(store.detection, evaluatedTo);
  }

  /** False where the thread is to end. */
  function runBatch(batch: readonly ToScorer[]): boolean {
    const startedAt = performance.now();
    const fates: TurnFate[] = [];
    let sequence = 0;
    let advancedTo = 0;
    try {
      store.begin();
      for (const message of batch) {
        if (message.type === 'stop') {
          finish(sequence, fates, startedAt);
          void end();
          return false;
        }
        if (message.type === 'resume' || message.type === 'settled' || message.type === 'accept') continue;
        if (message.type === 'put') continue;
        sequence = message.sequence;
        if (message.type === 'close') {
          reader.completeTo(message.turn.position);
          fates.push(engine.closeTurn(unpackTurn(message.turn)));
        } else if (message.type === 'advance') {
          engine.advance(message.logTime);
          advancedTo = message.logTime;
        } else {
          post({ type: 'pruned', ...prune(store, start.settings.store) });
          pruned = true;
        }
      }
      finish(sequence, fates, startedAt);
      evaluatedTo = Math.max(evaluatedTo, advancedTo);
    } catch (error) {
      store.rollback();
      events = [];
      inbox.length = 0;
      awaitsResume = true;
      // Its label guard may remember what was undone.
      engine = makeEngine();
      post({ type: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    return true;
  }

  async function end(): Promise<void> {
    isEnding = true;
    // They use the store, and calls of judges that are under way are paid for.
    await Promise.all([results?.stop(), judging?.stop()]);
    reader.close();
    store.close();
    post({ type: 'stopped' });
    port?.close();
  }

  function finish(sequence: number, fates: readonly TurnFate[], startedAt: number): void {
    const totals = store.commit();
    if (pruned) store.traces.removeEmptyFiles();
    pruned = false;
    post({ type: 'committed', sequence, fates, totals, events, tookMs: performance.now() - startedAt });
    events = [];
  }

  post({ type: 'ready', totals: store.totals.all(), floor: store.floor });
}

const port = parentPort;
if (port !== null) {
  // The cast holds because `scorer.ts` is the only one that starts this thread.
  await main(workerData as ScorerStart, (message) => port.postMessage(message));
}
