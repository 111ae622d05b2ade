/**
 * The log: one JSON object a line, one line an episode. Trouble that repeats is written once and then summed up once a
 * minute, so that a bad hour is readable afterwards. Nothing is logged per span or per request.
 *
 * error: someone must act. warn: we coped, but look. info: life-cycle.
 */
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import { describeEvent } from './describe-event.ts';
import type { PipelineEvent } from '../metrics/health-counters.ts';

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
  #levelMax: number;
  readonly #episodes = new Map<string, Episode>();

  constructor(options: { readonly level: LogLevel; readonly write: (line: string) => void }) {
    this.#write = options.write;
    this.#levelMax = LOG_LEVELS.indexOf(options.level);
  }

  setLevel(level: LogLevel): void {
    this.#levelMax = LOG_LEVELS.indexOf(level);
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

  event(event: PipelineEvent | ClusterEvent | DetectionEvent | JudgeEvent): void {
    const described = describeEvent(event);
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
