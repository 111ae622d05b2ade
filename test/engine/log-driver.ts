/**
 * Drives the engine from a log with given times, as the service does from its journal, and can crash: uncommitted work
 * is lost, and the log is replayed from the start.
 */
import path from 'node:path';
import { RecordingLog } from '../../src/engine/recorded/recording-log.ts';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import type { Evaluation } from '../../src/model/evaluation.ts';
import type { TraceId } from '../../src/model/ids.ts';
import { encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexLogs } from '../../src/otlp/logs-reader.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { type CheckWatch, UNWATCHED } from '../../src/engine/check-watch.ts';
import { Engine } from '../../src/engine/engine.ts';
import { ConversationNotes } from '../../src/engine/conversation-notes.ts';
import { engineSettings, turnLimits } from '../../src/engine/engine-settings.ts';
import { ArrivalReader } from '../../src/engine/arrival.ts';
import { Intake, type LogEntry } from '../../src/engine/intake.ts';
import type { TurnFate } from '../../src/model/events/scoring-events.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import type { WrittenTruth } from '../../src/engine/truths.ts';
import type { Judges } from '../../src/score/suite/judges.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import type { ConversationRow } from '../../src/store/conversation-row.ts';
import { HISTORY_WIDTHS, type HistoryRow } from '../../src/store/history.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';

export interface Line {
  readonly at: number;
  /** OTLP/JSON. */
  readonly request: string;
  readonly signal?: 'traces' | 'logs';
}

export const BUILTIN = path.resolve(import.meta.dirname, '../../suites');

export async function builtinSuites(names: readonly string[]): Promise<readonly CompiledSuite[]> {
  const { suites, mistakes } = await loadSuites(names, { baseDir: BUILTIN, builtinDir: BUILTIN });
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes));
  return suites;
}

export function defaultSettings(): Settings {
  return loadSettings({ flags: {}, env: {}, cwd: BUILTIN }).settings;
}

export class LogDriver {
  readonly fates: TurnFate[] = [];
  readonly #directory: string;
  readonly #suites: readonly CompiledSuite[];
  readonly #settings: Settings;
  readonly #judge: Judges['settings'] | undefined;
  readonly #truth: WrittenTruth | undefined;
  readonly #watch: CheckWatch;
  readonly #spool = new RecordingLog();
  readonly #log: LogEntry[] = [];
  readonly #notes: ConversationNotes;
  #store: Store;
  #engine: Engine;
  readonly #arrivals = new ArrivalReader((position, length) => this.#spool.read(position, length));
  #intake: Intake;

  constructor(options: {
    readonly directory: string;
    readonly suites: readonly CompiledSuite[];
    readonly settings?: Settings;
    readonly judge?: Judges['settings'];
    readonly truth?: WrittenTruth;
    readonly watch?: CheckWatch;
  }) {
    this.#directory = options.directory;
    this.#suites = options.suites;
    this.#settings = options.settings ?? defaultSettings();
    this.#notes = new ConversationNotes(this.#settings.conversation.idKeys);
    this.#judge = options.judge;
    this.#truth = options.truth;
    this.#watch = options.watch ?? UNWATCHED;
    this.#store = Store.open(this.#file, { durable: false });
    this.#engine = this.#makeEngine();
    this.#intake = this.#makeIntake();
    this.#store.begin();
  }

  get #file(): string {
    return path.join(this.#directory, 'store.db');
  }

  take(line: Line): void {
    const signal = line.signal ?? 'traces';
    const bytes =
      signal === 'traces' ? transcodeTraces(Buffer.from(line.request)) : transcodeLogs(Buffer.from(line.request));
    const table = encodeTable(signal === 'traces' ? indexTraces(bytes) : indexLogs(bytes));
    this.#notes.note({ signal, bytes, table });
    const entry = this.#spool.append({ signal, bytes, table, logTime: line.at });
    this.#log.push(entry);
    this.#intake.take(entry);
  }

  advance(to: number): void {
    this.#intake.advance(to);
    this.#engine.advance(to);
  }

  commit(): void {
    this.#store.commit();
    this.#store.begin();
  }

  /** Changes that another process makes to the store, between transactions. */
  between<T>(work: (store: Store) => T): T {
    this.#store.commit();
    const done = work(this.#store);
    this.#store.begin();
    return done;
  }

  /** The present content of the store. */
  evaluationsOf(conversation: string): readonly Evaluation[] {
    this.commit();
    const reader = StoreReader.open(this.#file);
    const row = reader.find(conversation);
    const evaluations = row === undefined ? [] : [...reader.evaluations(row, { revisions: 'all' })];
    reader.close();
    return evaluations;
  }

  /** Everything since the last commit is lost, and the log is replayed; stored rows are left out, as by the journal. */
  crash(): void {
    this.#store.close();
    this.#store = Store.open(this.#file, { durable: false });
    this.#store.begin();
    this.#engine = this.#makeEngine();
    this.#intake = this.#makeIntake();
    const stored = new Map<TraceId, number>();
    const storedTo = (traceId: TraceId) => {
      const position = stored.get(traceId) ?? this.#store.storedUpTo(traceId) ?? 0;
      stored.set(traceId, position);
      return position;
    };
    for (const entry of this.#log) this.#intake.take(entry, (traceId) => entry.position < storedTo(traceId));
  }

  /** Closes everything that is open by its own deadlines, and returns the resulting content of the store. */
  finish(): {
    readonly evaluations: readonly Evaluation[];
    readonly totals: readonly unknown[];
    readonly all: readonly Evaluation[];
    readonly conversations: readonly ConversationRow[];
    /** Rows of the narrowest width. */
    readonly history: readonly HistoryRow[];
  } {
    this.advance(Number.MAX_SAFE_INTEGER);
    this.#store.commit();
    const reader = StoreReader.open(this.#file);
    const evaluations = [...reader.allEvaluations()];
    const conversations = reader.list({ limit: 10_000 });
    const all = conversations.flatMap((conversation) => [...reader.evaluations(conversation, { revisions: 'all' })]);
    const totals = reader.totals();
    const [{ ms: width }] = HISTORY_WIDTHS;
    const history = this.#suites.flatMap(({ name }) =>
      reader.history({ suite: name, width, since: 0, until: Number.MAX_SAFE_INTEGER }),
    );
    reader.close();
    this.close();
    return { evaluations, totals, all, conversations, history };
  }

  close(): void {
    this.#store.close();
    this.#spool.close();
  }

  #makeEngine(): Engine {
    return new Engine({
      settings: engineSettings(this.#settings),
      suites: this.#suites,
      store: this.#store,
      watch: this.#watch,
      onEvent: () => {},
      truth: this.#truth,
      ...(this.#judge !== undefined && { judge: this.#judge }),
    });
  }

  #makeIntake(): Intake {
    return new Intake(turnLimits(this.#settings), {
      closed: (turn) => this.fates.push(this.#engine.arrive(this.#arrivals.arrivalOf(turn))),
      released: () => {},
    });
  }
}
