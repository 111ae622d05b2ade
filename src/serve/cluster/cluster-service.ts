/**
 * The running service as one of many: the only place that knows how its stages are connected.
 *
 *   Kafka ─▶ lanes (open turns) ─▶ arrivals ─▶ thread: file in the shared store ─▶ judge what is due there ─▶ metrics, API
 *   OTLP  ─▶ Kafka, keyed by trace id
 *
 * Consumers start before producers, and producers stop first, so that each can drain: no more is read, what is closed is filed, what
 * is filed is committed, then the lanes are given back. What is open is read again by their next owner.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { SharedStoreSettings } from '../../config/shared-store-settings.ts';
import { KafkajsConsumer } from '../../kafka/kafkajs/consumer.ts';
import { KafkajsProducer } from '../../kafka/kafkajs/producer.ts';
import type { KafkaProducer } from '../../kafka/kafka-client.ts';
import { Spool } from '../../kafka/turn-spool.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import { EventReporter } from '../../report/events/event-reporter.ts';
import { Exposition, type MetricSource } from '../../report/metrics/exposition.ts';
import { type ConversationApi, startHttpServer } from '../../report/http/http-server.ts';
import { QualityView } from '../../report/metrics/quality-view.ts';
import type { LabelReader } from '../../store/label-store.ts';
import { PostgresReader } from '../../store/postgres/postgres-reader.ts';
import { conversationApi } from '../api/conversation-api.ts';
import { CriterionLikeness } from '../criteria/criterion-likeness.ts';
import { CriterionVariation } from '../criteria/criterion-variation.ts';
import { criterionWeights } from '../criteria/criterion-weights.ts';
import { openDataDirectory } from '../data-directory.ts';
import { acceptRoute } from '../api/accept-route.ts';
import { CalibrationDesk } from '../calibration-rounds.ts';
import { labelRoute } from '../api/label-route.ts';
import { DetectionDesk } from '../detection/detection-monitor.ts';
import { judgingStart, reportedJudges } from '../../engine/judging-start.ts';
import { StoreWrites } from '../store-writes.ts';
import { truthRoute } from '../api/truth-route.ts';
import { detectionStart } from '../../engine/detection/detection-start.ts';
import { engineSettings, turnLimits } from '../../engine/engine-settings.ts';
import { startOtlpReceivers } from '../otlp-receivers.ts';
import { Readiness } from '../readiness.ts';
import { serviceRedaction } from '../../engine/redaction-rules.ts';
import type { Service, ServiceOptions } from '../service.ts';
import { startTelemetry } from '../telemetry.ts';
import { reloadRoute } from '../api/reload-route.ts';
import { Reloading } from '../reloading.ts';
import type { BacktestReader } from '../../backtest/backtest.ts';
import { shadowApi } from '../api/shadow-api.ts';
import { isLive, outlineOf, type SuiteOutline } from '../../engine/suite-outline.ts';
import { type ClusterScoring, ClusterWorker } from './cluster-worker.ts';
import { DeadLetters } from './dead-letters.ts';
import { countExternalMemoryWithHeap } from './external-memory.ts';
import { kafkaConnectionOf } from './kafka-connection-of.ts';
import { KafkaSink } from './kafka-sink.ts';
import { Lanes } from './lanes.ts';
import { RecordReading } from './record-reading.ts';
import { postgresOptions } from './store-settings.ts';

type Stop = () => Promise<void> | void;

/** What is under way when the service is told to stop may take this long; then the next owner does it again. */
const DRAIN_MS = 20_000;
const LOG_FLUSH_MS = 60_000;
/** Lanes are many, and each has its own open turns. */
const OPEN_TURNS_PER_LANE_MAX = 50_000;
const OPEN_SPANS_PER_LANE_MAX = 500_000;

export async function startClusterService(options: ServiceOptions, kafka: KafkaSettings): Promise<Service> {
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  try {
    return await start(options, kafka, stops, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function start(
  options: ServiceOptions,
  kafka: KafkaSettings,
  stops: Stop[],
  stopAll: () => Promise<void>,
): Promise<Service> {
  countExternalMemoryWithHeap();
  const { settings, log } = options;
  const directory = openDataDirectory(settings.dataDir);
  stops.push(() => directory.release());
  const redaction = serviceRedaction(settings);
  const judging = judgingStart(settings.judging);
  const topics = kafka.read ? [...kafka.topics.spans, ...kafka.topics.logs] : [];
  const cluster = { reads: kafka.read, topics };
  const reporter = new EventReporter({ log, redaction, judges: reportedJudges(judging), cluster });
  let ownSources: readonly MetricSource[] = [];
  const { instance } = settings;
  const sources = () => ownSources;
  const telemetry = await startTelemetry({
    settings: settings.telemetry,
    instance,
    version: options.version,
    onEvent: (event) => reporter.report(event),
    sources,
  });
  stops.push(() => telemetry?.stop());
  const readiness = new Readiness();
  const onEvent = (event: AnyEvent) => {
    reporter.report(event);
    telemetry?.note(event);
  };

  // Who looks at this instance while it waits for the store is told so.
  let reading: Reading | undefined;
  const view = new QualityView();
  const variation = new CriterionVariation();
  const state: ReadingState = {
    clusterTime: undefined,
    storeProblem: undefined,
    sendingProblem: undefined,
    deadLetterProblem: undefined,
  };
  let { writeToken } = settings.http;
  /** Those in shadow as well. */
  let running: readonly SuiteOutline[] = [...options.suites, ...options.shadows].map(outlineOf);
  const reloading = new Reloading({
    running: settings,
    load: options.loadSettings,
    apply: async (next, nextSuites) => {
      // Its thread would begin with the suites of the start.
      if (kafka.read && reading === undefined) throw new Error('this instance still waits for the shared store');
      log.setLevel(next.logLevel);
      writeToken = next.http.writeToken;
      await desk.reload(next);
      await reading?.reload(next, nextSuites);
      reporter.begin(criterionWeights(nextSuites));
      running = nextSuites;
    },
    onEvent,
  });
  const puts = new StoreWrites((command) => reading?.worker.tell(command) ?? false);
  const writes = [
    truthRoute((write) => puts.put(write)),
    labelRoute({ put: (write) => puts.put(write), suites: () => running.filter(isLive) }),
    acceptRoute((chosen) => desk.accept(chosen)),
    reloadRoute(() => reloading.reload()),
  ];
  ownSources = reporter.sources({
    openTurns: () => reading?.lanes.openTurns ?? 0,
    openSpans: () => reading?.lanes.openRows ?? 0,
    journalBytes: () => 0,
    scoringBacklog: () => reading?.worker.turnsWaiting ?? 0,
    logLagSeconds: () => Math.max(0, ...(reading?.lanes.lags ?? []).map(({ seconds }) => seconds)),
    series: () => view.seriesCount,
    labelSets: () => view.labelSetCount,
    labelSetsMax: settings.metrics.maxLabelValues,
    criterionWeights: () => criterionWeights(running),
    criterionVariation: () => variation.all(),
    criterionLikeness: () => likeness.all(),
    version: options.version,
    writeRoutes: writes.map(({ path }) => path),
    cluster: {
      lanes: () => reading?.lanes.count ?? 0,
      lags: () => reading?.lanes.lags ?? [],
      clusterTime: () => state.clusterTime,
      spoolBytes: () => reading?.spool.bytes ?? 0,
      turnsToFile: () => reading?.worker.turnsWaiting ?? 0,
    },
  });
  const desk = new DetectionDesk(settings, log, {
    conversations: () => apiOf(reading),
    onSettled: (settled) => reading?.worker.settled(settled),
    onAccept: (command) => reading?.worker.tell(command) ?? false,
    metrics: reporter.detection,
    onEvent,
    isOwner: false,
  });
  const onProblem = (error: string) => log.line('warn', 'the calibration of judges could not be worked out', { error });
  const calibration = new CalibrationDesk({ reader: () => reading?.labels, onProblem, isOwner: false });
  const calibrated = judging === undefined ? [] : calibration.sources();
  const likeness = new CriterionLikeness({
    reader: () => reading?.labels,
    suites: () => running,
    onProblem: (error) => log.line('warn', 'the likeness of criteria could not be worked out', { error }),
  });
  const exposition = new Exposition([...view.sources(), ...ownSources, ...desk.sources(), ...calibrated]);
  const http = await startHttpServer({
    host: settings.host,
    port: settings.httpPort,
    metrics: (accept, scraper) => exposition.render(accept, scraper),
    ready: () => readiness.check({ stalledMs: reading?.worker.stalledMs ?? 0, problems: problemsOf(reading, state) }),
    conversations: {
      list: (query) => apiOf(reading).list(query),
      get: (id, how) => apiOf(reading).get(id, how),
    },
    detection: () => desk.describe(),
    shadow: shadowApi({ reader: () => reading?.labels, suites: () => running }),
    writes: { routes: writes, token: () => writeToken, onWrite: onEvent },
  });
  stops.push(() => http.stop());
  const producer = new KafkajsProducer({ connection: kafkaConnectionOf(kafka) });
  stops.push(() => producer.stop());
  if (kafka.read && settings.sharedStore !== undefined) {
    const { sharedStore } = settings;
    reading = await startReading({
      options,
      kafka,
      sharedStore,
      view,
      variation,
      state,
      producer,
      redaction,
      onEvent,
      stops,
      desk,
      calibration,
      puts,
    });
  }
  // These ask the reader, and so stop before it.
  stops.push(() => desk.stop());
  stops.push(() => calibration.stop());
  stops.push(() => likeness.stop());
  likeness.start();
  if (judging !== undefined) calibration.start();
  const ports = kafka.accept
    ? await startReceivers(settings, kafka, { producer, redaction, onEvent, stops })
    : undefined;
  reading?.lanes.start();
  const flush = setInterval(() => log.flush(), LOG_FLUSH_MS);
  stops.push(() => clearInterval(flush));

  stops.push(() => reloading.stop());
  let stopping: Promise<void> | undefined;
  return {
    ports: { otlpGrpc: ports?.otlpGrpc ?? 0, otlpHttp: ports?.otlpHttp ?? 0, http: http.port },
    reload: () => reloading.reload(),
    pending: () => (reading?.lanes.openTurns ?? 0) + (reading?.worker.turnsWaiting ?? 0),
    stop: () => {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

interface Parts {
  readonly producer: KafkaProducer;
  readonly redaction: RedactionRules | undefined;
  readonly onEvent: (event: AnyEvent) => void;
  readonly stops: Stop[];
}

/** What is known of reading before it has begun. */
interface ReadingState {
  clusterTime: number | undefined;
  storeProblem: string | undefined;
  sendingProblem: string | undefined;
  deadLetterProblem: string | undefined;
}

interface Reading {
  readonly spool: Spool;
  readonly worker: ClusterWorker;
  readonly lanes: Lanes;
  readonly api: ConversationApi;
  readonly labels: LabelReader & BacktestReader;
  reload(settings: Settings, suites: readonly SuiteOutline[]): Promise<void>;
}

async function startReading(
  parts: Parts & {
    readonly options: ServiceOptions;
    readonly kafka: KafkaSettings;
    readonly sharedStore: SharedStoreSettings;
    readonly view: QualityView;
    readonly variation: CriterionVariation;
    readonly state: ReadingState;
    readonly desk: DetectionDesk;
    readonly calibration: CalibrationDesk;
    readonly puts: StoreWrites;
  },
): Promise<Reading> {
  const {
    options,
    kafka,
    sharedStore,
    view,
    variation,
    state,
    desk,
    calibration,
    puts,
    producer,
    redaction,
    onEvent,
    stops,
  } = parts;
  const { settings } = options;
  const topics = [...kafka.topics.spans, ...kafka.topics.logs];
  const store = postgresOptions(settings, sharedStore, kafka);
  let lanes: Lanes | undefined;
  const spoolDirectory = path.join(settings.dataDir, 'spool');
  const spool = new Spool(spoolDirectory);
  stops.push(() => spool.close());
  const scoringOf = (of: Settings, suites: readonly SuiteOutline[]): ClusterScoring => ({
    start: {
      settings: engineSettings(of),
      store: postgresOptions(of, sharedStore, kafka),
      evaluations:
        kafka.evaluationsTopic === undefined
          ? undefined
          : { connection: kafkaConnectionOf(kafka), topic: kafka.evaluationsTopic },
      detection: detectionStart(of),
      results: of.results === undefined ? undefined : { ...of.results, version: options.version },
      judging: judgingStart(of.judging),
      suites: of.suites,
      shadowSuites: of.shadowSuites,
      suitesBaseDirectory: of.baseDir,
    },
    suites,
    checkTimeoutMs: of.score.checkTimeoutMs,
  });
  // Suites that were named on the command line are those of the start.
  const named = { ...settings, suites: options.suiteReferences, baseDir: options.suitesBaseDirectory };
  const worker = await ClusterWorker.start({
    ...scoringOf(named, [...options.suites, ...options.shadows].map(outlineOf)),
    spoolDirectory,
    onFiled: (lane, turn) => lanes?.filed(lane, turn),
    onFenced: (lane) => lanes?.fenced(lane),
    onTotals: (totals) => {
      view.update(totals);
      variation.update(totals);
    },
    onDetection: (message) => desk.hear(message),
    onPut: (message) => puts.hear(message),
    onJudge: onEvent,
    onClusterTime: (time) => {
      state.clusterTime = time;
    },
    onEvent: (event) => {
      if (event.type === 'store-problem') {
        state.storeProblem = event.problem;
        lanes?.storeProblem(event.problem);
      } else if (event.type === 'sending-problem') state.sendingProblem = event.problem;
      onEvent(event);
    },
  });
  stops.push(() => worker.abandon());
  const records = new RecordReading({
    kafka,
    redaction,
    deadLetters: new DeadLetters({
      producer,
      topic: kafka.deadLetterTopic,
      onEvent,
      onProblem: (problem) => {
        state.deadLetterProblem = problem;
      },
      onSent: () => {
        state.deadLetterProblem = undefined;
      },
    }),
    onEvent,
  });
  const consumer = new KafkajsConsumer({
    connection: kafkaConnectionOf(kafka),
    group: kafka.group,
    topics,
    startFrom: kafka.from,
    sessionTimeoutMs: kafka.sessionTimeoutMs,
    // What keeps it from reading is told as a problem; the rest is for who looks closer.
    onLog: ({ message }) => options.log.line('debug', 'kafka client', { detail: message }),
  });
  const began = new Lanes({
    consumer,
    store: {
      get turnsWaiting() {
        return worker.turnsWaiting;
      },
      get bytesAhead() {
        return worker.bytesAhead;
      },
      own: (wanted, all) => worker.own(wanted, all),
      filedPositions: (lane, traceIds) => worker.filedPositions(lane, traceIds),
      file: (lane, turn, place) => worker.file(lane, turn, place),
      time: (lane, time, positions) => worker.time(lane, time, positions),
      forget: (lane) => worker.forget(lane),
    },
    spool,
    group: kafka.group,
    topics,
    limits: {
      ...turnLimits(settings),
      maxOpenTurns: OPEN_TURNS_PER_LANE_MAX,
      maxOpenSpans: OPEN_SPANS_PER_LANE_MAX,
    },
    clockMarginMs: kafka.clockMarginMs,
    spoolBytesMax: settings.journal.maxBytes,
    read: (place, record) => records.read(place, record),
    onFirstLane: (isOurs) => {
      worker.relay(isOurs);
      desk.own(isOurs);
      calibration.own(isOurs);
    },
    onEvent,
  });
  lanes = began;
  const reader = PostgresReader.of(store);
  stops.push(() => reader.close());
  stops.push(() => drain(worker, began));
  const reload = (next: Settings, suites: readonly SuiteOutline[]) => worker.replace(scoringOf(next, suites));
  return { spool, worker, lanes: began, api: conversationApi(reader), labels: reader, reload };
}

function problemsOf(reading: Reading | undefined, state: ReadingState): readonly string[] {
  const kafka = reading?.lanes.problem;
  return [
    ...(kafka === undefined ? [] : [`Kafka: ${kafka}`]),
    ...(state.storeProblem === undefined ? [] : [`the shared store: ${state.storeProblem}`]),
    ...(state.sendingProblem === undefined ? [] : [`the topic of evaluations: ${state.sendingProblem}`]),
    ...(state.deadLetterProblem === undefined ? [] : [`the topic of dead letters: ${state.deadLetterProblem}`]),
  ];
}

function apiOf(reading: Reading | undefined): ConversationApi {
  if (reading !== undefined) return reading.api;
  throw new Error('this instance reads nothing: kafka.read is false, or it still waits for the shared store');
}

async function drain(worker: ClusterWorker, lanes: Lanes): Promise<void> {
  await lanes.stopReading();
  const limit = new AbortController();
  await Promise.race([worker.stop(), sleep(DRAIN_MS, undefined, { signal: limit.signal }).catch(() => {})]);
  limit.abort();
  await lanes.leave();
  await worker.abandon();
}

async function startReceivers(
  settings: Settings,
  kafka: KafkaSettings,
  { producer, redaction, onEvent, stops }: Parts,
) {
  const sink = new KafkaSink({
    producer,
    topics: { traces: kafka.topics.spans[0], logs: kafka.topics.logs[0] },
    recordBytesMax: kafka.recordBytes,
  });
  return startOtlpReceivers(settings, { sink, redaction, onEvent, stops });
}
