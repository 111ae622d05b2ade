/** Estimates of the agents of the last week, for gauges (criteria/shown-rounds.ts). */
import type { ShownEstimate } from '../../report/metrics/estimate-metrics.ts';
import { HISTORY_WIDTHS } from '../../store/history.ts';
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { WEEK_MS, windowEstimate } from '../../engine/estimate/window-estimate.ts';

/** Each is up to nine series. */
const AGENTS_MAX = 50;

export async function shownEstimates(
  reader: Pick<ConversationReader, 'frame' | 'pages'>,
  now: number = Date.now(),
): Promise<readonly ShownEstimate[]> {
  const since = now - WEEK_MS;
  const [, { ms: width }] = HISTORY_WIDTHS;
  const places = await reader.pages.countedPlaces({ width, since: Math.floor(since / width) * width });
  const latest = Map.groupBy(places, ({ agent }) => agent);
  const agents = [...latest]
    .map(([agent, own]) => ({ agent, last: own.reduce((at, one) => Math.max(at, one.last), 0) }))
    .toSorted((a, b) => b.last - a.last || (a.agent < b.agent ? -1 : 1))
    .slice(0, AGENTS_MAX);
  const shown: ShownEstimate[] = [];
  for (const { agent } of agents) {
    const found = await windowEstimate(reader.frame, { agent, since, until: now });
    const { success, missRate, readings, conversations: of } = found;
    const conversations = {
      read: readings.sample,
      certain: readings.certain,
      not_spoken_for: of.later + of.unreadable,
    };
    shown.push({ agent, success, missRate, conversations });
  }
  return shown;
}
