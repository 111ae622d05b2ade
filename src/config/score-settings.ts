/** Labels of the metrics of conversations, and how many of them there may be. */
import { z } from 'zod';
import { section } from './section.ts';
import { count, setting } from './setting.ts';

const SEGMENT_KEYS_MAX = 8;
const SEGMENTS_MAX = 20;
const attributeKey = z.string('an attribute key').min(1, 'an attribute key that is not empty');
const segmentKeys = z.union(
  [
    attributeKey.transform((key): readonly string[] => [key]),
    z.array(attributeKey).max(SEGMENT_KEYS_MAX, `at most ${SEGMENT_KEYS_MAX} attribute keys`),
  ],
  'an attribute key, or a list of some',
);

export const METRICS = section('start', 'Labels of the metrics of conversations.', {
  maxLabelValues: count(
    { key: 'metrics.max_label_values', default: 1000, min: 1, max: 100_000, rare: true },
    'Combinations of agent, version, environment and segment. Beyond it, one that is idle and no newest version gives way, or the new one is counted under `other`. A tenth of it, but at least 20, is the number of segments of each agent.',
  ),
  maxSeries: count(
    { key: 'metrics.max_series', default: 20_000, min: 1000, max: 1_000_000, rare: true },
    'Series of agents in an answer to Prometheus. Beyond it, agents of least traffic lose buckets of histograms, then verdicts by criterion, then steps and costs; the store has them.',
  ),
  segment: setting(
    { key: 'metrics.segment', default: [], example: 'customer.tier' },
    'An attribute, or a list of some, that says which part of the traffic a conversation is (METRICS.md).',
    segmentKeys,
  ),
}).build((metrics) => ({
  ...metrics,
  maxSegments: Math.max(SEGMENTS_MAX, Math.floor(metrics.maxLabelValues / 10)),
}));
