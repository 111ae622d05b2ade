/**
 * Reads earlier answers of judges: those of an earlier command from a file in the data folder, those of the service
 * from its store. Commands read both and write the file only, because the store belongs to the service. That neither
 * can be used makes questions cost money again, and is no reason not to ask.
 */
import type { JudgeOutcome } from '../model/judging.ts';
import type { EvaluationScanner } from '../store/evaluation-scan.ts';
import type { AnswerFile } from '../store/sqlite/answer-file.ts';
import type { KnownAnswers } from './offline-judges.ts';

interface KeptAnswersParts {
  /** Undefined where it cannot be used. */
  readonly file: AnswerFile | undefined;
  /** Undefined where there is none. */
  readonly store: (Pick<EvaluationScanner, 'answerOf'> & { close(): Promise<void> | void }) | undefined;
  /** Each place is reported once, and not used after that. */
  readonly onProblem: (of: 'file' | 'store', error: unknown) => void;
}

export class KeptAnswers implements KnownAnswers {
  readonly #parts: KeptAnswersParts;
  readonly #failed = new Set<'file' | 'store'>();

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts;
  }

  async find(key: string): Promise<JudgeOutcome | undefined> {
    const { file, store } = this.#parts;
    return (
      (await this.#attempt('file', () => file?.find(key))) ?? (await this.#attempt('store', () => store?.answerOf(key)))
    );
  }

  keep(key: string, outcome: JudgeOutcome): void {
    void this.#attempt('file', () => this.#parts.file?.keep(key, outcome, Date.now()));
  }

  async close(): Promise<void> {
    this.#parts.file?.close();
    await this.#attempt('store', () => this.#parts.store?.close());
  }

  /** Never rejects. A synchronous function is done when it returns. */
  async #attempt<T>(of: 'file' | 'store', work: () => T | Promise<T>): Promise<T | undefined> {
    if (this.#failed.has(of)) return undefined;
    try {
      return await work();
    } catch (error) {
      this.#failed.add(of);
      this.#parts.onProblem(of, error);
      return undefined;
    }
  }
}
