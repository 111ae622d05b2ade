/** `GET /api/v1/detections`: levels that got worse, and the last changes, one sentence each. */
import { z } from 'zod';
import { DETECTOR_METRICS, DETECTOR_STATES } from '../model/detection.ts';
import { count, list, time } from './shapes.ts';

const open = z.strictObject({
  sentence: z.string(),
  agent: z.string(),
  environment: z.string(),
  suite: z.string(),
  metric: z.enum(DETECTOR_METRICS),
  criterion: z.string().optional(),
  segment: z.string().optional().meta({ description: 'where the metric is segment: a part of the traffic' }),
  state: z.enum(DETECTOR_STATES),
  since: time.optional().meta({ description: 'when it seems to have begun' }),
  baseline: z.number().optional(),
  observed: z.number().optional(),
  size: z
    .strictObject({ value: z.number(), low: z.number(), high: z.number() })
    .optional()
    .meta({ description: 'relative to the baseline, negative is a fall, with its interval of 95 %' }),
  causes: list(z.strictObject({ kind: z.enum(['criterion', 'mix']), name: z.string(), points: z.number() })),
  explained_by: list(
    z.strictObject({
      parts: list(z.string()),
      probability: z.number().optional(),
      share: z.number(),
      conversations: count,
      expected: z.number(),
      observed: z.number(),
    }),
  ).meta({
    description: 'what may explain the fall, the most probable first: parts; one without parts: it is everywhere',
  }),
  none_of_these: z.number().optional().meta({ description: 'probability that none of them explains the fall' }),
});

const change = z.strictObject({
  at: time,
  sentence: z.string(),
  agent: z.string(),
  environment: z.string(),
  suite: z.string(),
  metric: z.enum(DETECTOR_METRICS).optional().meta({ description: 'absent for a version against another' }),
  criterion: z.string().optional(),
  segment: z.string().optional(),
  since: time.optional().meta({ description: 'when it seems to have begun' }),
  kind: z.string(),
});

export const detections = z.strictObject({
  is_active: z.boolean(),
  note: z.string().optional(),
  open: list(open),
  changes: list(change),
  judges: list(
    z.strictObject({
      suite: z.string(),
      agent: z.string(),
      environment: z.string(),
      before: z.number().optional(),
      after: z.number().optional(),
      by_judges: z.number().optional(),
      by_others: z.number().optional(),
    }),
  ).meta({
    description: 'suites whose judges changed lately: mean score before and after, and how much of it they moved',
  }),
  learning: count,
  watching: count,
  watched: list(
    z.strictObject({ suite: z.string(), agent: z.string(), environment: z.string(), learning: count, watching: count }),
  ).meta({ description: 'figures that are learned and watched, of each agent' }),
});
export type Detections = z.infer<typeof detections>;
