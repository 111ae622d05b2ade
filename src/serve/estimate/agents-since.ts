/** Agents with conversations since a time, those with the newest first. */
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { HISTORY_WIDTHS } from '../../store/history.ts';

/** Each is up to nine series, and a prediction. */
const AGENTS_MAX = 50;

export async function agentsSince(
  { pages }: Pick<ConversationReader, 'pages'>,
  since: number,
): Promise<readonly string[]> {
  const [, { ms: width }] = HISTORY_WIDTHS;
  const places = await pages.countedPlaces({ width, since: Math.floor(since / width) * width });
  return [...Map.groupBy(places, ({ agent }) => agent)]
    .map(([agent, own]) => ({ agent, last: own.reduce((at, one) => Math.max(at, one.last), 0) }))
    .toSorted((a, b) => b.last - a.last || (a.agent < b.agent ? -1 : 1))
    .slice(0, AGENTS_MAX)
    .map(({ agent }) => agent);
}
