/**
 * Conversations whose turns reach the log at once. Each turn is a separate trace, so they are in several partitions,
 * and one of them, which may arrive first or last, marks the end of the conversation. This happens if several processes
 * export turns, or if a Collector sends its queue.
 */
import { randomFrom, shuffled } from '../random.ts';
import {
  type ClusterTrafficOptions,
  type ScheduledConversation,
  type TimedRecord,
  toRecord,
} from './cluster-traffic.ts';
import { type TrafficSpan, traffic } from './traffic.ts';

const TURNS_MIN = 2;
const TURNS_MAX = 4;
/** Turns whose spans come in two records, the second while the turn settles. */
const SPLIT_SHARE = 0.2;

export function* togetherTraffic(options: ClusterTrafficOptions): Generator<ScheduledConversation> {
  const random = randomFrom(options.seed * 6841 + 5);
  const source = traffic({
    seed: options.seed,
    conversations: options.conversations,
    endMarks: 'all',
    turnsMin: options.turns ?? TURNS_MIN,
    turnsMax: options.turns ?? TURNS_MAX,
    calls: [0, 2],
  });
  let index = 0;
  for (const { id, turns, agentVersion } of source) {
    const at = (index * 1000) / options.rate;
    index += 1;
    const pieces = turns.flatMap((spans) => split(spans, { at, random, settleMs: options.settleMs }));
    const records = shuffled(pieces, random)
      .toSorted((a, b) => a.at - b.at)
      .map((piece): TimedRecord => toRecord({ ...piece, signal: 'spans' }, agentVersion, random, options));
    yield {
      id,
      kind: 'together',
      records,
      spans: new Map(turns.map((spans) => [spans[0]?.traceId ?? '', spans.length])),
      ends: turns.at(-1)?.[0]?.traceId,
    };
  }
}

function split(
  spans: readonly TrafficSpan[],
  { at, random, settleMs }: { readonly at: number; readonly random: () => number; readonly settleMs: number },
): { readonly at: number; readonly items: readonly TrafficSpan[] }[] {
  if (random() >= SPLIT_SHARE || spans.length < 2) return [{ at, items: spans }];
  const half = Math.ceil(spans.length / 2);
  return [
    { at, items: spans.slice(0, half) },
    { at: at + random() * settleMs * 0.5, items: spans.slice(half) },
  ];
}
