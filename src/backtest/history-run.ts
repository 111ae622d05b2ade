/**
 * Scores a running suite over the conversations of the past, for detection to learn from: one run for each suite, in
 * parts that take a fraction of a second each. It keeps nothing: whoever asks says how far it has come.
 *
 *   counting   the suite's stored evaluations of that time are counted, and thinned where they are too many. A
 *              new suite takes those of another one of its scope, and so the conversations that they are of
 *   judging    only where judges have not answered: a sample is chosen, its questions wait in the store, and answers
 *              are looked for until all are there or none has come for a while
 *   learning   the conversations in the order in which they were scored, each as an observation
 *
 * Evaluations are thinned in runs, because neighbours in time show how much outcomes have to do with one another. If
 * judges had to be asked for more than a few, scores are learned from the sample alone: conversations that need no
 * judge are others. Criteria that code decides are learned from all.
 */
import type {
  RunningSuite,
  HistoryPart,
  HistoryQuestion,
  HistoryStage,
  JudgesBridge,
  StoredTraffic,
} from '../model/history-learning.ts';
import { effortOf, labelsOf } from '../engine/conversation-labels.ts';
import { observedOf, payloadOf } from '../engine/detection/observations.ts';
import { traitsOf, userOf } from '../engine/detection/traits.ts';
import { ONE } from '../score/subject/weigh.ts';
import type { ScannedEvaluation } from '../store/evaluation-scan.ts';
import type { AnotherSuite, Asked, BacktestReader } from './another-suite.ts';
import { seenAt } from './alerts.ts';
import { toWhose, type WhoseConversation } from './comparison.ts';

/** Read for one suite at most; between half of them and all are left by the thinning. */
const CONVERSATIONS_MAX = 10_000;
/** Neighbours that are left out or read together. */
const RUN = 20;
/** Asked of judges for each agent in each environment, and in all. */
const SAMPLE_OF_STREAM = 200;
const SAMPLE_MAX = 600;
/** More questions than this share of the sample, and scores are learned from the sample alone. */
const FEW = 0.1;
/** No answer for so long: the judges are down, or there is no money. */
const PATIENCE_MS = 600_000;
/** Behind everything that somebody waits for. */
const PRIORITY = -1;
const PART_MAX = 500;

interface HistoryRunParts {
  readonly running: RunningSuite;
  readonly since: number;
  readonly until: number;
  /** Younger conversations do not become usual at once, and are no use to the sample. */
  readonly ripeBefore: number;
  /** Known from an interrupted run: scores are learned from the sample alone. */
  readonly isSampled: boolean;
  readonly another: AnotherSuite;
  readonly reader: BacktestReader;
  /** The suites whose evaluations may stand for this one's, the best first. */
  readonly sources: readonly string[];
  readonly segment: readonly string[];
  readonly now?: () => number;
}

interface Stream {
  readonly whose: WhoseConversation;
  conversations: number;
}

interface Kept {
  readonly stored: ScannedEvaluation;
  readonly place: number;
}

export class HistoryRun {
  readonly #parts: HistoryRunParts;
  readonly #now: () => number;
  readonly #streams = new Map<string, Stream>();
  readonly #sources: string[];
  #scan: AsyncIterator<readonly ScannedEvaluation[]> | undefined;
  #stage: HistoryStage = 'counting';
  #counted = 0;
  /** Every nth run of neighbours is kept. */
  #every = 1;
  #kept: Kept[] = [];
  #sample: readonly ScannedEvaluation[] = [];
  readonly #sampled = new Set<number>();
  #isSampleOnly: boolean;
  #sampleNext = 0;
  readonly #waiting = new Map<string, HistoryQuestion>();
  #answered = 0;
  #heardAt = 0;

  constructor(parts: HistoryRunParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#sources = [...parts.sources];
    this.#isSampleOnly = parts.isSampled;
  }

  /** The next part, from the evaluation behind the row `after` on. */
  async next(after: number, forMs: number): Promise<HistoryPart> {
    const until = this.#now() + forMs;
    if (this.#stage === 'counting') await this.#count(until, after);
    if (this.#stage === 'judging') return this.#judge(after, until);
    return this.#stage === 'counting' ? this.#part(after, {}) : this.#learn(after, until);
  }

  /** Nothing is read any more; without it a scan that has not ended keeps its connection. */
  async stop(): Promise<void> {
    await this.#scan?.return?.();
  }

  async #count(until: number, after: number): Promise<void> {
    const { reader, since } = this.#parts;
    while (this.#now() < until) {
      const [suiteKey] = this.#sources;
      if (suiteKey === undefined) break;
      this.#scan ??= pagesOf(reader.scanEvaluations({ suiteKey, scoredSince: since }));
      const { value: page = [], done } = await this.#scan.next();
      for (const stored of page) this.#keep(stored);
      if (done !== true) continue;
      this.#scan = undefined;
      // Only the first source with evaluations is read.
      if (this.#counted > 0) this.#sources.length = 0;
      else this.#sources.shift();
    }
    if (this.#sources.length > 0) return;
    const judges = this.#parts.another.suite.criteria.some(({ judged }) => judged !== undefined);
    // A run that was interrupted has asked already.
    this.#stage = judges && after === 0 ? 'judging' : 'learning';
    if (judges) this.#choose();
    this.#heardAt = this.#now();
  }

  #keep(stored: ScannedEvaluation): void {
    const { at } = seenAt(stored);
    if (at < this.#parts.since || at >= this.#parts.until) return;
    const key = streamOf(stored.labels);
    const stream = this.#streams.get(key) ?? { whose: toWhose(stored.labels), conversations: 0 };
    stream.conversations += 1;
    this.#streams.set(key, stream);
    const place = this.#counted;
    this.#counted += 1;
    if (!this.#isInRun(place)) return;
    this.#kept.push({ stored, place });
    if (this.#kept.length <= CONVERSATIONS_MAX) return;
    this.#every *= 2;
    this.#kept = this.#kept.filter((one) => this.#isInRun(one.place));
  }

  #isInRun(place: number): boolean {
    return Math.floor(place / RUN) % this.#every === 0;
  }

  /** Evenly over the time, of the largest streams, and their newest: a level without it would be one without data. */
  #choose(): void {
    const streams = Map.groupBy(
      this.#kept.map(({ stored }) => stored),
      ({ labels }) => streamOf(labels),
    );
    for (const of of [...streams.values()].sort((a, b) => b.length - a.length)) {
      const ripe = of.filter((stored) => seenAt(stored).at < this.#parts.ripeBefore);
      const room = Math.min(SAMPLE_OF_STREAM, SAMPLE_MAX - this.#sampled.size, of.length) - 1;
      for (let index = 0; index < Math.min(room, ripe.length); index += 1) {
        const one = ripe[Math.floor(((index + 0.5) * ripe.length) / Math.min(room, ripe.length))];
        if (one !== undefined) this.#sampled.add(one.row);
      }
      const newest = of.at(-1);
      if (room >= 0 && newest !== undefined) this.#sampled.add(newest.row);
    }
    this.#sample = this.#kept.flatMap(({ stored }) => (this.#sampled.has(stored.row) ? stored : []));
  }

  async #judge(after: number, until: number): Promise<HistoryPart> {
    const { reader } = this.#parts;
    const isAsking = this.#sampleNext < this.#sample.length;
    while (this.#sampleNext < this.#sample.length && this.#now() < until) {
      const stored = this.#sample[this.#sampleNext];
      this.#sampleNext += 1;
      const asked = stored && (await this.#ask(stored));
      for (const request of asked?.waiting ?? [])
        this.#waiting.set(request.key, {
          conversation: stored?.conversation ?? 0,
          request: { ...request, priority: PRIORITY },
        });
    }
    if (this.#sampleNext < this.#sample.length) return this.#part(after, {});
    if (isAsking) {
      this.#isSampleOnly = this.#waiting.size > FEW * this.#sample.length;
      this.#heardAt = this.#now();
      if (this.#waiting.size === 0) return this.#begin(after);
      return this.#part(after, { questions: [...this.#waiting.values()] });
    }
    for (const key of [...this.#waiting.keys()]) {
      if ((await reader.answerOf(key)) === undefined) continue;
      this.#waiting.delete(key);
      this.#answered += 1;
      this.#heardAt = this.#now();
    }
    const isOver = this.#waiting.size === 0 || this.#now() - this.#heardAt > PATIENCE_MS;
    return isOver ? this.#begin(after) : this.#part(after, {});
  }

  /** Questions that nobody has answered wait no longer. */
  #begin(after: number): HistoryPart {
    this.#stage = 'learning';
    return this.#part(after, { questions: [] });
  }

  async #learn(after: number, until: number): Promise<HistoryPart> {
    const observed: (readonly [number, string])[] = [];
    const bridges = new Map<string, JudgesBridge>();
    let next = this.#kept.findIndex(({ stored }) => stored.row > after);
    if (next === -1) next = this.#kept.length;
    let cursor = after;
    while (next < this.#kept.length && observed.length < PART_MAX && this.#now() < until) {
      const { stored } = this.#kept[next] as Kept;
      next += 1;
      cursor = stored.row;
      const asked = await this.#ask(stored);
      if (asked === undefined) continue;
      observed.push([seenAt(stored).at, this.#observation(stored, asked)]);
      this.#compareJudges(stored, asked, bridges);
    }
    const isOver = next >= this.#kept.length;
    return this.#part(after, {
      cursor,
      observed,
      bridges: [...bridges.values()],
      done: next,
      ...(isOver ? { end: { traffic: this.#traffic() } } : {}),
    });
  }

  #traffic(): readonly StoredTraffic[] {
    const kept = this.#kept.map(({ stored }) => stored);
    const scored = this.#isSampleOnly ? this.#sample : kept;
    const count = (some: readonly ScannedEvaluation[]) => Map.groupBy(some, ({ labels }) => streamOf(labels));
    const [all, withScore] = [count(kept), count(scored)];
    return [...this.#streams].map(
      ([
        key,
        {
          whose: { agent, environment },
          conversations,
        },
      ]) => ({
        agent,
        environment,
        all: conversations / Math.max(1, all.get(key)?.length ?? 0),
        scored: conversations / Math.max(1, withScore.get(key)?.length ?? 0),
      }),
    );
  }

  async #ask(stored: ScannedEvaluation): Promise<Asked | undefined> {
    const { another, reader } = this.#parts;
    const row = await reader.conversationOf(stored);
    if (row === undefined) return undefined;
    const isOfTurn = another.suite.scope === 'turn';
    // Stored evaluations of the other scope are not comparable.
    if (isOfTurn !== (stored.turnId !== '')) return undefined;
    const asked = await another.ask(row, { turnId: isOfTurn ? stored.turnId : undefined, stored });
    return typeof asked === 'string' ? undefined : asked;
  }

  #observation(stored: ScannedEvaluation, { side, conversation, waiting }: Asked): string {
    const { segment: keys, running, another } = this.#parts;
    const { segment } = labelsOf(conversation, keys);
    const { agent, agent_version, environment } = toWhose(stored.labels);
    const isScored = waiting.length === 0 && (!this.#isSampleOnly || this.#sampled.has(stored.row));
    const { steps, costUsd } = seenAt(stored);
    const observed = observedOf(isScored ? side : { ...side, score: undefined, outcome: 'unscored' }, another.suite, {
      labels: { agent, agent_version, environment, ...(segment === undefined ? {} : { segment }) },
      effort: steps === undefined ? effortOf(conversation) : { steps, costUsd },
      user: userOf(conversation),
      traits: traitsOf(conversation),
      judgedBy: running.judgedBy,
    });
    return payloadOf(observed);
  }

  /** Conversations whose score is known by the judges of before and of now. */
  #compareJudges(stored: ScannedEvaluation, { side, waiting }: Asked, bridges: Map<string, JudgesBridge>): void {
    if (!this.#isSampleOnly || !this.#sampled.has(stored.row) || waiting.length > 0) return;
    if (stored.suiteVersion !== this.#parts.running.version) return;
    if (stored.score === undefined || side.score === undefined) return;
    const { agent, environment } = toWhose(stored.labels);
    const key = streamOf(stored.labels);
    const sum = bridges.get(key) ?? { agent, environment, conversations: 0, before: 0, after: 0 };
    bridges.set(key, {
      agent,
      environment,
      conversations: sum.conversations + 1,
      before: sum.before + stored.score / ONE,
      after: sum.after + side.score / ONE,
    });
  }

  #part(after: number, more: Partial<HistoryPart>): HistoryPart {
    const { suite, key } = this.#parts.running;
    const counted = { counting: 0, judging: this.#answered + this.#waiting.size, learning: this.#kept.length };
    return {
      suite,
      key,
      after,
      cursor: after,
      isSampled: this.#isSampleOnly,
      stage: this.#stage,
      observed: [],
      bridges: [],
      done: this.#stage === 'judging' ? this.#answered : 0,
      of: counted[this.#stage],
      ...more,
    };
  }
}

function streamOf(labels: string): string {
  const { agent, environment } = toWhose(labels);
  return JSON.stringify([agent, environment]);
}

async function* pagesOf<T>(pages: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* pages;
}
