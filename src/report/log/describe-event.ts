/** What is written to the log about an event: how bad it is, in which words, and what counts as the same again. */
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import { describeJudgeEvent } from './describe-judge-event.ts';
import { detectionRecord, NO_EVIDENCE } from '../webhooks/detection-record.ts';
import type { PipelineEvent } from '../metrics/health-counters.ts';
import type { LogFields, LogLevel } from './log.ts';

export interface Described {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  /** What makes two lines the same episode; absent where each is written. */
  readonly episode?: string;
}

export function describeEvent(
  event: PipelineEvent | ClusterEvent | DetectionEvent | JudgeEvent,
): Described | undefined {
  switch (event.type) {
    case 'judge-stopped':
    case 'judge-resumed':
    case 'judge-called':
    case 'budget-exhausted':
    case 'judging-failed':
      return describeJudgeEvent(event);
    case 'journal-recovered': {
      const { entries, rows, cutBytes, tookMs } = event;
      const fields = { entries, rows, cut_bytes: cutBytes, took_ms: Math.round(tookMs) };
      return { level: 'info', message: 'journal recovered', fields };
    }
    case 'journal-corrupt': {
      const { position, length, quarantinedAt } = event;
      const fields = { position, length, quarantined_at: quarantinedAt };
      return {
        level: 'error',
        message: 'part of the journal is corrupt and was set aside; accepted spans in it are lost',
        fields,
      };
    }
    case 'journal-refused': {
      const { because, detail } = event;
      const fields = { because, detail };
      return {
        level: 'warn',
        message: 'new data are refused until the journal has room',
        fields,
        episode: `refused ${because}`,
      };
    }
    case 'journal-segment-failed':
      return { level: 'warn', message: 'journal segment', fields: { detail: event.detail }, episode: 'segment' };
    case 'request-refused': {
      const { transport, reason } = event;
      return {
        level: 'warn',
        message: 'request refused',
        fields: { transport, reason },
        episode: `request ${transport} ${reason}`,
      };
    }
    case 'records-rejected': {
      const { signal, reason } = event;
      return {
        level: 'warn',
        message: 'records rejected',
        fields: { signal, reason },
        episode: `rejected ${signal} ${reason}`,
      };
    }
    case 'check-failed': {
      const { suite, criterion, reason } = event;
      return {
        level: 'warn',
        message: 'a check failed to answer',
        fields: { suite, criterion, reason },
        episode: `check ${suite}/${criterion}`,
      };
    }
    case 'check-stopped': {
      const { suite, criterion, suspended } = event;
      return {
        level: 'error',
        message: 'a check ran past its limit and was stopped',
        fields: { suite, criterion, suspended },
      };
    }
    case 'not-understood': {
      const { what, reason } = event;
      return {
        level: 'error',
        message: 'a turn or conversation could not be understood and is left out',
        fields: { what, reason },
        episode: 'not understood',
      };
    }
    case 'scorer-failed':
      return {
        level: 'error',
        message: 'scoring failed and is tried again',
        fields: { error: event.error },
        episode: `scorer ${event.error}`,
      };
    case 'scorer-restarted':
      return { level: 'warn', message: 'the scoring thread was started again', fields: { because: event.because } };
    case 'labels-folded':
      return {
        level: 'warn',
        message:
          event.label === 'agent'
            ? 'too many label sets; counted under `other`'
            : 'too many segments; counted under `other`',
        fields: { agent: event.agent },
        episode: `folded ${event.label}`,
      };
    case 'store-pruned': {
      const { conversations, bytes } = event;
      return conversations === 0
        ? undefined
        : { level: 'info', message: 'old conversations let go', fields: { conversations, bytes } };
    }
    case 'results-failed':
      return {
        level: 'warn',
        message: 'results could not be sent to the backend; they wait in the store and are sent again',
        fields: { problem: event.problem },
        episode: 'results failed',
      };
    case 'results-refused':
      return {
        level: 'error',
        message: 'the backend refused results for good; they are in the store, and not sent again',
        fields: { evaluations: event.evaluations, problem: event.problem },
        episode: 'results refused',
      };
    case 'results-dropped':
      return {
        level: 'error',
        message: 'more results waited for the backend than may; the oldest are not sent',
        fields: { evaluations: event.evaluations },
        episode: 'results dropped',
      };
    case 'config-reloaded': {
      const fields = {
        suites: event.suites.join(', '),
        ...(event.needRestart.length === 0 ? {} : { needs_restart: event.needRestart.join(', ') }),
      };
      return event.needRestart.length === 0
        ? { level: 'info', message: 'configuration reloaded', fields }
        : { level: 'warn', message: 'configuration reloaded, but what needs a restart is as it was', fields };
    }
    case 'config-reload-failed': {
      const { mistakes, problem } = event;
      return {
        level: 'error',
        message: 'the configuration could not be reloaded; what ran before runs on',
        fields: { mistakes, problem },
      };
    }
    case 'config-mistake': {
      const { file, line, path, problem, expected } = event.mistake;
      return {
        level: 'error',
        message: 'mistake in the configuration',
        fields: { file, line, path, problem, expected },
      };
    }
    case 'telemetry-problem':
      return {
        level: 'warn',
        message: "Assay's own traces or metrics could not be sent",
        fields: { problem: event.problem },
        episode: 'telemetry',
      };
    case 'kafka-problem':
      return event.problem === undefined
        ? { level: 'info', message: 'reading from Kafka again', fields: {} }
        : { level: 'error', message: 'this instance can not read from Kafka', fields: { problem: event.problem } };
    case 'store-problem':
      return event.problem === undefined
        ? { level: 'info', message: 'the shared store can be used again', fields: {} }
        : { level: 'error', message: 'the shared store can not be used', fields: { problem: event.problem } };
    case 'sending-problem':
      return event.problem === undefined
        ? { level: 'info', message: 'evaluations are sent to their topic again', fields: {} }
        : {
            level: 'error',
            message: 'evaluations can not be sent to their topic; they wait in the store',
            fields: { problem: event.problem },
          };
    case 'record-unreadable': {
      const { topic, partition, offset, reason, fate } = event;
      const fields = { topic, partition, offset, reason, fate };
      return { level: 'warn', message: 'a record can not be read', fields, episode: `unreadable ${topic}` };
    }
    case 'record-late':
      return {
        level: 'warn',
        message: 'records come later than kafka.clock_margin allows for',
        fields: { topic: event.topic, by_ms: event.byMs },
        episode: `late ${event.topic}`,
      };
    case 'lanes-gained':
      return { level: 'info', message: 'lanes gained', fields: { lanes: event.lanes.join(' '), kept: event.kept } };
    case 'lanes-lost':
      return { level: 'info', message: 'lanes lost', fields: { lanes: event.lanes.join(' '), because: event.because } };
    case 'detector-changed': {
      const { summary, suite, agent, environment, metric, criterion, from, to } = detectionRecord(
        event.transition,
        NO_EVIDENCE,
      );
      const fields = { summary, suite, agent, environment, metric, criterion, from, to };
      return { level: levelOfChange(from, to), message: 'a detector has changed its state', fields };
    }
    case 'detection-began-anew':
      return {
        level: 'error',
        message: 'what regression detection had learnt can not be used; it learns anew',
        fields: { problem: event.problem },
      };
    case 'detection-dropped':
      return {
        level: 'warn',
        message: 'regression detection let something go',
        fields: { problem: event.problem },
        episode: 'detection dropped',
      };
    case 'detection-failed':
      return {
        level: 'error',
        message: 'a round of regression detection failed and is tried again',
        fields: { problem: event.problem },
        episode: `detection ${event.problem}`,
      };
    case 'webhook-failed':
      return {
        level: 'warn',
        message: 'a notice could not be delivered and is sent again',
        fields: { webhook: event.webhook, problem: event.problem },
        episode: `webhook ${event.webhook}`,
      };
    case 'webhook-given-up':
      return {
        level: 'error',
        message: 'a notice was given up: the webhook took it at no time within alerts.give_up_after',
        fields: { webhook: event.webhook, id: event.id },
      };
    default:
      return undefined;
  }
}

/** A new agent has a detector for each criterion, and that they begin is of interest to nobody but us. */
function levelOfChange(from: string, to: string): Described['level'] {
  if (to === 'regressed' || to === 'worse') return 'warn';
  return from === 'no_data' || from === 'learning' ? 'debug' : 'info';
}
