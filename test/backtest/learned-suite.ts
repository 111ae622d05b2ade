/** A service's detection over a store of some days, for tests of suites that change: the same engine, store and rounds. */
import { cpSync } from 'node:fs';
import path from 'node:path';
import { AnotherSuite } from '../../src/backtest/another-suite.ts';
import { HistoryRun } from '../../src/backtest/history-run.ts';
import { DEFAULT_DETECTION } from '../../src/statistics/detect/settings.ts';
import { DetectionRounds } from '../../src/engine/detection/detection-rounds.ts';
import type { Learned } from '../../src/engine/detection/detectors.ts';
import { runningSuites } from '../../src/engine/detection/running-suites.ts';
import type { DetectionReport } from '../../src/model/detection.ts';
import type { HistoryPart, HistoryWanted } from '../../src/model/history-learning.ts';
import type { Judges } from '../../src/score/suite/judges.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import type { WaitingObservation } from '../../src/store/detection-store.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { defaultSettings, LogDriver } from '../engine/log-driver.ts';
import { smallTurn } from '../engine/small-turn.ts';
import { randomFrom } from '../random.ts';
import { exportRequest } from '../simulation/traffic.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const BEGIN = Date.UTC(2026, 10, 2);
const EVERY_MS = HOUR_MS / 6;
/** A turn that has its root is closed by then. */
const SETTLED_MS = 60_000;
const ROUND_MAX = 2000;

interface Judged {
  readonly passes: (grade: number) => boolean;
  /** By the agent, of every grade. */
  readonly lost: number;
}

/** One machine, as far as detection goes. A suite is edited and the process ends: the store stays. */
export class Machine {
  readonly #directory: string;
  readonly #random: () => number;
  #driver: LogDriver;
  #rounds: DetectionRounds;
  #runs = new Map<string, HistoryRun>();
  #suite: CompiledSuite;
  #judge: Judges['settings'];
  #segment: readonly string[] = [];
  /** Share among a third of the conversations, those of the plan "gold". */
  #ofGold: number | undefined;
  #at = BEGIN;
  #judged: Judged | undefined;
  #sent = 0;
  readonly learned: Learned[] = [];
  report: DetectionReport | undefined;

  constructor(options: {
    readonly directory: string;
    readonly suite: CompiledSuite;
    readonly judge?: Judges['settings'];
    readonly seed: number;
  }) {
    this.#directory = options.directory;
    this.#suite = options.suite;
    this.#judge = options.judge ?? (() => undefined);
    this.#random = randomFrom(options.seed);
    this.#driver = this.#open();
    this.#rounds = this.#detect();
  }

  get at(): number {
    return this.#at;
  }

  get reader(): StoreReader {
    this.#driver.commit();
    return StoreReader.open(path.join(this.#directory, 'store.db'));
  }

  /** All that counts. */
  contents(): unknown {
    const { reader } = this;
    const contents = { totals: reader.totals(), evaluations: [...reader.allEvaluations()] };
    reader.close();
    return contents;
  }

  /** An observation of the suite that runs, as it waits for detection. */
  waiting(): WaitingObservation {
    const found: WaitingObservation[] = [];
    this.live(0.1, 1);
    this.#send(1);
    this.#driver.between((store) => {
      try {
        store.detection.round(1, ({ observations }) => {
          found.push(...observations);
          throw new Error('looked only');
        });
      } catch {
        // Nothing has happened.
      }
    });
    const [first] = found;
    if (first === undefined) throw new Error('nothing waits');
    return first;
  }

  /** Six an hour, of which this share looks something up before it answers. */
  live(hours: number, share: number, judged?: Judged, ofGold = share): void {
    this.#judged = judged;
    this.#ofGold = ofGold;
    const until = this.#at + hours * HOUR_MS;
    while (this.#at < until) {
      this.#send(share);
      if (this.#sent % 60 === 0) this.round();
    }
    this.round();
  }

  /** The judge that runs answers all that waits, by a grade from 0 to 1 that each answer of the agent has. */
  answerJudges(passes: (grade: number) => boolean): number {
    let answered = 0;
    this.between((store) => {
      for (const { request } of store.questions.waiting('judge', 10_000)) {
        const grade = Number(/grade (0\.\d+)/.exec(request.material)?.[1]);
        const answers = request.criteria.map(({ name: criterion }) => {
          const pass = passes(grade);
          return { criterion, pass, reason: 'So it is.', quotes: [], votes: { yes: Number(pass), of: 1 } };
        });
        store.questions.end([{ key: request.key, outcome: { is: 'answered', answers, model: 'model' } }], 0);
        answered += 1;
      }
    });
    this.#driver.advance(this.#at);
    return answered;
  }

  #send(share: number): void {
    this.#sent += 1;
    const lost = this.#judged === undefined ? 0 : this.#judged.lost;
    const answer = `The room is free. This is grade ${Math.max(0, this.#random() - lost).toFixed(6)}1.`;
    const { root, chat, failedTool } = smallTurn(this.#sent.toString(16).padStart(8, '0'), { answer });
    const isGold = this.#sent % 3 === 0;
    const plan = { key: 'plan', value: { stringValue: isGold ? 'gold' : 'free' } };
    const ended = { ...root, attributes: [...root.attributes, plan] };
    const spans =
      this.#random() < (isGold ? (this.#ofGold ?? share) : share) ? [failedTool, chat, ended] : [chat, ended];
    this.#driver.take({ at: this.#at, request: exportRequest(spans, 'v1') });
    this.#driver.advance(this.#at + SETTLED_MS);
    if (this.#judged !== undefined) this.answerJudges(this.#judged.passes);
    this.#at += EVERY_MS;
  }

  /** Another machine that has lived as this one until now. */
  copyTo(directory: string, seed: number): Machine {
    this.restart();
    cpSync(this.#directory, directory, { recursive: true });
    const copy = new Machine({ directory, suite: this.#suite, judge: this.#judge, seed });
    copy.#at = this.#at;
    copy.#sent = this.#sent;
    copy.learned.push(...this.learned);
    return copy;
  }

  /** The process ends, and starts with this suite. */
  restart(
    suite: CompiledSuite = this.#suite,
    judge: Judges['settings'] = this.#judge,
    segment: readonly string[] = this.#segment,
  ): void {
    this.#segment = segment;
    this.#driver.advance(this.#at);
    this.#driver.commit();
    this.#suite = suite;
    this.#judge = judge;
    this.#runs = new Map();
    this.#driver.close();
    this.#driver = this.#open();
    this.#rounds = this.#detect();
  }

  round(parts: readonly HistoryPart[] = [], crash: 'before commit' | 'never' = 'never'): DetectionReport {
    try {
      this.#driver.between((store) =>
        store.detection.round(ROUND_MAX, (taken) => {
          const input = { logTime: this.#at, delivered: [], questions: [], parts, now: 0 };
          const written = this.#rounds.work(taken, input);
          if (crash === 'before commit') throw new Error('power is gone');
          return written;
        }),
      );
    } catch (error) {
      this.#rounds.undone();
      throw error;
    }
    const committed = this.#rounds.committed();
    if (committed === undefined) throw new Error('no round was done');
    this.learned.push(...committed.learned);
    this.report = committed.report;
    return committed.report;
  }

  /** The next part of the past, as the thread that has the suites gives it. */
  async part(wanted: HistoryWanted, forMs = 10): Promise<HistoryPart> {
    let run = this.#runs.get(wanted.key);
    if (run === undefined) {
      const { reader } = this;
      const judge = this.#judge;
      const another = new AnotherSuite({
        changed: this.#suite,
        live: this.#suite,
        reader,
        judge,
        idKeys: undefined,
        truth: undefined,
      });
      run = new HistoryRun({
        ...wanted,
        running: wanted,
        ripeBefore: wanted.until - DAY_MS,
        another,
        reader,
        sources: [this.#suite.name, 'other'],
        segment: this.#segment,
      });
      this.#runs.set(wanted.key, run);
    }
    return run.next(wanted.after, forMs);
  }

  /** Until nothing is wanted any more; `each` may end the process between parts. */
  async learn(each: (part: HistoryPart) => void = () => undefined): Promise<void> {
    for (let [wanted] = this.round().learning; wanted !== undefined; [wanted] = this.report?.learning ?? []) {
      const part = await this.part(wanted);
      if (part.questions !== undefined) {
        const { questions } = part;
        this.#driver.between((store) => store.questions.askBeside(questions, 0));
      }
      each(part);
      this.round([part]);
    }
  }

  between: LogDriver['between'] = (work) => this.#driver.between(work);

  stateOf(metric: string, criterion?: string): string | undefined {
    return this.report?.levels.find((level) => level.metric === metric && level.criterion === criterion)?.state;
  }

  #open(): LogDriver {
    const usual = defaultSettings();
    const settings = { ...usual, metrics: { ...usual.metrics, segment: this.#segment } };
    return new LogDriver({ directory: this.#directory, suites: [this.#suite], judge: this.#judge, settings });
  }

  #detect(): DetectionRounds {
    return new DetectionRounds({
      settings: DEFAULT_DETECTION,
      subscribers: [],
      running: runningSuites([this.#suite], { judge: this.#judge, segment: this.#segment }),
      onProblem: ({ problem }) => {
        throw new Error(problem);
      },
    });
  }
}
