/**
 * The queue of one judge: takes the questions that wait for it, asks, counts the votes, and records the outcomes.
 * Judges have queues of their own, so that nothing waits behind a judge that is down.
 *
 *   waiting    in the store; the highest priority first
 *   reserved   the most that the call can cost is taken from the budget, durably; where that is not there, this judge waits
 *   flying     the call is under way                              a crash: the money stays spent; the call may be made again
 *   recorded   its vote and its price are in the store             a crash: it is not made again
 *   ended      the last vote brought its outcome with it, in one transaction
 *
 * A call that came to nothing leaves the question where it was: asked again after a pause, until its retries or its
 * deadline are used up; then that vote has failed. As few votes are asked for at once as could decide the question: of
 * three, two.
 *
 * A question that has waited longer than the limit ends, for the reason for which it waited.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerSchema } from '../model/judge-answer.ts';
import type { JudgeEvent } from '../model/events/judge-events.ts';
import type { JudgeFailure, JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import { Stoppable } from '../model/stoppable.ts';
import type { EndedCall, PlannedCall, Reservation, SpendingLimits, Vote, WaitingQuestion } from '../model/questions.ts';
import { type CallTrouble, TIMED_OUT, troubleOf } from './model-error.ts';
import { CIRCUIT_TIMES, Circuit, type CircuitTimes } from './circuit.ts';
import { countVotes } from './count-votes.ts';
import type { Judge, JudgingRules } from './judge.ts';
import type { ModelClient, ModelReply } from './model-client.ts';
import { Pace } from './pace.ts';
import { mostNanos } from './price.ts';
import { agreed, isProbed } from './probe.ts';
import { costOf, failureOf, type Read, readReply, usageOf } from './read-reply.ts';

/** Each call is a transaction of its own, and durable when it is answered. */
export interface Questions {
  waiting(judge: string, limit: number): Promise<readonly WaitingQuestion[]> | readonly WaitingQuestion[];
  /** Keys of those that wait since before that time, and of those behind the first `keep`. */
  overdue(overdue: Overdue): Promise<readonly string[]> | readonly string[];
  reserve(call: PlannedCall): Promise<Reservation> | Reservation;
  record(call: EndedCall): Promise<void> | void;
  end(ends: readonly { readonly key: string; readonly outcome: JudgeOutcome }[], at: number): Promise<void> | void;
}

interface Overdue {
  readonly judge: string;
  readonly before: number;
  readonly keep: number;
  readonly limit: number;
}

interface JudgeQueueParts {
  readonly judge: Judge;
  readonly rules: JudgingRules;
  readonly client: ModelClient;
  readonly questions: Questions;
  readonly onEvent: (event: JudgeEvent) => void;
  /** Outcomes are in the store. */
  readonly onEnded?: (keys: readonly string[]) => void;
  readonly now?: () => number;
  readonly times?: QueueTimes;
}

export interface QueueTimes {
  /** How often the store is looked at where nothing happens. */
  readonly idleMs: number;
  /** The first pause before a question is asked again. */
  readonly retryMs: number;
  readonly circuit: CircuitTimes;
  /** How long calls under way have to end where the service stops. */
  readonly drainMs: number;
}

export const QUEUE_TIMES: QueueTimes = { idleMs: 500, retryMs: 1000, circuit: CIRCUIT_TIMES, drainMs: 5000 };
const RETRY_MOST_MS = 30_000;
/** Questions of one judge that may wait; the least important of more are left out. */
const WAITING_MAX = 100_000;
const ENDED_TOGETHER = 500;
/** Share of each budget reserved for criteria of the default priority and above. */
const KEPT_SHARE = 0.2;
const USUAL_PRIORITY = 50;
const STORE_PAUSE_MS = 1000;

/** State of a question besides what the store has. */
interface Job {
  readonly request: JudgeRequest;
  readonly votes: Vote[];
  flying: number;
  failures: number;
  notBefore: number;
  deadlineAt: number | undefined;
  trouble: CallTrouble | undefined;
  /** True if the answers were unsupported once: from then on they are taken as they are. */
  wasDoubted: boolean;
  ended: boolean;
}

interface Flight {
  readonly job: Job;
  readonly call: number;
  readonly nanos: number;
  readonly isTrial: boolean;
  readonly tell: (tokens: number) => void;
}

export class JudgeQueue {
  readonly #parts: JudgeQueueParts;
  readonly #times: QueueTimes;
  readonly #now: () => number;
  readonly #circuit: Circuit;
  readonly #pace: Pace;
  readonly #jobs = new Map<string, Job>();
  readonly #flights = new Set<Promise<void>>();
  /** Ended since the store was asked last: its answer may still have them. */
  readonly #gone = new Set<string>();
  /** Why the last question was not asked, where it was for want of money. */
  #exhausted: 'hour' | 'day' | undefined;
  readonly #loop = new Stoppable((quiet) => this.#run(quiet, this.#cut.signal));
  /** Ends the calls that are under way. */
  #cut = new AbortController();
  #startedAt = 0;
  /** For what is overdue. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => {};

  constructor(parts: JudgeQueueParts) {
    this.#parts = parts;
    this.#times = parts.times ?? QUEUE_TIMES;
    this.#now = parts.now ?? Date.now;
    this.#circuit = new Circuit(this.#times.circuit);
    this.#pace = new Pace(parts.judge);
  }

  get isStopped(): boolean {
    return this.#circuit.stopped !== undefined;
  }

  get name(): string {
    return this.#parts.judge.name;
  }

  start(): void {
    if (this.#loop.isRunning) return;
    this.#startedAt = this.#now();
    this.#cut = new AbortController();
    this.#loop.start();
  }

  /** Something was put into the store: it is looked at now, not after the pause. */
  wake(): void {
    this.#wake();
  }

  /** No call begins any more; those under way may end, for a while. Afterwards nothing is written. */
  async stop(): Promise<void> {
    if (!this.#loop.isRunning) return;
    const stopped = this.#loop.stop();
    this.#wake();
    const cut = this.#cut;
    const timer = setTimeout(() => cut.abort(), this.#times.drainMs);
    await stopped;
    clearTimeout(timer);
    // The next owner may be another process, and this one may own the questions again after it.
    this.#jobs.clear();
  }

  async #run(quiet: AbortSignal, cut: AbortSignal): Promise<void> {
    while (!quiet.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      let pauseMs = this.#times.idleMs;
      try {
        await this.#endOverdue();
        await this.#askNext(quiet, cut);
      } catch (error) {
        this.#said(error);
        pauseMs = Math.max(pauseMs, Math.min(STORE_PAUSE_MS, 10 * pauseMs));
      }
      const timer = new AbortController();
      await Promise.race([woken, sleep(pauseMs, undefined, { signal: timer.signal })]);
      timer.abort();
    }
    await Promise.all(this.#flights);
  }

  async #askNext(quiet: AbortSignal, cut: AbortSignal): Promise<void> {
    const { judge, questions } = this.#parts;
    const room = () => judge.concurrency - this.#flights.size;
    if (room() <= 0 || this.#circuit.waitMs(this.#now()) > 0) return;
    this.#gone.clear();
    const waiting = await questions.waiting(judge.name, this.#jobs.size + judge.concurrency);
    this.#forgetJobsBut(waiting);
    for (const question of waiting) {
      if (this.#gone.has(question.request.key)) continue;
      const job = this.#jobOf(question);
      const count = countVotes(job.votes, { of: judge.votes, criteria: job.request.criteria });
      if (count.is === 'ended') {
        // The last vote is being put down with the outcome; or an older Assay wanted more votes than this one does.
        if (job.flying === 0 && !job.ended) await this.#end(job.request.key, count);
        continue;
      }
      for (let more = count.needed - job.flying; more > 0 && !job.ended; more -= 1) {
        if (quiet.aborted || room() <= 0) return;
        if (job.notBefore > this.#now()) break;
        if (!(await this.#askOnce(job, cut))) return;
      }
    }
  }

  /** False where no other question of this judge can be asked now either. */
  async #askOnce(job: Job, cut: AbortSignal): Promise<boolean> {
    const { judge, questions } = this.#parts;
    const { request } = job;
    const at = this.#now();
    const tokens = request.inputTokens + judge.maxOutputTokens;
    if (this.#circuit.waitMs(at) > 0 || this.#pace.waitMs(at, tokens) > 0) return false;
    const nanos = mostNanos(judge, request, answerSchema(request));
    const share = request.priority < USUAL_PRIORITY ? 1 - KEPT_SHARE : 1;
    const limits = this.#limits(share);
    if (nanos > Math.min(limits.hourNanos, limits.dayNanos)) {
      await this.#end(request.key, leftOut('over-budget', 'One call may cost more than the whole budget.'));
      return true;
    }
    const reservation = await questions.reserve({ key: request.key, nanos, at, limits });
    if (!reservation.reserved) {
      if (this.#exhausted === undefined) this.#event({ type: 'budget-exhausted', window: reservation.exhausted });
      this.#exhausted = reservation.exhausted;
      return false;
    }
    this.#exhausted = undefined;
    const tell = this.#pace.take(at, tokens);
    job.flying += 1;
    const flight = this.#fly({ job, call: reservation.call, nanos, isTrial: this.#circuit.begin(), tell }, cut);
    this.#flights.add(flight);
    // A flight never rejects.
    void flight.then(() => {
      this.#flights.delete(flight);
      this.#wake();
    });
    return true;
  }

  #limits(share: number): SpendingLimits {
    const { hourNanos, dayNanos } = this.#parts.rules.budget;
    return { hourNanos: hourNanos * share, dayNanos: dayNanos * share };
  }

  async #fly(flight: Flight, cut: AbortSignal): Promise<void> {
    const { job, call, nanos } = flight;
    const { judge } = this.#parts;
    const began = performance.now();
    const reply = await this.#replyTo(job.request, cut);
    const usage = usageOf(reply);
    const cost = costOf(reply, judge, nanos);
    if (usage !== undefined) flight.tell(usage.inputTokens + usage.outputTokens);
    const read = cut.aborted ? undefined : this.#read(reply, job);
    const vote = read === undefined ? undefined : this.#voteOf(read, flight);
    if (vote !== undefined) job.votes.push(vote);
    const count = countVotes(job.votes, { of: judge.votes, criteria: job.request.criteria });
    const ends = vote !== undefined && count.is === 'ended' && !job.ended ? count : undefined;
    if (ends !== undefined) job.ended = true;
    const { key } = job.request;
    const ended = { call, key, nanos: cost, at: this.#now(), vote, outcome: ends?.outcome };
    const isRecorded = await this.#record(ended, cut);
    job.flying -= 1;
    if (read !== undefined) this.#tellCalled(read, { reply, began, nanos: cost });
    if (ends === undefined || !isRecorded) return;
    this.#hasEnded(key, ends);
    if (isProbed(key, judge.probe)) await this.#probe(job.request, ends.outcome, cut);
  }

  /** Probes: asks the same question again if it can be done at once, with budget that no pending verdict needs. */
  async #probe(request: JudgeRequest, outcome: JudgeOutcome, cut: AbortSignal): Promise<void> {
    const { judge, questions } = this.#parts;
    const { key } = request;
    const at = this.#now();
    const tokens = request.inputTokens + judge.maxOutputTokens;
    if (outcome.is !== 'answered' || !this.#loop.isRunning) return;
    if (this.#circuit.waitMs(at) > 0 || this.#pace.waitMs(at, tokens) > 0) return;
    const nanos = mostNanos(judge, request, answerSchema(request));
    const limits = this.#limits(1 - KEPT_SHARE);
    const reservation = await Promise.resolve(questions.reserve({ key, nanos, at, limits })).catch(() => undefined);
    if (reservation?.reserved !== true) return;
    const tell = this.#pace.take(at, tokens);
    const began = performance.now();
    const reply = await this.#replyTo(request, cut);
    const usage = usageOf(reply);
    if (usage !== undefined) tell(usage.inputTokens + usage.outputTokens);
    const cost = costOf(reply, judge, nanos);
    const ended = { call: reservation.call, key, nanos: cost, at: this.#now(), vote: undefined, outcome: undefined };
    await this.#record(ended, cut);
    if (cut.aborted) return;
    const read = readReply(reply, request, { unsupported: 'taken' });
    this.#tellCalled(read, { reply, began, nanos: cost });
    const isAgreed = 'vote' in read ? agreed(outcome, read.vote) : undefined;
    if (isAgreed !== undefined) this.#event({ type: 'judge-probed', judge: judge.name, agreed: isAgreed });
  }

  #tellCalled(
    read: Read,
    { reply, began, nanos }: { readonly reply: ModelReply; readonly began: number; readonly nanos: number },
  ): void {
    const usage = usageOf(reply);
    this.#event({
      type: 'judge-called',
      judge: this.#parts.judge.name,
      result: 'vote' in read && read.vote.is === 'said' ? 'said' : failureOf(read),
      reason: 'trouble' in read ? read.trouble.reason : '',
      tookMs: performance.now() - began,
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      nanos,
    });
  }

  async #replyTo(request: JudgeRequest, cut: AbortSignal): Promise<ModelReply> {
    const { judge, client } = this.#parts;
    const late = AbortSignal.timeout(judge.timeoutMs);
    try {
      const reply = await client.ask(
        {
          model: judge.model,
          instructions: request.instructions,
          material: request.material,
          schema: answerSchema(request),
          maxOutputTokens: judge.maxOutputTokens,
          temperature: judge.temperature,
        },
        AbortSignal.any([cut, late]),
      );
      return reply.is === 'failed' && late.aborted ? { is: 'failed', trouble: TIMED_OUT } : reply;
    } catch (error) {
      // A client does not throw; if it does, that is no reason to lose the call.
      return { is: 'failed', trouble: troubleOf(error, judge.apiKey) };
    }
  }

  #read(reply: ModelReply, job: Job): Read {
    const isDoubted = this.#parts.judge.strict && !job.wasDoubted;
    const read = readReply(reply, job.request, { unsupported: isDoubted ? 'doubted' : 'taken' });
    if (isDoubted && 'trouble' in read && 'vote' in readReply(reply, job.request, { unsupported: 'taken' }))
      job.wasDoubted = true;
    return read;
  }

  /** Result of the vote; undefined if the call must be made again. */
  #voteOf(read: Read, { job, isTrial }: Flight): Vote | undefined {
    const now = this.#now();
    const trouble = 'trouble' in read ? read.trouble : undefined;
    this.#tellCircuit(trouble, { isTrial, now });
    if ('vote' in read) return read.vote;
    const { failure, remedy, reason, retryAfterMs } = read.trouble;
    job.trouble = read.trouble;
    const vote: Vote = { is: 'failed', failure, reason };
    switch (remedy) {
      case 'mend':
        return undefined;
      case 'nothing':
        return vote;
      case 'pause':
      case 'retry': {
        if (remedy === 'pause') this.#pace.pause(now, retryAfterMs);
        else job.failures += 1;
        const { deadlineMs, retries } = this.#parts.judge;
        job.deadlineAt ??= now + deadlineMs;
        const pauseMs = remedy === 'pause' ? this.#pace.waitMs(now, 0) : this.#retryMs(job.failures, retryAfterMs);
        job.notBefore = now + pauseMs;
        return job.failures > retries || job.notBefore > job.deadlineAt ? vote : undefined;
      }
    }
  }

  #tellCircuit(trouble: CallTrouble | undefined, at: { readonly isTrial: boolean; readonly now: number }): void {
    const { name: judge } = this.#parts.judge;
    const isWorking = trouble === undefined || WORKING.has(trouble.failure);
    if (isWorking && trouble?.remedy !== 'mend') {
      if (trouble?.remedy !== 'pause') this.#pace.answered();
      if (this.#circuit.answered(at.isTrial)) this.#event({ type: 'judge-resumed', judge });
      return;
    }
    const stopped = trouble === undefined ? undefined : this.#circuit.failed(trouble, at);
    if (stopped === undefined) return;
    const { failure, reason, pauseMs } = stopped;
    this.#event({ type: 'judge-stopped', judge, failure, reason, tryAgainMs: pauseMs });
  }

  #retryMs(failures: number, askedMs: number): number {
    const ownMs = Math.min(RETRY_MOST_MS, this.#times.retryMs * 2 ** Math.min(failures - 1, 20));
    return Math.max(askedMs, ownMs * (0.5 + Math.random() / 2));
  }

  /** The result of a call must not be lost because the store is away: writing is retried until the service stops. */
  async #record(call: EndedCall, cut: AbortSignal): Promise<boolean> {
    for (;;) {
      try {
        await this.#parts.questions.record(call);
        return true;
      } catch (error) {
        this.#said(error);
        if (cut.aborted) return false;
        await sleep(STORE_PAUSE_MS, undefined, { signal: cut }).catch(() => {
          // The service stops: one more try, and that is that.
        });
      }
    }
  }

  async #endOverdue(): Promise<void> {
    const { judge, rules, questions } = this.#parts;
    const now = this.#now();
    if (now - this.#lookedAt < this.#times.idleMs) return;
    this.#lookedAt = now;
    // While nobody could ask, nobody was late.
    const before = this.#startedAt < now - rules.limitMs ? now - rules.limitMs : 0;
    const overdue = { judge: judge.name, before, keep: WAITING_MAX, limit: ENDED_TOGETHER };
    for (const key of await questions.overdue(overdue)) {
      const job = this.#jobs.get(key);
      if (job === undefined || (job.flying === 0 && !job.ended)) await this.#end(key, this.#late(job));
    }
  }

  #late(job: Job | undefined): End {
    const { stopped } = this.#circuit;
    if (stopped !== undefined) return failed(stopped.failure, `The judge is stopped: ${stopped.reason}`);
    if (job?.trouble !== undefined) return failed(job.trouble.failure, job.trouble.reason);
    if (this.#exhausted !== undefined)
      return leftOut('over-budget', `The budget of the ${this.#exhausted} was spent for as long as it may wait.`);
    return leftOut('too-late', 'It waited for longer than judging.limit, behind others.');
  }

  async #end(key: string, end: End): Promise<void> {
    const job = this.#jobs.get(key);
    if (job !== undefined) job.ended = true;
    await this.#parts.questions.end([{ key, outcome: end.outcome }], this.#now());
    this.#hasEnded(key, end);
  }

  #hasEnded(key: string, { outcome, disagreed }: End): void {
    this.#jobs.delete(key);
    this.#gone.add(key);
    const end = outcome.is === 'answered' ? 'answered' : outcome.is === 'failed' ? outcome.failure : outcome.because;
    this.#event({ type: 'question-ended', judge: this.#parts.judge.name, end, disagreed });
    this.#parts.onEnded?.([key]);
  }

  #jobOf({ request, votes }: WaitingQuestion): Job {
    const known = this.#jobs.get(request.key);
    if (known !== undefined) return known;
    const job: Job = {
      request,
      votes: [...votes],
      flying: 0,
      failures: 0,
      notBefore: 0,
      deadlineAt: undefined,
      trouble: undefined,
      wasDoubted: false,
      ended: false,
    };
    this.#jobs.set(request.key, job);
    return job;
  }

  /** Drops jobs that no evaluation waits for any more. */
  #forgetJobsBut(waiting: readonly WaitingQuestion[]): void {
    const keys = new Set(waiting.map(({ request }) => request.key));
    for (const [key, job] of this.#jobs) if (job.flying === 0 && !keys.has(key)) this.#jobs.delete(key);
  }

  #said(error: unknown): void {
    this.#event({ type: 'judging-failed', problem: error instanceof Error ? error.message : String(error) });
  }

  #event(event: JudgeEvent): void {
    this.#parts.onEvent(event);
  }
}

interface End {
  readonly outcome: JudgeOutcome;
  readonly disagreed: boolean;
}

/** A provider that fails like this does its work. */
const WORKING: ReadonlySet<JudgeFailure> = new Set(['rate-limited', 'refused', 'bad-answer', 'bad-request']);

function leftOut(because: 'over-budget' | 'too-late', reason: string): End {
  return { outcome: { is: 'left-out', because, reason }, disagreed: false };
}

function failed(failure: JudgeFailure, reason: string): End {
  return { outcome: { is: 'failed', failure, reason }, disagreed: false };
}
