/**
 * The log: one JSON object a line, one line an episode. Trouble that repeats is written once and then summed up once a
 * minute, so that a bad hour is readable afterwards. Nothing is logged per span or per request.
 *
 * error: someone must act. warn: we coped, but look. info: life-cycle.
 */
import type { PipelineEvent } from './health-metrics.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = { readonly [field: string]: string | number | boolean | undefined };

const EPISODE_MS = 60_000;
const TEXT_LENGTH_MAX = 2000;

interface Episode {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  readonly until: number;
  repeats: number;
}

export class Log {
  readonly #write: (line: string) => void;
  readonly #levelMax: number;
  readonly #episodes = new Map<string, Episode>();

  constructor(options: { readonly level: LogLevel; readonly write: (line: string) => void }) {
    this.#write = options.write;
    this.#levelMax = LOG_LEVELS.indexOf(options.level);
  }

  line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) > this.#levelMax) return;
    const entry: Record<string, unknown> = { time: new Date().toISOString(), level, message };
    for (const [field, value] of Object.entries(fields)) {
      if (value !== undefined) entry[field] = typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX) : value;
    }
    // JSON escapes control characters, so a hostile name can't forge a line or colour a terminal.
    this.#write(`${JSON.stringify(entry)}\n`);
  }

  event(event: PipelineEvent): void {
    const described = describe(event);
    if (described === undefined) return;
    const { level, message, fields, episode } = described;
    if (episode === undefined) this.line(level, message, fields);
    else this.#repeatable(episode, { level, message, fields });
  }

  /** Sums up the episodes that are over. Called now and then, and before the end. */
  flush(now: number = Date.now(), options: { readonly all: boolean } = { all: false }): void {
    for (const [key, episode] of this.#episodes) {
      if (!options.all && now < episode.until) continue;
      this.#episodes.delete(key);
      if (episode.repeats > 0) {
        this.line(episode.level, `${episode.message} (repeated)`, { ...episode.fields, repeats: episode.repeats });
      }
    }
  }

  #repeatable(
    key: string,
    what: { readonly level: LogLevel; readonly message: string; readonly fields: LogFields },
  ): void {
    const now = Date.now();
    const current = this.#episodes.get(key);
    if (current !== undefined && now < current.until) {
      current.repeats += 1;
      return;
    }
    this.flush(now);
    this.#episodes.set(key, { ...what, until: now + EPISODE_MS, repeats: 0 });
    this.line(what.level, what.message, what.fields);
  }
}

interface Described {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  /** What makes two lines the same episode; absent where each is written. */
  readonly episode?: string;
}

function describe(event: PipelineEvent): Described | undefined {
  switch (event.type) {
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
        message: 'too many label sets; counted under `other`',
        fields: { agent: event.agent },
        episode: 'folded',
      };
    case 'store-pruned': {
      const { conversations, bytes } = event;
      return conversations === 0
        ? undefined
        : { level: 'info', message: 'old conversations let go', fields: { conversations, bytes } };
    }
    default:
      return undefined;
  }
}
