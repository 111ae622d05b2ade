/** Evaluations of one transaction's conversations that wait for verdicts, what has become of what they wait for, and what changes of that. */
import type { JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import { suiteKey } from '../../model/suite-key.ts';
import type { EvaluationKey, HeldEvaluation, WaitingEvaluation, WaitingEvaluationStore } from '../engine-store.ts';

export interface LoadedWaiting {
  readonly waiter: number;
  readonly held: HeldEvaluation;
  /** Ended requests, by key. */
  readonly outcomes: ReadonlyMap<string, JudgeOutcome>;
  readonly isAnswered: boolean;
}

const NOT_KNOWN_YET: readonly JudgeRequest[] = [];

interface Held {
  /** Undefined where it was put in this transaction. */
  readonly loaded: LoadedWaiting | undefined;
  readonly key: EvaluationKey;
  readonly evaluation: HeldEvaluation;
  readonly put: WaitingEvaluation | undefined;
}

export class WorkingWaiting implements WaitingEvaluationStore {
  readonly #held = new Map<string, Held>();
  #dropped: number[] = [];

  load(loaded: LoadedWaiting): void {
    const { evaluation, place } = loaded.held;
    const key = { conversation: place.conversation, suite: suiteKey(evaluation), turnId: evaluation.turnId };
    this.#hold({ loaded, key, evaluation: loaded.held, put: undefined });
  }

  clear(): void {
    this.#held.clear();
    this.#dropped = [];
  }

  /** Numbers of waiters that wait no longer. */
  get dropped(): readonly number[] {
    return this.#dropped;
  }

  /** Requests that were put, with the number that they already have. */
  get added(): readonly { readonly waiter: number | undefined; readonly waiting: WaitingEvaluation }[] {
    return [...this.#held.values()].flatMap(({ put, loaded }) =>
      put === undefined ? [] : [{ waiter: loaded?.waiter, waiting: put }],
    );
  }

  find(key: EvaluationKey): HeldEvaluation | undefined {
    return this.#held.get(textOf(key))?.evaluation;
  }

  put(put: WaitingEvaluation): readonly JudgeRequest[] {
    const { evaluation, place } = put;
    const key = { conversation: place.conversation, suite: suiteKey(evaluation), turnId: evaluation.turnId };
    this.#hold({ loaded: this.#held.get(textOf(key))?.loaded, key, evaluation: put, put });
    return NOT_KNOWN_YET;
  }

  drop(key: EvaluationKey): void {
    const held = this.#held.get(textOf(key));
    if (held?.loaded !== undefined) this.#dropped.push(held.loaded.waiter);
    this.#held.delete(textOf(key));
  }

  dropAnswered(conversation: number): void {
    for (const { key, loaded, put } of [...this.#held.values()])
      if (key.conversation === conversation && put === undefined && loaded?.isAnswered === true) this.drop(key);
  }

  dropWhole(conversation: number): void {
    for (const { key } of [...this.#held.values()])
      if (key.conversation === conversation && key.turnId === undefined) this.drop(key);
  }

  outcomeOf(requestKey: string, key: EvaluationKey): JudgeOutcome | undefined {
    return this.#held.get(textOf(key))?.loaded?.outcomes.get(requestKey);
  }

  /** The turns of a trace turned out to belong to another conversation. */
  moveTrace(trace: number, from: number, to: number): void {
    for (const held of [...this.#held.values()]) {
      if (held.key.conversation !== from || held.evaluation.place.trace !== trace || trace === 0) continue;
      this.#held.delete(textOf(held.key));
      const place = { ...held.evaluation.place, conversation: to };
      this.#hold({
        ...held,
        key: { ...held.key, conversation: to },
        evaluation: { ...held.evaluation, place },
        put: held.put === undefined ? undefined : { ...held.put, place },
      });
    }
  }

  #hold(held: Held): void {
    this.#held.set(textOf(held.key), held);
  }
}

function textOf({ conversation, suite, turnId }: EvaluationKey): string {
  return `${conversation}\n${turnId ?? ''}\n${suite}`;
}
