/** Estimates of the agents of the last week, for gauges (criteria/shown-rounds.ts). */
import type { ShownEstimate } from '../../report/metrics/estimate-metrics.ts';
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { returnedKinds } from '../../engine/failures/failure-board.ts';
import { WEEK_MS, windowEstimate } from '../../engine/estimate/window-estimate.ts';
import { agentsSince } from './agents-since.ts';

export async function shownEstimates(
  reader: Pick<ConversationReader, 'failures' | 'frame' | 'pages'>,
  now: number = Date.now(),
): Promise<readonly ShownEstimate[]> {
  const since = now - WEEK_MS;
  const shown: ShownEstimate[] = [];
  for (const agent of await agentsSince(reader, since)) {
    const found = await windowEstimate(reader.frame, { agent, since, until: now });
    const { success, missRate, readings, conversations: of } = found;
    const conversations = {
      read: readings.sample,
      certain: readings.certain,
      not_spoken_for: of.later + of.unreadable,
    };
    const returned = await returnedKinds(reader.failures, agent);
    shown.push({ agent, success, missRate, conversations, returned });
  }
  return shown;
}
