/**
 * Scores recorded data with the engine of the online service: the same turns, the same conversations, the same
 * evaluations, byte for byte. Only the log differs: it is a file, and when it ends, time runs to the end of time, so
 * that everything closes by the ordinary rules.
 */
import path from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { Judges } from '../score/suite/judges.ts';
import { Store } from '../store/sqlite/store.ts';
import { UNWATCHED } from '../engine/check-watch.ts';
import { ConversationNotes } from '../engine/conversation-notes.ts';
import { engineSettings, turnLimits } from '../engine/engine-settings.ts';
import { ArrivalReader } from '../engine/arrival.ts';
import { Engine } from '../engine/engine.ts';
import { Intake } from '../engine/intake.ts';
import type { RecordedBatch } from '../engine/recorded/recorded-batch.ts';
import { redactRecorded } from './recording.ts';
import { judgeOf, judgingStart } from '../engine/judging-start.ts';
import { type RecordedEstimate, recordedEstimate } from './recorded-estimate.ts';
import type { OfflineJudges } from './offline-judges.ts';
import { type ReadableSpool, RecordingLog, MemorySpool } from '../engine/recorded/recording-log.ts';
import { type FoundTruths, UnreadableTruths } from './unreadable-truths.ts';
import { EndlessTurns, turnsOf, type TurnsWithoutEnd } from './turns-without-end.ts';
import { checkedTruth } from '../engine/truth-files.ts';
import type { WrittenTruth } from '../engine/truths.ts';
import type { EngineEvent, TurnFate } from '../model/events/scoring-events.ts';
import { type Doubt, DOUBTS } from '../model/turn.ts';

interface OfflineResult extends FoundTruths {
  readonly evaluations: readonly Evaluation[];
  readonly requests: number;
  readonly records: number;
  readonly rejected: number;
  /** Turns of an agent. */
  readonly turns: number;
  /** Traces in which nothing is the work of an agent, and that are nothing of the below. */
  readonly otherTraces: number;
  /** Traces of log records whose spans never came. */
  readonly logsAlone: number;
  readonly withoutEnd: readonly TurnsWithoutEnd[];
  /** Turns that were not read as they happened, by the sign of it. */
  readonly doubted: readonly (readonly [doubt: Doubt, turns: number])[];
  /** Conversations that no suite scored. */
  readonly unmatched: number;
  /** Undefined unless it was asked for. */
  readonly estimated: RecordedEstimate | undefined;
  /** The counters of the online service, had it received the recording. */
  readonly totals: readonly { readonly metric: string; readonly labels: string; readonly value: number }[];
}

interface OfflineOptions {
  readonly batches: AsyncIterable<RecordedBatch> | Iterable<RecordedBatch>;
  readonly suites: readonly CompiledSuite[];
  readonly settings: Settings;
  /** Truth known from elsewhere, used as if it had been sent by the API. */
  readonly truthOf?: (conversation: ConversationId) => Json | undefined;
  /** People's readings of its conversations, for the estimate. */
  readonly readings?: Parameters<typeof recordedEstimate>[1] | undefined;
  /** Judges for judged criteria; without them, such criteria are skipped. */
  readonly judges?: OfflineJudges | undefined;
  readonly onProgress?: (progress: { readonly records: number; readonly turns: number }) => void;
}

const END_OF_TIME = Number.MAX_SAFE_INTEGER;
const TURNS_PER_TRANSACTION = 500;

/** Kinds under which the summary counts closed turns without work of an agent; undefined for others. */
const COUNTED_AS = {
  stored: undefined,
  revised: undefined,
  'stored-already': undefined,
  duplicate: undefined,
  'too-late': undefined,
  pruned: undefined,
  forgotten: undefined,
  'over-limit': undefined,
  'logs-without-spans': 'logsAlone',
  'no-agent-steps': 'withoutAgent',
  'not-understood': undefined,
} satisfies Record<TurnFate, 'logsAlone' | 'withoutAgent' | undefined>;

/** Counts the turns that are told of beside what was scored. */
class NotedTurns {
  readonly noAgent = { logsAlone: 0, withoutAgent: 0 };
  readonly endless = new EndlessTurns();
  readonly #doubted = new Map<Doubt, number>();

  doubted(): OfflineResult['doubted'] {
    return DOUBTS.flatMap((doubt) => {
      const turns = this.#doubted.get(doubt);
      return turns === undefined ? [] : [[doubt, turns] as const];
    });
  }

  note(event: EngineEvent): void {
    this.endless.note(event);
    if (event.type === 'turn-doubted') this.#doubted.set(event.doubt, (this.#doubted.get(event.doubt) ?? 0) + 1);
    const kind = event.type === 'turn-closed' ? COUNTED_AS[event.fate] : undefined;
    if (kind !== undefined) this.noAgent[kind] += 1;
  }
}

export async function scoreRecorded(options: OfflineOptions): Promise<OfflineResult> {
  const { spool, store } = placesFor(options.batches);
  const settings = { ...engineSettings(options.settings), words: false };
  const truths = new UnreadableTruths(options.suites);
  const truth = truths.notedFrom(truthWith(options, checkedTruth(options.settings.truth)));
  const { judges } = options;
  const judge = judges?.settings ?? notAsked(options.settings);
  const noted = new NotedTurns();
  const makeEngine = (conversations: 'when due' | 'at the end') => {
    return new Engine({
      conversations,
      settings: {
        ...settings,
        metrics: { ...settings.metrics, maxLabelValues: Number.POSITIVE_INFINITY, observed: false, reported: false },
      },
      suites: options.suites,
      truth,
      judge,
      store,
      watch: UNWATCHED,
      onEvent: (event) => noted.note(event),
    });
  };
  const arrivals = new ArrivalReader((position, length) => spool.read(position, length));
  let engine = makeEngine('at the end');
  let turns = 0;
  const intake = new Intake(turnLimits(options.settings), {
    closed: (turn) => {
      engine.arrive(arrivals.arrivalOf(turn));
      turns += 1;
      if (turns % TURNS_PER_TRANSACTION === 0) {
        store.commit();
        store.begin();
        options.onProgress?.({ records, turns });
      }
    },
    released: () => {},
  });
  const notes = new ConversationNotes(options.settings.conversation.idKeys);
  let requests = 0;
  let records = 0;
  let rejected = 0;
  try {
    store.begin();
    for await (const batch of redactRecorded(options.batches, options.settings)) {
      if (requests === 0 && batch.logTime > 0) engine = makeEngine('when due');
      requests += 1;
      records += batch.rows;
      rejected += batch.rejected;
      notes.note(batch);
      intake.take(spool.append(batch));
      options.onProgress?.({ records, turns });
    }
    intake.advance(END_OF_TIME);
    engine.advance(END_OF_TIME);
    store.commit();
    while ((await judges?.answer(store)) === true) {
      do {
        store.begin();
        engine.advance(END_OF_TIME);
        store.commit();
      } while (store.questions.endedWaiters(1).length > 0);
    }
    const reader = store.reader();
    const evaluations = [...reader.allEvaluations()];
    const totals = reader.totals();
    const unmatched = totals.find(({ labels }) => labels.includes('"no_suite_matched"'))?.value ?? 0;
    const withoutEnd = noted.endless.all();
    return {
      ...{ evaluations, requests, records, rejected, unmatched, totals, withoutEnd, ...truths.found() },
      doubted: noted.doubted(),
      estimated: options.readings && (await recordedEstimate(store, options.readings)),
      turns: turns - noted.noAgent.logsAlone - noted.noAgent.withoutAgent,
      otherTraces: noted.noAgent.withoutAgent - turnsOf(withoutEnd, 'no-root'),
      logsAlone: noted.noAgent.logsAlone,
    };
  } finally {
    store.close();
    spool.close();
  }
}

/** Up to this, what is given in memory as a whole stays there: opening files takes longer than scoring a conversation. */
const SMALL_BYTES = 16 << 20;

function placesFor(batches: OfflineOptions['batches']): { readonly spool: ReadableSpool; readonly store: Store } {
  const isSmall =
    Array.isArray(batches) &&
    // The cast holds: a list iterates over what is in it.
    (batches as readonly RecordedBatch[]).reduce((sum, { bytes }) => sum + bytes.length, 0) <= SMALL_BYTES;
  if (isSmall) return { spool: new MemorySpool(), store: Store.inMemory() };
  const spool = new RecordingLog();
  return { spool, store: Store.open(path.join(spool.directory, 'store.db'), { durable: false }) };
}

/** Overrides whatever else is known. */
function truthWith({ truthOf }: OfflineOptions, written: WrittenTruth | undefined): WrittenTruth | undefined {
  if (truthOf === undefined) return written;
  return {
    find: (conversation) => {
      const truth = truthOf(conversation.id);
      return [...(written?.find(conversation) ?? []), ...(truth === undefined ? [] : [truth])];
    },
  };
}

function notAsked(settings: Settings): Judges['settings'] {
  const configured = judgeOf(judgingStart(settings));
  return (name) => (configured(name) === undefined ? undefined : 'not asked');
}
