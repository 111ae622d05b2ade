/** `GET /api/v1/detections`: levels that got worse, and the last changes, one sentence each. */
import { z } from 'zod';
import { DETECTOR_METRICS, DETECTOR_STATES } from '../detection.ts';
import { count, list, time } from './shapes.ts';

const open = z.strictObject({
  sentence: z.string(),
  agent: z.string(),
  environment: z.string(),
  suite: z.string(),
  metric: z.enum(DETECTOR_METRICS),
  criterion: z.string().optional(),
  state: z.enum(DETECTOR_STATES),
  since: time.optional().meta({ description: 'when it seems to have begun' }),
  baseline: z.number().optional(),
  observed: z.number().optional(),
  size: z
    .strictObject({ value: z.number(), low: z.number(), high: z.number() })
    .optional()
    .meta({ description: 'relative to the baseline, negative is a fall, with its interval of 95 %' }),
  causes: list(z.strictObject({ kind: z.enum(['criterion', 'mix']), name: z.string(), points: z.number() })),
});

const change = z.strictObject({
  at: time,
  sentence: z.string(),
  agent: z.string(),
  environment: z.string(),
  suite: z.string(),
  metric: z.enum(DETECTOR_METRICS).optional().meta({ description: 'absent for a version against another' }),
  criterion: z.string().optional(),
  since: time.optional().meta({ description: 'when it seems to have begun' }),
  kind: z.string(),
});

export const detections = z.strictObject({
  is_active: z.boolean(),
  note: z.string().optional(),
  open: list(open),
  changes: list(change),
  learning: count,
  watching: count,
});
export type Detections = z.infer<typeof detections>;
