/** What the main thread and the scoring thread say to each other. */
import type { ClosedTurn, RowGroup } from '../../assemble/open-turns.ts';
import type { Total } from '../../store/engine-store.ts';
import type { StoppedCheck } from '../../engine/check-watch.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import type { ResultEvent } from '../../model/events/result-events.ts';
import type { EngineEvent, TurnFate } from '../../model/events/scoring-events.ts';
import type { TruthFile } from '../../model/truth.ts';
import type { OtlpSenderOptions } from '../../report/results/otlp-sender.ts';
import type { AcceptCommand, DetectionMessage, DetectionStart } from '../../engine/detection/detection-owner.ts';
import type { Settled } from '../../engine/detection/detection-rounds.ts';
import type { EngineSettings } from '../../engine/engine.ts';
import type { PutCommand, PutMessage } from '../store-writes.ts';
import type { JudgingStart } from '../../engine/judging-start.ts';

export interface ScorerStart {
  readonly settings: EngineSettings & { readonly store: RetentionSettings; readonly truth: readonly TruthFile[] };
  readonly storeFile: string;
  readonly journalDirectory: string;
  readonly suites: readonly string[];
  readonly shadowSuites: readonly string[];
  readonly suitesBaseDirectory: string;
  /** Undefined where regressions are not looked for. */
  readonly detection: DetectionStart | undefined;
  /** Undefined where what evaluations say goes nowhere but into the store. */
  readonly results: OtlpSenderOptions | undefined;
  /** Undefined where no judge is configured. */
  readonly judging: JudgingStart | undefined;
  readonly watch: SharedArrayBuffer;
  readonly stopped: readonly StoppedCheck[];
}

export interface RetentionSettings {
  readonly maxBytes: number;
  readonly keepMs: number;
  readonly keepFailedMs: number;
}

/** A closed turn as it crosses to the other thread: numbers in one buffer, groups once each. */
export interface PackedTurn {
  readonly traceId: string;
  readonly cause: ClosedTurn['cause'];
  readonly closedAt: number;
  readonly position: number;
  readonly spansAreDistinct: boolean;
  /** position, length and number of the group, for each row. */
  readonly rows: Float64Array<ArrayBuffer>;
  readonly groups: readonly RowGroup[];
}

export type ToScorer =
  | { readonly type: 'close'; readonly sequence: number; readonly turn: PackedTurn }
  | { readonly type: 'advance'; readonly sequence: number; readonly logTime: number }
  | { readonly type: 'prune'; readonly sequence: number }
  /** Before commands are sent again after `failed`; what was on its way until then is not done. */
  | { readonly type: 'resume' }
  /** A webhook has had a notice. Where the thread ends before it has heard, the notice comes again, and so does this. */
  | { readonly type: 'settled'; readonly settled: Settled }
  | AcceptCommand
  | PutCommand
  | { readonly type: 'stop' };

export type FromScorer =
  | {
      readonly type: 'ready';
      readonly totals: readonly Total[];
      readonly floor: { readonly position: number; readonly logTime: number };
    }
  /** Everything up to `sequence` is stored, durably. */
  | {
      readonly type: 'committed';
      readonly sequence: number;
      readonly fates: readonly TurnFate[];
      readonly totals: readonly Total[];
      readonly events: readonly EngineEvent[];
      readonly tookMs: number;
    }
  /** The transaction was undone, all of it; the same commands must be sent again. */
  | { readonly type: 'failed'; readonly error: string }
  | { readonly type: 'pruned'; readonly conversations: number; readonly bytes: number }
  | DetectionMessage
  | PutMessage
  | { readonly type: 'result-event'; readonly event: ResultEvent }
  | { readonly type: 'judge-event'; readonly event: JudgeEvent }
  | { readonly type: 'stopped' };

export function packTurn(turn: ClosedTurn): PackedTurn {
  const groups: RowGroup[] = [];
  const numbers = new Map<RowGroup, number>();
  const rows = new Float64Array(turn.rows.length * 3);
  for (const [index, row] of turn.rows.entries()) {
    let number = numbers.get(row.group);
    if (number === undefined) {
      number = groups.push(row.group) - 1;
      numbers.set(row.group, number);
    }
    rows[index * 3] = row.position;
    rows[index * 3 + 1] = row.length;
    rows[index * 3 + 2] = number;
  }
  const { traceId, cause, closedAt, position, spansAreDistinct } = turn;
  return { traceId, cause, closedAt, position, spansAreDistinct, rows, groups };
}

export function unpackTurn(packed: PackedTurn): ClosedTurn {
  const rows = [];
  for (let at = 0; at < packed.rows.length; at += 3) {
    const group = packed.groups[packed.rows[at + 2] ?? -1];
    if (group === undefined) throw new Error(`unpack turn ${packed.traceId}: row ${at / 3} has no group`);
    rows.push({ position: packed.rows[at] ?? 0, length: packed.rows[at + 1] ?? 0, group });
  }
  const { cause, closedAt, position, spansAreDistinct } = packed;
  // The cast is the brand: `packTurn` took it from a trace id.
  return { traceId: packed.traceId as ClosedTurn['traceId'], cause, closedAt, position, spansAreDistinct, rows };
}
