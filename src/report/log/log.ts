/**
 * The log: one JSON object a line, one line an episode. Trouble that repeats is written once and then summed up once a
 * minute, so that a bad hour is readable afterwards. Nothing is logged per span or per request.
 *
 * error: someone must act. warn: we coped, but look. info: life-cycle.
 */
import { visibleJson } from '../../model/visible-text.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = { readonly [field: string]: string | number | boolean | undefined };

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  /** Key of an episode that is logged once; undefined if each line is written. */
  readonly episode: string | undefined;
}

const EPISODE_MS = 60_000;
const TEXT_LENGTH_MAX = 2000;

interface Episode extends Omit<LogLine, 'episode'> {
  readonly until: number;
  repeats: number;
}

export class Log {
  readonly #write: (line: string) => void;
  readonly #always: LogFields;
  #levelMax: number;
  readonly #episodes = new Map<string, Episode>();

  /** `always` is in every line. */
  constructor(options: {
    readonly level: LogLevel;
    readonly write: (line: string) => void;
    readonly always?: LogFields;
  }) {
    this.#write = options.write;
    this.#always = options.always ?? {};
    this.#levelMax = LOG_LEVELS.indexOf(options.level);
  }

  /** A log of its own with fields in every line, which writes where this one does. */
  with(always: LogFields): Log {
    return new Log({ level: LOG_LEVELS[this.#levelMax] ?? 'info', write: this.#write, always });
  }

  setLevel(level: LogLevel): void {
    this.#levelMax = LOG_LEVELS.indexOf(level);
  }

  line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) > this.#levelMax) return;
    const entry: Record<string, unknown> = { time: new Date().toISOString(), level, message };
    for (const [field, value] of Object.entries({ ...this.#always, ...fields })) {
      if (value !== undefined) entry[field] = typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX) : value;
    }
    // A hostile name can't forge a line, colour a terminal or turn the text around.
    this.#write(`${visibleJson(entry)}\n`);
  }

  /** Writes a line, or counts it where its episode has one already. */
  report({ level, message, fields, episode }: LogLine): void {
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

  #repeatable(key: string, what: Omit<LogLine, 'episode'>): void {
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
