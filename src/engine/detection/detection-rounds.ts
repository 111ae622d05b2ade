/**
 * Rounds of regression detection: what waits in the store is observed, time moves on, and what was learnt is written,
 * in one transaction of the store. One machine has one owner, the scoring thread; of many instances it is the one that
 * has the first lane, and the store's lock on the state makes it safe when two think so.
 *
 *   evaluated   its observation is committed with the evaluation     a crash before: neither is there
 *   taken       read, and the state locked                           a crash: it is taken again, by whoever is next
 *   observed    by the detectors in memory; it goes on waiting       the same: the state in the store is as it was
 *   written     snapshot and deletion, not committed                 the same
 *   committed   observed, once; told to whoever shows and sends      a crash: gauges come with the next round; notices are in the
 *                                                                    state until a webhook has answered
 *
 * The whole state is written, which for two hundred agents costs as much as scoring what they have seen. So a round of
 * which nobody is told anything leaves its observations in the store, and knows by their names which it has had. They go
 * with the next state, after a minute or two thousand of them.
 *
 * The detectors in memory are a cache of the state: they are used where its version is the one that they were written
 * with, and read from it otherwise. A state that can't be read (an older format, a broken row) begins from scratch. So
 * does one that fails on an observation: the observations of that round are dropped, because the next round would fail
 * on them as well. A state of a newer Assay is left to it (state-format.ts). Detection is never worth the scores.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { DetectionSettings } from '../../statistics/detect/settings.ts';
import {
  type Acceptance,
  type ChosenLevels,
  type DetectionReport,
  type Notice,
  noticeKindOf,
  type NoticeKind,
  type Transition,
} from '../../model/detection.ts';
import type { HistoryPart, RunningSuite } from '../../model/history-learning.ts';
import { errorMessage } from '../../model/error-message.ts';
import type { DetectionRound, RoundEnd, WaitingObservation } from '../../store/detection-store.ts';
import { Detectors, type DetectorsState, type Learned } from './detectors.ts';
import { observedEvaluation } from './observations.ts';
import { DETECTION_FORMAT, formatOf, isNewer, NewerState, ROUNDS_FORMAT } from './state-format.ts';

export interface Subscriber {
  readonly key: string;
  readonly on: readonly NoticeKind[];
}

/** A webhook that has had a notice, or for which it was given up. */
export interface DeliveredNotice {
  readonly id: string;
  readonly webhook: string;
}

/** Request of a person, and the key that identifies it. */
export interface AcceptQuestion {
  readonly id: number;
  readonly chosen: ChosenLevels;
}

export interface AcceptAnswer {
  readonly id: number;
  readonly acceptance: Acceptance;
}

export interface DetectionProblem {
  /** Result of the request. */
  readonly what: 'began-again' | 'dropped';
  readonly problem: string;
}

interface Written {
  readonly format: number;
  readonly detectors: DetectorsState;
  readonly observed: number;
  readonly time: number;
  readonly recent: readonly Transition[];
  readonly notices: readonly Notice[];
}

interface Committed {
  readonly report: DetectionReport;
  /** Observations that no earlier round had. */
  readonly fresh: number;
  readonly answers: readonly AcceptAnswer[];
  readonly learned: readonly Learned[];
}

interface Held {
  readonly detectors: Detectors;
  observed: number;
  time: number;
  recent: readonly Transition[];
  notices: readonly Notice[];
}

const RECENT_MAX = 100;
/** When nobody takes them, the oldest go. */
const NOTICES_MAX = 1000;
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
export const OBSERVATIONS_PER_ROUND = 5000;
/** Observations that wait at most although they have been observed, and for how long. */
const UNWRITTEN_MAX = 2000;
const UNWRITTEN_MS_MAX = 60_000;
/** Observations whose state is not written yet, by name. */
type Unwritten = ReadonlyMap<string, number>;
const NONE: Unwritten = new Map();

interface Cached {
  /** That of the last state that was written. */
  readonly version: number;
  readonly held: Held;
  readonly unwritten: Unwritten;
  readonly writtenAt: number;
}

export class DetectionRounds {
  readonly #settings: DetectionSettings;
  readonly #subscribers: readonly Subscriber[];
  readonly #running: readonly RunningSuite[];
  readonly #onProblem: (problem: DetectionProblem) => void;
  #cached: Cached | undefined;
  #pending: (Cached & Committed) | undefined;

  constructor(parts: {
    readonly settings: DetectionSettings;
    readonly subscribers: readonly Subscriber[];
    /** Suites that are learned from the store when they have changed. */
    readonly running?: readonly RunningSuite[];
    readonly onProblem: (problem: DetectionProblem) => void;
  }) {
    this.#settings = parts.settings;
    this.#running = parts.running ?? [];
    this.#subscribers = parts.subscribers;
    this.#onProblem = parts.onProblem;
  }

  /** Called by the store within its transaction; `committed` or `undone` must follow. */
  work(
    round: DetectionRound,
    input: {
      readonly logTime: number;
      readonly delivered: readonly DeliveredNotice[];
      readonly questions: readonly AcceptQuestion[];
      readonly parts?: readonly HistoryPart[];
      readonly now: number;
    },
  ): RoundEnd {
    const { version, snapshot } = round.state;
    const cached = this.#cached?.version === version ? known(this.#cached, round.observations) : undefined;
    this.#cached = undefined;
    let held = cached?.held ?? this.#read(snapshot);
    const observations = without(round.observations, cached?.unwritten ?? NONE);
    const { parts = [] } = input;
    let hasBegun = false;
    let learned: readonly Learned[] = [];
    try {
      // Before this round's observations, so that those of suites that have changed are kept for what is learned.
      hasBegun = held.detectors.learnFrom(Math.max(held.time, input.logTime));
      learned = parts.flatMap((part) => held.detectors.take(part) ?? []);
      this.#observe(held, observations, round.observations.length < OBSERVATIONS_PER_ROUND ? input.logTime : 0);
    } catch (error) {
      this.#onProblem({ what: 'began-again', problem: errorMessage(error) });
      held = fresh(this.#settings, this.#running);
      hasBegun = true;
    }
    const { detectors, time: at } = held;
    const answers = input.questions.map(({ id, chosen }) => ({ id, acceptance: detectors.accept(chosen, at) }));
    const readings = detectors.readings();
    const transitions = held.detectors.takeTransitions(readings, held.time);
    const notices = this.#noticesAfter(held.notices, transitions, input);
    const writtenAt = cached?.writtenAt ?? input.now;
    const isTold =
      hasBegun ||
      parts.length > 0 ||
      transitions.length > 0 ||
      notices !== held.notices ||
      answers.some(({ acceptance }) => acceptance.accepted.length > 0);
    const isDue =
      version === 0 || round.observations.length >= UNWRITTEN_MAX || input.now - writtenAt >= UNWRITTEN_MS_MAX;
    const isWritten = isTold || (isDue && round.observations.length > 0);
    held.notices = notices;
    held.recent = [...transitions.toReversed(), ...held.recent].slice(0, RECENT_MAX);
    const { recent, observed, time } = held;
    this.#pending = {
      version: isWritten ? version + 1 : version,
      held,
      unwritten: isWritten ? NONE : namesOf(round.observations),
      writtenAt: isWritten ? input.now : writtenAt,
      fresh: observations.length,
      report: {
        ...readings,
        transitions,
        recent,
        notices,
        observed,
        time,
        keptOut: detectors.keptOut(),
        learning: detectors.wanted,
      },
      answers,
      learned,
    };
    return isWritten ? write(held) : 'later';
  }

  committed(): Committed | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return undefined;
    const { version, held, unwritten, writtenAt } = pending;
    this.#cached = { version, held, unwritten, writtenAt };
    return pending;
  }

  /** Or not known to be committed: the state in the store says. */
  undone(): void {
    this.#pending = undefined;
    this.#cached = undefined;
  }

  /** The log's time is 0 where more waits than one round takes: what is left is older than it. */
  #observe(held: Held, observations: readonly WaitingObservation[], logTime: number): void {
    for (const waiting of observations) {
      let evaluation: ReturnType<typeof observedEvaluation>;
      try {
        evaluation = observedEvaluation(waiting);
      } catch (error) {
        this.#onProblem({ what: 'dropped', problem: errorMessage(error) });
        continue;
      }
      // Another instance's may come a little late.
      held.time = Math.max(held.time, waiting.at);
      held.detectors.observe(evaluation, held.time, waiting.payload);
      held.observed += 1;
    }
    held.time = Math.max(held.time, logTime);
    held.detectors.advance(held.time);
  }

  #noticesAfter(
    before: readonly Notice[],
    transitions: readonly Transition[],
    { delivered, now }: { readonly delivered: readonly DeliveredNotice[]; readonly now: number },
  ): readonly Notice[] {
    const done = new Set(delivered.map(({ id, webhook }) => `${webhook} ${id}`));
    const known = new Set(this.#subscribers.map(({ key }) => key));
    const left = before.flatMap((notice) => {
      const to = notice.to.filter((webhook) => known.has(webhook) && !done.has(`${webhook} ${notice.transition.id}`));
      if (to.length === notice.to.length) return [notice];
      return to.length === 0 ? [] : [{ ...notice, to }];
    });
    const added = transitions.flatMap((transition) => {
      const kind = noticeKindOf(transition);
      const to = this.#subscribers.filter(({ on }) => kind !== undefined && on.includes(kind)).map(({ key }) => key);
      return to.length === 0 ? [] : [{ transition, queuedAt: now, to }];
    });
    const isSame = added.length === 0 && left.length === before.length && left.every((one, at) => one === before[at]);
    if (isSame) return before;
    const all = [...left, ...added];
    const dropped = all.length - NOTICES_MAX;
    if (dropped > 0) this.#onProblem({ what: 'dropped', problem: `${dropped} notices that no webhook took` });
    return dropped > 0 ? all.slice(dropped) : all;
  }

  #read(snapshot: Uint8Array | undefined): Held {
    if (snapshot === undefined) return fresh(this.#settings, this.#running);
    try {
      // The cast holds for what `write` wrote in this format; another one is refused here, and what is broken by what reads it.
      const written = JSON.parse(zstdDecompressSync(snapshot).toString()) as Written;
      const found = formatOf(written);
      const both = `it has format ${found.rounds}.${found.detectors}, and this Assay knows ${DETECTION_FORMAT}`;
      if (isNewer(found)) throw new NewerState(`the state is that of a newer Assay, which has to go on: ${both}`);
      if (found.rounds !== ROUNDS_FORMAT) throw new Error(both);
      const { detectors, observed, time, recent, notices } = written;
      const restored = Detectors.restore(this.#settings, detectors, this.#running);
      return { detectors: restored, observed, time, recent, notices };
    } catch (error) {
      // Thrown out of the round, so that it changes nothing.
      if (error instanceof NewerState) throw error;
      this.#onProblem({ what: 'began-again', problem: errorMessage(error) });
      return fresh(this.#settings, this.#running);
    }
  }
}

function nameOf({ at, evaluation }: WaitingObservation): string {
  return `${at} ${evaluation}`;
}

function namesOf(observations: readonly WaitingObservation[]): Unwritten {
  const names = new Map<string, number>();
  for (const one of observations) names.set(nameOf(one), (names.get(nameOf(one)) ?? 0) + 1);
  return names;
}

/** Undefined where the store did not give all that it has observed: some was forgotten, or waits behind older ones. */
function known(cached: Cached, given: readonly WaitingObservation[]): Cached | undefined {
  if (cached.unwritten.size === 0) return cached;
  const names = namesOf(given);
  return [...cached.unwritten].every(([name, times]) => (names.get(name) ?? 0) >= times) ? cached : undefined;
}

function without(observations: readonly WaitingObservation[], unwritten: Unwritten): readonly WaitingObservation[] {
  if (unwritten.size === 0) return observations;
  const left = new Map(unwritten);
  return observations.filter((one) => {
    const times = left.get(nameOf(one)) ?? 0;
    if (times > 0) left.set(nameOf(one), times - 1);
    return times === 0;
  });
}

function fresh(settings: DetectionSettings, running: readonly RunningSuite[]): Held {
  return { detectors: new Detectors(settings, running), observed: 0, time: 0, recent: [], notices: [] };
}

function write({ detectors, observed, time, recent, notices }: Held): Uint8Array {
  const written: Written = { format: ROUNDS_FORMAT, detectors: detectors.state(), observed, time, recent, notices };
  return zstdCompressSync(JSON.stringify(written), COMPRESSION);
}
