/**
 * The running service: the list of its parts, in the order in which they start. What is particular to a log and a store is the deployment's
 * (`one-machine/one-machine.ts`, `cluster/cluster.ts`).
 *
 *   receivers ─▶ log (open turns) ─▶ scoring thread (normalize, score, store) ─▶ metrics, API
 *
 * Consumers start before producers, so that each finds its consumer ready; the HTTP side is up before the store is open, so that people see why an
 * instance waits. Stopping is the list backwards: producers stop first, so that each can drain. Turns that are open or waiting at the end are in the
 * log and are read again at the next start.
 */
import type { LoadedSettings, Settings } from '../config/settings.ts';
import { judgingStart, reportedJudges } from '../engine/judging-start.ts';
import { serviceRedaction } from '../engine/redaction-rules.ts';
import type { Log } from '../report/log/log.ts';
import { EventReporter, type ReportedParts } from '../report/events/event-reporter.ts';
import type { CompiledSuite } from '../score/suite.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import type { Deployment, Opened } from './deployment.ts';
import { DetectionMonitor } from './detection/detection-monitor.ts';
import { InstanceDuty } from './duty.ts';
import { OneMachine } from './one-machine/one-machine.ts';
import { type OtlpReceivers, startOtlpReceivers } from './otlp-receivers.ts';
import { Readiness } from './readiness.ts';
import { Reloading, type ReloadOutcome } from './reloading.ts';
import { RunningConfig } from './running-config.ts';
import { Scorer } from './scorer.ts';
import { scoringOf } from './scoring-of.ts';
import { ServiceEvents } from './service-events.ts';
import { gaugesOf } from './service-gauges.ts';
import { conversationsOf, startHttp } from './service-http.ts';
import { ServiceViews } from './service-views.ts';
import { StartList } from './start-list.ts';
import { StoreWrites } from './store-writes.ts';
import { startTelemetry } from './telemetry.ts';

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
  /** Reads suites and settings again, and uses what can change while it runs. The log says what came of it. */
  readonly reload: () => Promise<ReloadOutcome>;
  /** Turns that are open, and closed ones that are not stored yet. */
  readonly pending: () => number;
  /** May be called twice. */
  stop(): Promise<void>;
}

const LOG_FLUSH_MS = 60_000;
const NO_RECEIVERS: OtlpReceivers = { ports: { otlpGrpc: 0, otlpHttp: 0 }, stop: async () => {} };

export async function startService(options: ServiceOptions): Promise<Service> {
  const list = withLog(withShell(withState(options), options), options);
  const { parts, stop } = await list.start();
  const { http, receivers, reloading, scorer, opened } = parts;
  return {
    ports: { http: http.port, ...receivers.ports },
    reload: () => reloading.reload(),
    pending: () => (opened.log?.openTurns ?? 0) + scorer.turnsWaiting,
    stop,
  };
}

/** What others refer to, and that needs nobody itself. */
function withState(options: ServiceOptions) {
  const { settings, suites, shadows, log, version } = options;
  return StartList.empty()
    .add({
      name: 'directory',
      needs: [],
      // First, because its lock keeps a second process out.
      start: () => openDataDirectory(settings.dataDir),
      stop: (directory) => directory.release(),
    })
    .add({
      name: 'deployment',
      needs: ['directory'],
      start: ({ directory }) => deploymentOf(settings, directory),
    })
    .add({ name: 'config', needs: [], start: () => new RunningConfig(settings, [...suites, ...shadows]) })
    .add({ name: 'opened', needs: [], start: (): Opened => ({ isRunning: false, log: undefined, reader: undefined }) })
    .add({ name: 'redaction', needs: [], start: () => serviceRedaction(settings) })
    .add({ name: 'scorer', needs: ['deployment'], start: ({ deployment }) => new Scorer(deployment.draining) })
    .add({
      name: 'views',
      needs: ['config', 'opened', 'deployment'],
      start: ({ deployment: { isAlone }, ...needs }) => new ServiceViews({ ...needs, log, isAlone }),
    })
    .add({
      name: 'reporter',
      needs: ['redaction'],
      start: ({ redaction }) => new EventReporter({ log, redaction, ...reportedBy(settings) }),
    })
    .add({
      name: 'health',
      needs: ['reporter', 'config', 'opened', 'scorer', 'views'],
      start: ({ reporter, ...needs }) => reporter.sources(gaugesOf({ ...needs, version })),
    })
    .add({
      name: 'telemetry',
      needs: ['reporter', 'health'],
      start: ({ reporter, health }) =>
        startTelemetry({
          settings: settings.telemetry,
          instance: settings.instance,
          version,
          onEvent: (event) => reporter.report(event),
          sources: () => health,
        }),
      stop: (telemetry) => telemetry?.stop(),
    })
    .add({ name: 'readiness', needs: [], start: () => new Readiness() })
    .add({
      name: 'events',
      needs: ['reporter', 'telemetry', 'readiness'],
      start: (needs) => new ServiceEvents(needs),
    });
}

/** What people and Prometheus look at. It is up before the store is. */
function withShell(state: ReturnType<typeof withState>, { settings, log, version, loadSettings }: ServiceOptions) {
  return state
    .add({
      name: 'detection',
      needs: ['opened', 'scorer', 'events', 'reporter', 'deployment'],
      start: ({ opened, scorer, events, reporter, deployment }) =>
        new DetectionMonitor(settings, log, {
          conversations: () => conversationsOf(opened),
          thread: scorer,
          metrics: reporter.detection,
          onEvent: (event) => events.report(event),
          isOwner: deployment.isAlone,
        }),
    })
    .add({ name: 'writes', needs: ['scorer'], start: ({ scorer }) => new StoreWrites(scorer) })
    .add({
      name: 'reloading',
      needs: ['config', 'deployment', 'scorer', 'detection', 'events', 'reporter'],
      start: (needs) => new Reloading({ load: loadSettings, log, version, ...needs }),
    })
    .add({
      name: 'http',
      needs: [
        'config',
        'opened',
        'scorer',
        'events',
        'health',
        'readiness',
        'views',
        'detection',
        'writes',
        'reloading',
      ],
      start: (needs) => startHttp({ settings, ...needs }),
      stop: (http) => http.stop(),
    });
}

/** The way of a span, from its end to its beginning. */
function withLog(shell: ReturnType<typeof withShell>, options: ServiceOptions) {
  const { settings, log, version } = options;
  return shell
    .add({
      name: 'scoring',
      needs: ['deployment', 'scorer', 'config', 'events', 'views', 'detection', 'writes'],
      start: async ({ deployment, scorer, config, events, views, detection, writes }) => {
        if (!deployment.scores) return scorer;
        // Suites that were named on the command line are those of the start.
        const named = { ...settings, suites: options.suiteReferences, baseDir: options.suitesBaseDirectory };
        const scoring = scoringOf({ settings: named, suites: config.suites, deployment, version });
        await scorer.start(scoring, { events, totals: [views.quality, views.variation], detection, writes });
        return scorer;
      },
      stop: (started) => started.stop(),
    })
    .add({
      name: 'reader',
      needs: ['deployment', 'opened'],
      start: ({ deployment, opened }) => {
        if (deployment.scores) opened.reader = deployment.openReader();
        return opened;
      },
      stop: async (closing) => {
        const { reader } = closing;
        closing.reader = undefined;
        await reader?.close();
      },
    })
    .add({
      name: 'watching',
      needs: ['views', 'detection', 'reader'],
      // Behind the reader, because these ask it until they are stopped.
      start: ({ views, detection }) => {
        views.start();
        return { views, detection };
      },
      stop: async ({ views, detection }) => {
        await detection.stop();
        await views.stop();
      },
    })
    .add({
      name: 'log',
      needs: ['deployment', 'scorer', 'redaction', 'views', 'detection', 'events', 'opened'],
      start: async ({ deployment, views, detection, opened, ...needs }) => {
        const duty = new InstanceDuty(needs.scorer, detection, views.calibration);
        const opening = await deployment.openLog({ ...needs, duty, log });
        opened.log = opening;
        return opening;
      },
      stop: (served) => served.stop(),
    })
    .add({
      name: 'receivers',
      needs: ['deployment', 'redaction', 'events', 'log'],
      start: async ({ deployment, redaction, events, log: { sink } }) =>
        deployment.accepts
          ? startOtlpReceivers(settings, { sink, redaction, onEvent: (event) => events.report(event) })
          : NO_RECEIVERS,
      stop: (receivers) => receivers.stop(),
    })
    .add({
      name: 'running',
      needs: ['log', 'reloading', 'opened', 'detection'],
      // Last, because the log's time must not move before everything that it sets off is there.
      start: ({ log: served, reloading, opened, detection }) => {
        served.start();
        opened.isRunning = true;
        return { reloading, opened, detection, flush: setInterval(() => log.flush(), LOG_FLUSH_MS) };
      },
      stop: async ({ reloading, opened, detection, flush }) => {
        opened.isRunning = false;
        clearInterval(flush);
        reloading.stop();
        // While the scoring thread can still note which notices were delivered.
        await detection.stop();
      },
    });
}

async function deploymentOf(settings: Settings, directory: DataDirectory): Promise<Deployment> {
  const { kafka } = settings;
  if (kafka === undefined) return new OneMachine(settings, directory);
  // Loaded when it is needed: one machine should not wait for the libraries of many.
  const { Cluster } = await import('./cluster/cluster.ts');
  return new Cluster(settings, kafka);
}

/** Whose metrics there are besides those that every instance has. */
function reportedBy({ judging, kafka }: Settings): Pick<ReportedParts, 'judges' | 'cluster'> {
  const topics = kafka?.read === true ? [...kafka.topics.spans, ...kafka.topics.logs] : [];
  return {
    judges: reportedJudges(judgingStart(judging)),
    cluster: kafka === undefined ? undefined : { reads: kafka.read, topics },
  };
}
