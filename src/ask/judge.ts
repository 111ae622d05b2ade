/** A judge as asking sees it: where it is, what may be sent to it how often, and what it costs. */
import type { TokenPrices } from '../model/price.ts';
import type { SpendingLimits } from '../model/questions.ts';
import type { Endpoint } from './model-client.ts';

export interface Judge extends Endpoint {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic';
  readonly model: string;
  readonly temperature: number | undefined;
  /** Odd, so that each question has a majority. */
  readonly votes: number;
  readonly timeoutMs: number;
  /** Retries of one question, after its first failure. */
  readonly retries: number;
  /** Time from a question's first failure after which no further retry begins. */
  readonly deadlineMs: number;
  /** Calls at the same time. */
  readonly concurrency: number;
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly maxOutputTokens: number;
  /** Share of answered questions that are asked twice, to measure how far the judge agrees with itself. */
  readonly probe: number;
  /** Prices in the currency of the budget. */
  readonly prices: TokenPrices;
  /** Whether answers whose quotes are all invented are asked for once more. */
  readonly strict: boolean;
}

export interface JudgingRules {
  readonly budget: SpendingLimits;
  /** How long a question may wait for its end. */
  readonly limitMs: number;
  readonly keepAnswersMs: number;
}
