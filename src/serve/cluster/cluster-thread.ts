/**
 * The thread that files and judges. Both go on side by side, each with its own connection: while one waits for the database, the
 * other computes. The store being away is not the end of it: what was sent waits, and is done when the store is back.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Asking } from '../../ask/judge-scheduler.ts';
import { KafkajsPublisher } from '../../kafka/kafkajs/publisher.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import { evaluationRecord } from '../../report/results/evaluation-record.ts';
import { loadSuites } from '../../score/load-suites.ts';
import type { ClusterStore } from '../../store/cluster-store.ts';
import { type PostgresOptions, PostgresStore } from '../../store/postgres/postgres-store.ts';
import { SharedCheckWatch } from '../../engine/check-watch.ts';
import { DetectionOwner } from '../../engine/detection/detection-owner.ts';
import type {
  Answer,
  ClusterStart,
  FileCommand,
  FromCluster,
  Question,
  TimeCommand,
  ToCluster,
} from './cluster-protocol.ts';
import { OtlpSender } from '../../report/results/otlp-sender.ts';
import { judgeOf } from '../../engine/judging-start.ts';
import { NoJudge } from '../no-judge.ts';
import { ResultRelay } from '../result-relay.ts';
import { carryOut } from '../store-writes.ts';
import { checkedTruth } from '../../engine/truth-files.ts';
import { EvaluationRelay } from './evaluation-relay.ts';
import { Filer } from './filer.ts';
import { Judge } from './scoring-loop.ts';
import { keysOfContent } from './keys-of-content.ts';
import { Problems } from './problem-latch.ts';

const RETRY_AFTER_MS = 1000;
const IDLE_MS = 100;
const PRUNE_EVERY_MS = 60_000;

async function main(start: ClusterStart, post: (message: FromCluster) => void): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('the thread that judges was started as a program');
  const { suites, shadows, mistakes } = await loadSuites(start.suites, {
    baseDir: start.suitesBaseDirectory,
    builtinDir: path.resolve(import.meta.dirname, '../../../suites'),
    shadows: start.shadowSuites,
  });
  // The main thread has checked them before it started this one.
  if (mistakes.length > 0) throw new Error(`the suites changed while Assay was running: ${mistakes.length} mistakes`);
  const outboxPayload = start.evaluations === undefined ? undefined : evaluationRecord;
  const problems = new Problems((problem) => post({ type: 'problem', problem }));
  const keysOf = keysOfContent(start.settings.conversation.idKeys);
  const store = await opened({ ...start.store, outboxPayload, keysOf }, problems);

  const waiting: (FileCommand | TimeCommand)[] = [];
  let arrived = Promise.withResolvers<void>();
  let isStopping = false;
  const filer = new Filer({
    store: store.filing,
    onFiled: (filed) => post({ type: 'filed', ...filed }),
    onProblem: (error) => problems.said('file', error),
    pause: () => sleep(RETRY_AFTER_MS),
  });
  const judge = new Judge({
    store,
    settings: start.settings,
    suites: [...suites, ...shadows],
    truth: checkedTruth(start.settings.truth),
    judge: judgeOf(start.judging),
    watch: new SharedCheckWatch(start.watch, start.stopped),
    onJudged: (judged) => post({ type: 'judged', ...judged }),
    onTime: (time) => {
      judgedTo = time;
      post({ type: 'cluster-time', time });
    },
  });
  const detection = start.detection === undefined ? undefined : new DetectionOwner(start.detection, post);
  let judgedTo: number | undefined;
  let isDetecting = false;

  const results =
    start.results === undefined
      ? undefined
      : new ResultRelay({
          store: store.results,
          sender: new OtlpSender(start.results),
          onEvent: (event) => post({ type: 'result-event', event }),
        });
  const relay = start.evaluations === undefined ? undefined : relayOf(start.evaluations, store, post);

  const asks = { questions: store.questions, onEvent: (event: JudgeEvent) => post({ type: 'judge-event', event }) };
  const asking =
    start.judging === undefined
      ? new NoJudge({ ...asks, onProblem: (error) => problems.changed('ask', error) })
      : new Asking({ ...start.judging, ...asks });
  // One after the other: what is being stopped ends before it begins anew.
  let switched: Promise<void> = Promise.resolve();

  port.on('message', (message: ToCluster) => {
    if (message.type === 'question') void answer(store, message.id, message.question, post, problems);
    else if (message.type === 'settled') detection?.settle(message.settled);
    else if (message.type === 'accept') detection?.accept(message);
    else if (message.type === 'put') void carryOut(store, message).then(post);
    else if (message.type === 'relay') {
      isDetecting = message.on;
      void (message.on ? relay?.start() : relay?.stop());
      void (message.on ? results?.start() : results?.stop());
      switched = switched.then(() => (message.on ? asking.start() : asking.stop()));
    } else if (message.type === 'stop') isStopping = true;
    else waiting.push(message);
    arrived.resolve();
  });
  post({ type: 'ready', totals: store.engineStore.totals.all() });

  const filing = async () => {
    for (;;) {
      if (waiting.length === 0) {
        if (isStopping) return;
        arrived = Promise.withResolvers();
        await arrived.promise;
        continue;
      }
      await filer.fileNext(waiting);
      problems.over('file');
    }
  };
  const judging = async () => {
    let prunedAt = performance.now();
    while (!isStopping) {
      try {
        const found = await judge.judgeNext();
        problems.over('judge');
        if (!found) await sleep(IDLE_MS);
        if (performance.now() - prunedAt > PRUNE_EVERY_MS) {
          prunedAt = performance.now();
          await store.housekeeping.tidy();
        }
      } catch (error) {
        problems.said('judge', error);
        await sleep(RETRY_AFTER_MS);
      }
    }
  };
  const detecting = async () => {
    while (!isStopping) {
      const isOurs = isDetecting && judgedTo !== undefined && detection?.isDue === true;
      // Another instance that thinks so too, or that was asked by a person, waits for the lock, and finds a newer state.
      if (detection !== undefined && (isOurs || detection.isAsked))
        await detection.round(store.detection, judgedTo ?? 0);
      else await sleep(IDLE_MS);
    }
  };
  await Promise.all([filing(), judging(), detecting()]);
  await relay?.stop();
  await results?.stop();
  await switched;
  await asking.stop();
  await store.close();
  post({ type: 'stopped' });
  port.close();
}

/** A database that is away at the start comes back like any other; who looks at the instance meanwhile is told. */
async function opened(options: PostgresOptions, problems: Problems): Promise<PostgresStore> {
  for (;;) {
    try {
      const store = await PostgresStore.open(options);
      problems.over('open');
      return store;
    } catch (error) {
      problems.said('open', error);
      await sleep(RETRY_AFTER_MS);
    }
  }
}

function relayOf(
  { connection, topic }: NonNullable<ClusterStart['evaluations']>,
  store: PostgresStore,
  post: (message: FromCluster) => void,
): EvaluationRelay {
  const problems = new Problems((problem) => post({ type: 'sending-problem', problem }));
  return new EvaluationRelay({
    store: store.outbox,
    // Another store of evaluations has a progress of its own, in the same topic too.
    makePublisher: () => new KafkajsPublisher({ connection, topic, name: `assay-evaluations-${store.id}` }),
    onSent: (evaluations) => post({ type: 'sent', evaluations }),
    onProblem: (error) => problems.changed('send', error),
  });
}

async function answer(
  store: ClusterStore,
  id: number,
  question: Question,
  post: (message: FromCluster) => void,
  problems: Problems,
): Promise<void> {
  for (;;) {
    try {
      post({ type: 'answer', id, answer: await ask(store, question) });
      problems.over(question.ask);
      return;
    } catch (error) {
      problems.said(question.ask, error);
      await sleep(RETRY_AFTER_MS);
    }
  }
}

async function ask(store: ClusterStore, question: Question): Promise<Answer> {
  if (question.ask === 'own') {
    await store.lanes.expect(question.all);
    return { lanes: await store.lanes.own(question.lanes) };
  }
  return { filed: [...(await store.lanes.filedPositions(question.lane, question.traceIds))] };
}

const port = parentPort;
if (port !== null) {
  // The cast holds because `cluster-worker.ts` is the only one that starts this thread.
  await main(workerData as ClusterStart, (message) => port.postMessage(message));
}
