/** `GET /api/v1/suites`: the suites that run, and how often their criteria pass. */
import { z } from 'zod';
import { about, anyOf, count, estimate, isForward, list, NOT_FORWARD, share, timeAsked } from './shapes.ts';

export const suiteListQuery = z
  .strictObject({
    suite: z.string().optional(),
    agent: z.string().optional(),
    agent_version: anyOf(z.string()),
    environment: anyOf(z.string()),
    since: timeAsked.optional(),
    until: timeAsked.optional(),
  })
  .refine(isForward, NOT_FORWARD);

const CRITERION_KINDS = ['check', 'judge'] as const;

const certificate = z.strictObject({
  says: z.string(),
  certified: z.boolean().meta({
    description: 'beyond chance, more of what it fails went badly than of all, and `contradicted` is false',
  }),
  at: z.string().meta({ description: 'when it was measured' }),
  precision: z.strictObject({ value: share, lower: share, upper: share }),
  bad: share.meta({ description: 'of all conversations that were read' }),
  contradicted: z.boolean().meta({ description: 'readings since then lie below its interval' }),
});

const criterion = z.strictObject({
  name: z.string(),
  question: z.string(),
  kind: z.enum(CRITERION_KINDS).meta({ description: 'code answers, or a model' }),
  about,
  needs: list(z.string()).meta({
    description: 'content without which it is not decided, as `needs` of the suite says',
  }),
  weight: share.meta({ description: 'of the whole suite' }),
  written_weight: share.meta({ description: 'as its file has it' }),
  critical: z.boolean(),
  asked: count.meta({ description: 'evaluations counted here: the latest of the version that runs' }),
  pass_rate: estimate.optional().meta({ description: 'of those that were decided' }),
  not_applicable_rate: share.optional(),
  error_rate: share.optional(),
  certificate: certificate.optional(),
});

const suite = z.strictObject({
  name: z.string(),
  version: z.string(),
  description: z.string().optional(),
  scope: z.enum(['conversation', 'turn']),
  live: z.boolean(),
  about,
  looked_at: count.meta({ description: 'evaluations that were looked at, of all versions' }),
  cut: z.boolean().meta({ description: 'there are more than were looked at, which are the latest' }),
  criteria: list(criterion),
});

export const suiteList = z.strictObject({ suites: list(suite) });
export type SuiteList = z.infer<typeof suiteList>;
