/** Counts what happens between questions and judges. Starts at zero with the process; what was spent is in the store, and the budget goes by that. */
import type { Counter, Gauge, Histogram } from 'prom-client';
import { CALL_RESULTS, type JudgeEvent, QUESTION_ENDS } from '../../model/events/judge-events.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { MetricSource } from './exposition.ts';
import { JUDGE_METRICS } from './judge-metrics.ts';
import { PromMetrics } from './prom-metrics.ts';

export interface CountedJudges {
  readonly names: readonly string[];
  /** Infinity where there is no limit. */
  readonly budget: { readonly hourNanos: number; readonly dayNanos: number };
}

const NANO = 1e-9;

export class JudgeCounters {
  readonly #metrics = new PromMetrics();
  readonly #judges: CountedJudges;
  readonly #calls: Counter<'judge' | 'result'>;
  readonly #latency: Histogram<'judge'>;
  readonly #tokens: Counter<'judge' | 'direction'>;
  readonly #cost: Counter<'judge'>;
  readonly #questions: Counter<'judge' | 'end'>;
  readonly #reused: Counter<'judge'>;
  readonly #disagreed: Counter<'judge'>;
  readonly #probed: Counter<'judge' | 'agreed'>;
  readonly #waiting: Gauge<'judge'>;
  readonly #oldest: Gauge<'judge'>;
  readonly #stopped: Gauge<'judge'>;
  readonly #spent: Gauge<'window'>;
  readonly #storeFailures: Counter;

  constructor(judges: CountedJudges) {
    const metrics = this.#metrics;
    this.#judges = judges;
    this.#calls = metrics.counter(JUDGE_METRICS.calls);
    this.#latency = metrics.histogram(JUDGE_METRICS.latency);
    this.#tokens = metrics.counter(JUDGE_METRICS.tokens);
    this.#cost = metrics.counter(JUDGE_METRICS.cost);
    this.#questions = metrics.counter(JUDGE_METRICS.questions);
    this.#reused = metrics.counter(JUDGE_METRICS.reused);
    this.#disagreed = metrics.counter(JUDGE_METRICS.disagreed);
    this.#probed = metrics.counter(JUDGE_METRICS.probed);
    this.#waiting = metrics.gauge(JUDGE_METRICS.waiting);
    this.#oldest = metrics.gauge(JUDGE_METRICS.oldest);
    this.#stopped = metrics.gauge(JUDGE_METRICS.stopped);
    this.#spent = metrics.gauge(JUDGE_METRICS.spent);
    this.#storeFailures = metrics.counter(JUDGE_METRICS.storeFailures);
    for (const judge of judges.names) this.#startAtZero(judge);
    this.#showSpent({ hourNanos: 0, dayNanos: 0 });
  }

  count(event: JudgeEvent): void {
    switch (event.type) {
      case 'judge-called': {
        const { judge, result } = event;
        this.#calls.inc({ judge, result });
        this.#latency.observe({ judge }, event.tookMs / 1000);
        this.#tokens.inc({ judge, direction: 'input' }, event.inputTokens);
        this.#tokens.inc({ judge, direction: 'output' }, event.outputTokens);
        this.#cost.inc({ judge }, event.nanos * NANO);
        return;
      }
      case 'question-ended':
        this.#questions.inc({ judge: event.judge, end: event.end });
        if (event.disagreed) this.#disagreed.inc({ judge: event.judge });
        return;
      case 'judge-probed':
        this.#probed.inc({ judge: event.judge, agreed: event.agreed ? 'yes' : 'no' });
        return;
      case 'judge-stopped':
        this.#stopped.set({ judge: event.judge }, 1);
        return;
      case 'judge-resumed':
        this.#stopped.set({ judge: event.judge }, 0);
        return;
      case 'judging-observed':
        for (const { judge, questions, oldestMs, isStopped } of event.judges) {
          this.#stopped.set({ judge }, isStopped ? 1 : 0);
          this.#waiting.set({ judge }, questions);
          this.#oldest.set({ judge }, questions === 0 ? 0 : oldestMs / 1000);
        }
        this.#showSpent(event.spent);
        return;
      case 'judging-failed':
        this.#storeFailures.inc();
        return;
      case 'budget-exhausted':
        return;
      default:
        unreachable(event);
    }
  }

  /** Whoever evaluates found an answer that was there already. */
  countReused(judge: string): void {
    this.#reused.inc({ judge });
  }

  sources(): readonly MetricSource[] {
    return this.#metrics.sources();
  }

  #showSpent(spent: { readonly hourNanos: number; readonly dayNanos: number }): void {
    const { budget } = this.#judges;
    const show = (window: 'hour' | 'day', nanos: number, limit: number) => {
      if (Number.isFinite(limit)) this.#spent.set({ window }, limit === 0 ? 1 : nanos / limit);
    };
    show('hour', spent.hourNanos, budget.hourNanos);
    show('day', spent.dayNanos, budget.dayNanos);
  }

  #startAtZero(judge: string): void {
    for (const result of CALL_RESULTS) this.#calls.inc({ judge, result }, 0);
    for (const direction of ['input', 'output']) this.#tokens.inc({ judge, direction }, 0);
    for (const end of QUESTION_ENDS) this.#questions.inc({ judge, end }, 0);
    this.#latency.zero({ judge });
    this.#cost.inc({ judge }, 0);
    this.#reused.inc({ judge }, 0);
    this.#disagreed.inc({ judge }, 0);
    for (const agreed of ['yes', 'no']) this.#probed.inc({ judge, agreed }, 0);
    this.#waiting.set({ judge }, 0);
    this.#oldest.set({ judge }, 0);
    this.#stopped.set({ judge }, 0);
  }
}
