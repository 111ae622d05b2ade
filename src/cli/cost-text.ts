/** The cost of a conversation's own tokens in a line, with where it comes from. */
import type { ConversationCost } from '../model/cost.ts';
import { safe } from './terminal.ts';

const NAMED_MAX = 5;

export function costText({ usd, source, modelsWithoutPrice }: ConversationCost): string {
  const amount = usd === undefined ? '' : ` $${usd.toPrecision(3)}`;
  const named = modelsWithoutPrice
    .slice(0, NAMED_MAX)
    .map((model) => (model === '' ? 'a call without a model' : safe(model, 80)));
  const left = modelsWithoutPrice.length - named.length;
  const without = named.length === 0 ? '' : `; no price for ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return `cost${amount} (${source})${without}`;
}
