/**
 * The running service: the only place that knows how the stages are connected.
 *
 *   receivers ─▶ journal ─▶ intake (open turns) ─▶ scoring thread (normalize, score, store) ─▶ metrics, API
 *
 * Consumers start before producers, so that each finds its consumer ready: lock, store and scoring thread, journal and
 * what it recovered, the clock, and the receivers last. Producers stop first, so that each can drain. What is still
 * open or waiting at the end is in the journal and comes again at the next start.
 */
import type { LoadedSettings, Settings } from '../config/settings.ts';
import { Journal } from '../journal/journal.ts';
import type { JournalEntry } from '../journal/journal-entry.ts';
import type { BatchSink } from '../receive/sink.ts';
import type { AnyEvent } from '../model/events/any-event.ts';
import { EventReporter } from '../report/events/event-reporter.ts';
import { Exposition, type MetricSource } from '../report/metrics/exposition.ts';
import { startHttpServer } from '../report/http/http-server.ts';
import type { Log } from '../report/log/log.ts';
import { QualityView } from '../report/metrics/quality-view.ts';
import type { CompiledSuite } from '../score/suite.ts';
import { StoreReader } from '../store/sqlite/store-reader.ts';
import { conversationApi } from './api/conversation-api.ts';
import { CriterionLikeness } from './criteria/criterion-likeness.ts';
import { CriterionVariation } from './criteria/criterion-variation.ts';
import { criterionWeights } from './criteria/criterion-weights.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { acceptRoute } from './api/accept-route.ts';
import { CalibrationDesk } from './calibration-rounds.ts';
import { labelRoute } from './api/label-route.ts';
import { DetectionDesk } from './detection/detection-monitor.ts';
import { StoreWrites } from './store-writes.ts';
import { truthRoute } from './api/truth-route.ts';
import { detectionStart } from '../engine/detection/detection-start.ts';
import { engineSettings, turnLimits } from '../engine/engine-settings.ts';
import { Intake } from '../engine/intake.ts';
import { startOtlpReceivers } from './otlp-receivers.ts';
import { judgingStart, reportedJudges } from '../engine/judging-start.ts';
import { Readiness } from './readiness.ts';
import { serviceRedaction } from '../engine/redaction-rules.ts';
import { reloadRoute } from './api/reload-route.ts';
import { type ReloadOutcome, Reloading } from './reloading.ts';
import { startTelemetry } from './telemetry.ts';
import { shadowApi } from './api/shadow-api.ts';
import { Scorer, type Scoring } from './one-machine/scorer.ts';
import { isLive, outlineOf, type SuiteOutline } from '../engine/suite-outline.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly suites: readonly CompiledSuite[];
  /** Candidates beside them. */
  readonly shadows: readonly CompiledSuite[];
  /** As the user wrote them; the scoring thread loads them again. */
  readonly suiteReferences: readonly string[];
  readonly suitesBaseDirectory: string;
  readonly log: Log;
  readonly version: string;
  /** Reads the settings again, as they were read at the start. */
  readonly loadSettings: () => LoadedSettings;
}

export interface Service {
  readonly ports: { readonly otlpGrpc: number; readonly otlpHttp: number; readonly http: number };
  /** Takes suites and settings anew, as far as that can be done while it runs. Says in the log what came of it. */
  readonly reload: () => Promise<ReloadOutcome>;
  /** Turns that are open, and closed ones that are not stored yet. */
  readonly pending: () => number;
  /** May be called twice. */
  stop(): Promise<void>;
}

const TICK_MS = 200;
/** Conversations become due by the second; asking more often would only wake the disk. */
const SWEEP_EVERY_TICKS = 5;
const PRUNE_EVERY_MS = 60_000;
const RETRY_AFTER_SECONDS = 1;

/** What has been started, in order, and how to stop it, in reverse. */
type Stop = () => Promise<void> | void;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { kafka } = options.settings;
  if (kafka !== undefined) {
    // Loaded when it is needed: one machine should not wait for the libraries of many.
    const { startClusterService } = await import('./cluster/cluster-service.ts');
    return startClusterService(options, kafka);
  }
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  try {
    return await start(options, stops, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function start(options: ServiceOptions, stops: Stop[], stopAll: () => Promise<void>): Promise<Service> {
  const { settings, suites, log } = options;
  const directory = openDataDirectory(settings.dataDir);
  stops.push(() => directory.release());

  const redaction = serviceRedaction(settings);
  const judging = judgingStart(settings.judging);
  const reporter = new EventReporter({ log, redaction, judges: reportedJudges(judging), cluster: undefined });
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
  const view = new QualityView();
  const variation = new CriterionVariation();
  const readiness = new Readiness();
  const onEvent = (event: AnyEvent) => {
    reporter.report(event);
    telemetry?.note(event);
    readiness.note(event);
  };

  const desk = new DetectionDesk(settings, log, {
    conversations: () => conversations,
    onSettled: (settled) => scorer.settled(settled),
    onAccept: (command) => scorer.tell(command),
    metrics: reporter.detection,
    onEvent,
  });
  let { writeToken } = settings.http;
  /** Those in shadow as well. */
  let running: readonly SuiteOutline[] = [...suites, ...options.shadows].map(outlineOf);
  const reloading = new Reloading({
    running: settings,
    load: options.loadSettings,
    apply: async (next, nextSuites) => {
      log.setLevel(next.logLevel);
      writeToken = next.http.writeToken;
      await desk.reload(next);
      await scorer.replace(scoringOf({ settings: next, suites: nextSuites, directory, version: options.version }));
      reporter.begin(criterionWeights(nextSuites));
      running = nextSuites;
    },
    onEvent,
  });
  const puts = new StoreWrites((command) => scorer.tell(command));
  const writes = [
    truthRoute((write) => puts.put(write)),
    labelRoute({ put: (write) => puts.put(write), suites: () => running.filter(isLive) }),
    acceptRoute((chosen) => desk.accept(chosen)),
    reloadRoute(() => reloading.reload()),
  ];
  // Suites that were named on the command line are those of the start.
  const named = { ...settings, suites: options.suiteReferences, baseDir: options.suitesBaseDirectory };
  const { scorer, ready } = await Scorer.start({
    ...scoringOf({ settings: named, suites: running, directory, version: options.version }),
    onStored: (turn) => intake.release(turn),
    onTotals: (totals) => {
      view.update(totals);
      variation.update(totals);
    },
    onEvent,
    onDetection: (message) => desk.hear(message),
    onPut: (message) => puts.hear(message),
    onJudge: onEvent,
  });
  stops.push(() => scorer.stop());

  const reader = StoreReader.open(directory.storeFile);
  stops.push(() => reader.close());
  const conversations = conversationApi(reader);
  // It asks the reader.
  stops.push(() => desk.stop());
  const onProblem = (error: string) => log.line('warn', 'the calibration of judges could not be worked out', { error });
  const calibration = new CalibrationDesk({ reader: () => reader, onProblem, isOwner: true });
  stops.push(() => calibration.stop());
  if (judging !== undefined) calibration.start();
  const likeness = new CriterionLikeness({
    reader: () => reader,
    suites: () => running,
    onProblem: (error) => log.line('warn', 'the likeness of criteria could not be worked out', { error }),
  });
  stops.push(() => likeness.stop());
  likeness.start();

  const intake = new Intake(turnLimits(settings), {
    onClosed: (turn) => scorer.close(turn),
    onReleased: (position, rows) => journal.release(position, rows),
  });
  ownSources = reporter.sources({
    openTurns: () => intake.turns.turnCount,
    openSpans: () => intake.turns.rowCount,
    journalBytes: () => journal.diskBytes,
    scoringBacklog: () => scorer.turnsWaiting,
    logLagSeconds: () => Math.max(0, journal.time - (scorer.oldestWaiting ?? journal.time)) / 1000,
    series: () => view.seriesCount,
    labelSets: () => view.labelSetCount,
    labelSetsMax: settings.metrics.maxLabelValues,
    criterionWeights: () => criterionWeights(running),
    criterionVariation: () => variation.all(),
    criterionLikeness: () => likeness.all(),
    version: options.version,
    writeRoutes: writes.map(({ path }) => path),
  });
  const { journal, recovered } = await Journal.open({
    directory: directory.journal,
    segmentBytes: settings.journal.segmentBytes,
    maxBytes: settings.journal.maxBytes,
    floor: ready.floor,
    onEntry: (entry: JournalEntry) => intake.take(entry),
    onEvent,
  });
  stops.push(() => journal.stop());
  for (const entry of recovered) intake.take(entry);

  const timers = startTimers({ intake, scorer, journal, log });
  stops.push(() => timers.forEach(clearInterval));

  const exposition = new Exposition([
    ...view.sources(),
    ...ownSources,
    ...desk.sources(),
    ...(judging === undefined ? [] : calibration.sources()),
  ]);
  const http = await startHttpServer({
    host: settings.host,
    port: settings.httpPort,
    metrics: (accept, scraper) => exposition.render(accept, scraper),
    ready: () => readiness.check({ stalledMs: scorer.stalledMs }),
    conversations,
    detection: () => desk.describe(),
    shadow: shadowApi({ reader: () => reader, suites: () => running }),
    writes: { routes: writes, token: () => writeToken, onWrite: onEvent },
  });
  stops.push(() => http.stop());

  const otlp = await startOtlpReceivers(settings, { sink: journalSink(journal), redaction, onEvent, stops });

  stops.push(() => reloading.stop());
  let stopping: Promise<void> | undefined;
  return {
    ports: { ...otlp, http: http.port },
    reload: () => reloading.reload(),
    pending: () => intake.turns.turnCount + scorer.turnsWaiting,
    stop: () => {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

/** What the scoring thread is for, with these settings. */
function scoringOf({
  settings,
  suites,
  directory,
  version,
}: {
  readonly settings: Settings;
  readonly suites: readonly SuiteOutline[];
  readonly directory: DataDirectory;
  readonly version: string;
}): Scoring {
  return {
    start: {
      settings: engineSettings(settings),
      storeFile: directory.storeFile,
      journalDirectory: directory.journal,
      suites: settings.suites,
      shadowSuites: settings.shadowSuites,
      suitesBaseDirectory: settings.baseDir,
      detection: detectionStart(settings),
      judging: judgingStart(settings.judging),
      results: settings.results === undefined ? undefined : { ...settings.results, version },
    },
    suites,
    checkTimeoutMs: settings.score.checkTimeoutMs,
  };
}

/** A batch is admitted once the journal has it on disk. */
function journalSink(journal: Journal): BatchSink {
  return {
    accept: async (batch) => {
      const result = await journal.append(batch);
      if (result.appended) return { admitted: true };
      return { admitted: false, reason: `${result.because}: ${result.detail}`, retryAfterSeconds: RETRY_AFTER_SECONDS };
    },
  };
}

function startTimers(parts: {
  readonly intake: Intake;
  readonly scorer: Scorer;
  readonly journal: Journal;
  readonly log: Log;
}): NodeJS.Timeout[] {
  const { intake, scorer, journal, log } = parts;
  let ticks = 0;
  const tick = setInterval(() => {
    const now = journal.time;
    intake.advance(now);
    ticks += 1;
    if (ticks % SWEEP_EVERY_TICKS === 0) scorer.advance(now);
  }, TICK_MS);
  const prune = setInterval(() => {
    scorer.prune();
    log.flush();
  }, PRUNE_EVERY_MS);
  return [tick, prune];
}
