/**
 * The log line, the level, the episode and the metrics of each kind of event. Each domain is a file of this folder: the definitions of its metrics,
 * then the table of its events. A kind of event without an entry does not compile.
 */
import type { LogFields, LogLine } from '../log/log.ts';

export type EventTable<E extends { readonly type: string }, Metrics = unknown> = {
  readonly [T in E['type']]: Shown<Extract<E, { readonly type: T }>, Metrics>;
};

type Shown<E, Metrics> =
  | {
      /** Undefined where this one is not worth a line. */
      readonly log: (event: E) => LogLine | undefined;
      readonly count?: (event: E, metrics: Metrics) => void;
    }
  | { readonly count: (event: E, metrics: Metrics) => void }
  /** Neither logged nor counted, for this reason. */
  | { readonly silent: string };

/** Someone must act. Lines of one `episode` are written once a minute, and then summed up. */
export function error(message: string, fields: LogFields, episode?: string): LogLine {
  return { level: 'error', message, fields, episode };
}

/** We coped, but look. */
export function warn(message: string, fields: LogFields, episode?: string): LogLine {
  return { level: 'warn', message, fields, episode };
}

/** Life-cycle. */
export function info(message: string, fields: LogFields = {}): LogLine {
  return { level: 'info', message, fields, episode: undefined };
}
