/**
 * The cost of a conversation's own tokens, in US dollars, and where it comes from:
 *
 *   spans         the spans say the cost of all tokens that they report
 *   price table   the prices of the settings say it, of all tokens or of those whose cost the spans do not say
 *   partly        some tokens have neither: the amount is what is known, and too little
 *   not known     no tokens have either, or none were reported
 *
 * An amount of `partly` is shown with that word, and is in no figure: a sum with it would look cheaper than it was.
 */
import { compileGlob, type Matcher } from './glob.ts';
import type { SpanId } from './ids.ts';
import { nanosOf, type TokenPrices } from './price.ts';
import type { Usage } from './step.ts';

export const COST_SOURCES = ['spans', 'price table', 'partly', 'not known'] as const;
type CostSource = (typeof COST_SOURCES)[number];

export interface ConversationCost {
  readonly usd: number | undefined;
  readonly source: CostSource;
  /** Models of tokens that have neither cost nor price; '' for a call that names no model. */
  readonly modelsWithoutPrice: readonly string[];
}

/** Tokens of a call, each counted once, and the model that made them. */
export interface SpentTokens {
  readonly spanId: SpanId;
  readonly model: string | undefined;
  readonly usage: Usage;
  /** A span of this call, or one above or below it, has its cost. */
  readonly isInSpans: boolean;
}

/** A cost that a span reports. */
export interface ReportedCost {
  readonly spanId: SpanId;
  readonly usd: number;
}

/** Prices as the settings give them: the first glob that matches the model's name counts. */
export interface ModelPrices extends TokenPrices {
  readonly models: string;
}

export class PriceTable {
  readonly #entries: readonly { readonly matches: Matcher; readonly prices: TokenPrices }[];

  constructor(written: readonly ModelPrices[]) {
    this.#entries = written.map(({ models, ...prices }) => ({ matches: compileGlob(models), prices }));
  }

  find(model: string): TokenPrices | undefined {
    return this.#entries.find(({ matches }) => matches(model))?.prices;
  }
}

export const NO_PRICES = new PriceTable([]);

/** Facts of a turn that its cost comes from. */
interface TurnCost {
  readonly costUsd: number | undefined;
  readonly spent: readonly SpentTokens[];
}

export function costOfTurns(turns: readonly TurnCost[], table: PriceTable): ConversationCost {
  let inSpans: number | undefined;
  let nanos: number | undefined;
  const without = new Set<string>();
  for (const turn of turns) {
    if (turn.costUsd !== undefined) inSpans = (inSpans ?? 0) + turn.costUsd;
    for (const { model, usage, isInSpans } of turn.spent) {
      if (isInSpans || usage.inputTokens + usage.outputTokens === 0) continue;
      const prices = model === undefined ? undefined : table.find(model);
      if (prices === undefined) without.add(model ?? '');
      else nanos = (nanos ?? 0) + nanosOf(usage, prices);
    }
  }
  const usd = inSpans === undefined && nanos === undefined ? undefined : (inSpans ?? 0) + (nanos ?? 0) / 1e9;
  return { usd, source: sourceOf(usd, nanos, without.size), modelsWithoutPrice: [...without].sort() };
}

function sourceOf(usd: number | undefined, nanos: number | undefined, without: number): CostSource {
  if (usd === undefined) return 'not known';
  if (without > 0) return 'partly';
  return nanos === undefined ? 'spans' : 'price table';
}

/** The amount where all of it is known. */
export function wholeCost({ usd, source }: ConversationCost): number | undefined {
  return source === 'spans' || source === 'price table' ? usd : undefined;
}
