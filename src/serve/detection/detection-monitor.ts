/**
 * The main thread's end of regression detection: receives the owner's reports and events, shows the newest report as
 * gauges, and sends notices to webhooks. The API shows the same report (describe-detection.ts).
 */
import type { Settings } from '../../config/settings.ts';
import type { Acceptance, ChosenLevels, DetectionReport, Transition } from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import { type Evidence, NO_EVIDENCE } from '../../report/webhooks/detection-record.ts';
import type { EventReporter } from '../../report/events/event-reporter.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import type { MetricSource } from '../../report/metrics/exposition.ts';
import type { Log } from '../../report/log/log.ts';
import { Webhooks } from '../../report/webhooks/webhooks.ts';
import { HistoryLearning, type ReadHistory } from './history-learning.ts';
import { AwaitedAnswers } from '../threads/awaited-answers.ts';
import type { DetectionState } from './detection-state.ts';
import type { AcceptCommand, DetectionMessage, HistoryCommand } from '../../engine/detection/detection-owner.ts';
import type { DeliveredNotice } from '../../engine/detection/detection-rounds.ts';

const SWITCHED_OFF = 'regression detection is switched off (detection.active)';

/** The thread that owns regression detection. */
interface DetectionThread {
  /** A webhook took a notice. */
  delivered(delivered: DeliveredNotice): void;
  /** False if no thread is there to do it. */
  tell(command: AcceptCommand | HistoryCommand): boolean;
}

type EvidenceReading = (of: Pick<Transition, 'kind' | 'reading'>) => Promise<Evidence>;

export class DetectionMonitor {
  readonly #metrics: EventReporter['detection'];
  /** The newest one; undefined where detection is another instance's. */
  #report: DetectionReport | undefined;
  readonly #log: Log;
  #webhooks: Webhooks;
  /** Reads evidence from the store, from its start on. */
  #readEvidence: EvidenceReading | undefined;
  #history: HistoryLearning | undefined;
  #state: DetectionState = { isActive: false, report: undefined };
  #isActive: boolean;
  readonly #onEvent: (event: DetectionEvent) => void;
  readonly #thread: DetectionThread;
  readonly #acceptances = new AwaitedAnswers<Acceptance>();
  #isOwner: boolean;

  constructor(
    { alerts, detection }: Pick<Settings, 'alerts' | 'detection'>,
    log: Log,
    parts: {
      readonly thread: DetectionThread;
      readonly metrics: EventReporter['detection'];
      readonly onEvent: (event: DetectionEvent) => void;
      /** From the beginning, as where there is one instance. */
      readonly isOwner?: boolean;
    },
  ) {
    this.#log = log;
    this.#isActive = detection.active;
    this.#thread = parts.thread;
    this.#onEvent = parts.onEvent;
    this.#isOwner = parts.isOwner ?? true;
    this.#metrics = parts.metrics;
    this.#webhooks = this.#webhooksOf(alerts);
  }

  /**
   * Other webhooks, or other words for them. Notices that the old owner was sending are in the state, and the new one
   * sends them.
   */
  async reload({ alerts, detection }: Pick<Settings, 'alerts' | 'detection'>): Promise<void> {
    this.#isActive = detection.active;
    if (!detection.active) this.#report = undefined;
    const before = this.#webhooks;
    this.#webhooks = this.#webhooksOf(alerts);
    await before.stop();
  }

  receive(message: DetectionMessage): void {
    if (message.type === 'detection-event') {
      this.#onEvent(message.event);
      return;
    }
    if (message.type === 'detection-accepted') {
      this.#acceptances.answered(message.id, message.acceptance);
      return;
    }
    // Notices in flight when another instance took over.
    if (!this.#isOwner) return;
    this.#report = message.report;
    this.#history?.take(message.report.learning);
    this.#send(message.report);
  }

  /** Begins to send notices, with what they are about, and to learn from what is stored. */
  start(readEvidence: EvidenceReading, readHistory: ReadHistory): void {
    this.#readEvidence = readEvidence;
    this.#history = new HistoryLearning(readHistory, (command) => this.#thread.tell(command));
    if (this.#report === undefined) return;
    this.#history.take(this.#report.learning);
    this.#send(this.#report);
  }

  /**
   * Whether detection is this instance's. An instance that does not own detection exposes nothing of it, and sends
   * nothing.
   */
  own(isOwner: boolean): void {
    this.#isOwner = isOwner;
    if (isOwner) return;
    this.#report = undefined;
    this.#history?.take([]);
    this.#webhooks.take([]);
  }

  /** A person says that a change was meant. Any instance can be asked: it does a round of its own. */
  async accept(chosen: ChosenLevels): Promise<Acceptance | Unavailable> {
    if (!this.#isActive) return { problem: SWITCHED_OFF };
    const acceptance = await this.#acceptances.ask((id) => this.#thread.tell({ type: 'accept', id, chosen }));
    if ('accepted' in acceptance && acceptance.accepted.length > 0) {
      const accepted = acceptance.accepted.map(({ metric, criterion }) => criterion ?? metric).join(', ');
      this.#log.line('info', 'detection: regressed levels accepted, they are the new baseline', {
        ...chosen,
        accepted,
      });
    }
    return acceptance;
  }

  sources(): readonly MetricSource[] {
    return this.#metrics.sources(() => this.#report);
  }

  /** State; the same object until it changes. */
  get state(): DetectionState {
    const isActive = this.#isActive;
    const report = this.#report;
    if (this.#state.isActive !== isActive || this.#state.report !== report) this.#state = { isActive, report };
    return this.#state;
  }

  /** Sends no more. While the thread that owns the state is there, so that it learns what was delivered. */
  async stop(): Promise<void> {
    await Promise.all([this.#webhooks.stop(), this.#history?.stop()]);
    this.#readEvidence = undefined;
  }

  /** Notices wait in the state until then. */
  #send({ notices }: DetectionReport): void {
    if (this.#readEvidence !== undefined) this.#webhooks.take(notices);
  }

  #webhooksOf(alerts: Settings['alerts']): Webhooks {
    for (const { name: webhook } of alerts.webhooks) this.#metrics.begin({ webhook });
    return new Webhooks({
      ...alerts,
      evidenceOf: (transition) => this.#evidence(transition),
      onDelivered: (delivered) => this.#thread.delivered(delivered),
      onEvent: this.#onEvent,
    });
  }

  /** A notice is worth more than what goes with it. */
  async #evidence({ kind, reading }: Transition): Promise<Evidence> {
    try {
      return (await this.#readEvidence?.({ kind, reading })) ?? NO_EVIDENCE;
    } catch (error) {
      this.#log.line('warn', 'detection: conversations of a regression could not be read, reporting it without them', {
        error: error instanceof Error ? error.message : String(error),
      });
      return NO_EVIDENCE;
    }
  }
}
