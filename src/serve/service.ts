/**
 * The running service: the list of its parts, in the order in which they start. The deployment supplies everything that
 * depends on a log and a store (`one-machine/one-machine.ts`, `cluster/cluster.ts`).
 *
 *   receivers ─▶ log (open turns) ─▶ scoring thread (normalize, score, store) ─▶ metrics, API
 *
 * Consumers start before producers, so that each finds its consumer ready; the HTTP side is up before the store is
 * open, so that people see why an instance waits. Stopping is the list backwards: producers stop first, so that each
 * can drain. Turns that are open or waiting at the end are in the log and are read again at the next start.
 */
import type { LoadedSettings, Settings } from '../config/settings.ts';
import { serviceRedaction } from '../engine/redaction-rules.ts';
import { Certificates } from '../listen/certificates.ts';
import type { Log } from '../report/log/log.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { openDataFolder } from './condition.ts';
import { deploymentOf } from './deployment-of.ts';
import { DetectionMonitor } from './detection/detection-monitor.ts';
import { InstanceDuty } from './scoring/duty.ts';
import type { ReceptionOptions } from '../receive/reception.ts';
import { type OtlpReceivers, startOtlpReceivers } from './http/otlp-receivers.ts';
import { StoreReading } from './reading/store-reading.ts';
import { Readiness } from './running/readiness.ts';
import { Reloading, type ReloadOutcome } from './running/reloading.ts';
import { reporterOf } from './running/reporter-of.ts';
import { RunningConfig } from './running/running-config.ts';
import { openAccess } from './http/service-access.ts';
import { Scorer } from './scoring/scorer.ts';
import { scoringOf } from './deployment/scoring-of.ts';
import { ServiceEvents } from './running/service-events.ts';
import { gaugesOf } from './http/service-gauges.ts';
import { startHttp } from './http/service-http.ts';
import { Learning } from './estimate/learning.ts';
import { ServiceViews } from './http/service-views.ts';
import type { SharedPorts } from './http/shared-ports.ts';
import { SinkByAttribute } from './http/sink-by-attribute.ts';
import { StartList } from './start-list.ts';
import { StoreWrites } from './scoring/store-writes.ts';
import { startTelemetry } from './running/telemetry.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly suites: readonly CompiledSuite[];
  /** Candidates beside them. */
  readonly shadows: readonly CompiledSuite[];
  /** References as the user wrote them; the scoring thread loads the suites again. */
  readonly suiteReferences: readonly string[];
  readonly suitesBaseDirectory: string;
  readonly log: Log;
  readonly version: string;
  /** Ports of a process that has several projects. */
  readonly shared?: SharedPorts | undefined;
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
  const list = withLog(withScoring(withShell(withState(options), options), options), options);
  const { parts, stop } = await list.start();
  const { http, receivers, reloading, scorer, log } = parts;
  return {
    ports: { http: http.port, ...receivers.ports },
    reload: () => reloading.reload(),
    pending: () => log.openTurns + scorer.turnsWaiting,
    stop,
  };
}

/** Parts that others refer to and that need no other part. */
function withState(options: ServiceOptions) {
  const { settings, suites, shadows, log, version } = options;
  return (
    StartList.empty()
      .add({
        name: 'directory',
        needs: [],
        // First: a second process is kept out, and nothing opens, makes or cuts a file before they are examined.
        start: () => openDataFolder(settings, log),
        stop: (directory) => directory.release(),
      })
      .add({
        name: 'deployment',
        needs: ['directory'],
        start: ({ directory }) => deploymentOf(settings, directory),
      })
      .add({ name: 'config', needs: [], start: () => new RunningConfig(settings, [...suites, ...shadows]) })
      .add({ name: 'redaction', needs: [], start: () => serviceRedaction(settings) })
      // Idle until its thread starts (`scoring`): the shell asks it, and its thread answers to the shell.
      .add({ name: 'scorer', needs: ['deployment'], start: ({ deployment }) => new Scorer(deployment.draining) })
      // Likewise, until the store is there to be read (`reading`).
      .add({ name: 'reads', needs: [], start: () => new StoreReading() })
      .add({
        name: 'views',
        needs: ['config', 'deployment'],
        start: ({ config, deployment: { isAlone } }) => new ServiceViews({ config, log, isAlone }),
      })
      .add({
        name: 'reporter',
        needs: ['redaction'],
        start: ({ redaction }) => reporterOf(settings, { log, redaction }),
      })
      .add({
        name: 'certificates',
        needs: ['reporter'],
        start: ({ reporter }) =>
          settings.tls === undefined ? undefined : new Certificates(settings.tls, (event) => reporter.report(event)),
        stop: (certificates) => certificates?.stop(),
      })
      .add({
        name: 'health',
        needs: ['reporter', 'config', 'deployment', 'scorer', 'views', 'certificates'],
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
      .add({ name: 'readiness', needs: ['scorer'], start: ({ scorer }) => new Readiness(scorer) })
      .add({
        name: 'events',
        needs: ['reporter', 'telemetry', 'readiness'],
        start: (needs) => new ServiceEvents(needs),
        stop: ({ live }) => live.stop(),
      })
      .add({
        name: 'damage',
        needs: ['events', 'directory', 'redaction'],
        start: ({ events, directory }) => directory.reportTo(events),
      })
      .add({
        name: 'access',
        // Behind the directory, because its lock keeps others away from the files of access.
        needs: ['directory', 'config', 'events'],
        start: (needs) => openAccess(settings, needs),
        stop: (access) => access.stop(),
      })
  );
}

/** The side for people and Prometheus. It is up before the store is. */
function withShell(state: ReturnType<typeof withState>, options: ServiceOptions) {
  const { settings, log, version, loadSettings } = options;
  const named = { suites: options.suiteReferences, baseDir: options.suitesBaseDirectory };
  return state
    .add({
      name: 'detection',
      needs: ['scorer', 'events', 'reporter', 'deployment'],
      start: ({ scorer, events, reporter, deployment }) =>
        new DetectionMonitor(settings, log, {
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
        'access',
        'certificates',
        'config',
        'events',
        'health',
        'readiness',
        'views',
        'detection',
        'writes',
        'reads',
        'reloading',
        'redaction',
      ],
      start: ({ reads, ...needs }) =>
        startHttp({ settings, version, named, shared: options.shared, reading: reads, ...needs }),
      stop: (http) => http.stop(),
    });
}

/** The end of the way of a span: where it is scored and stored, and can be read. */
function withScoring(shell: ReturnType<typeof withShell>, options: ServiceOptions) {
  const { settings, version, log } = options;
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
      name: 'reading',
      needs: ['deployment', 'scoring', 'reads', 'config', 'detection', 'events'],
      // Undefined for an instance that has no store.
      start: async ({ deployment, reads, config, detection, events }) => {
        if (!deployment.scores) return undefined;
        await reads.start(deployment.storePlace(), {
          state: () => ({ suites: config.suites, detection: detection.state, prices: settings.prices }),
          onEvent: (event) => events.report(event),
        });
        return reads;
      },
      stop: (reading) => reading?.stop(),
    })
    .add({
      name: 'watching',
      needs: ['views', 'reading'],
      start: ({ views, reading }) => {
        if (reading !== undefined) views.start(reading);
        return views;
      },
      stop: (views) => views.stop(),
    })
    .add({
      name: 'learning',
      needs: ['reading', 'scoring'],
      start: ({ reading, scoring: scorer }) =>
        reading &&
        new Learning({
          learn: () => reading.own({ what: 'predictions' }),
          onLearned: (predictions) => scorer.foretell(predictions),
          onProblem: (error) =>
            log.line('warn', 'readings: no prediction could be learned from them, trying again later', { error }),
        }),
      stop: (learning) => learning?.stop(),
    })
    .add({
      name: 'api',
      needs: ['http', 'reading', 'deployment'],
      start: ({ http, reading, deployment }) => {
        http.openStore(reading && deployment.storePlace());
        return http;
      },
      stop: (http) => http.closeStore(),
    });
}

/** The beginning of the way: where it is accepted and waits. */
function withLog(scoring: ReturnType<typeof withScoring>, { settings, log, shared }: ServiceOptions) {
  return scoring
    .add({
      name: 'log',
      needs: ['deployment', 'scoring', 'redaction', 'views', 'detection', 'writes', 'events'],
      start: async ({ deployment, scoring: scorer, views, detection, writes, ...needs }) => {
        const duty = new InstanceDuty(scorer, detection, [views.calibration, views.estimates]);
        const served = await deployment.openLog({ ...needs, scorer, duty, log });
        writes.openLog(served, settings);
        return served;
      },
      // With it the scoring thread ends: a log needs it to the last.
      stop: (served) => served.stop(),
    })
    .add({
      name: 'receivers',
      needs: ['deployment', 'redaction', 'access', 'events', 'log', 'certificates'],
      start: async ({ deployment, access: { guard: access }, events, log: { sink: own }, ...needs }) => {
        if (!deployment.accepts) return NO_RECEIVERS;
        const isDefault = shared !== undefined && settings.project === undefined;
        const sink = isDefault ? new SinkByAttribute(own, shared.otlpHttp) : own;
        const onEvent: ReceptionOptions['onEvent'] = (event) => events.report(event);
        return startOtlpReceivers(settings, { ...needs, shared, access, sink, onEvent });
      },
      stop: (receivers) => receivers.stop(),
    })
    .add({
      name: 'notices',
      needs: ['detection', 'reading', 'api'],
      // Behind the log, because the scoring thread must still be there to note which notices were delivered.
      start: ({ detection, reading, api }) => {
        if (reading !== undefined) detection.start((of) => reading.own({ what: 'evidence', of }), api.readHistory);
        return detection;
      },
      stop: (detection) => detection.stop(),
    })
    .add({
      name: 'running',
      needs: ['log', 'reloading', 'readiness'],
      // Last, because the log's time must not move before everything that it sets off is there.
      start: ({ log: served, reloading, readiness }) => {
        served.start();
        readiness.started(served);
        reloading.start();
        return { reloading, readiness, flush: setInterval(() => log.flush(), LOG_FLUSH_MS) };
      },
      stop: ({ reloading, readiness, flush }) => {
        readiness.stopping();
        clearInterval(flush);
        reloading.stop();
      },
    });
}
