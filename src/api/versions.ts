/** `GET /api/v1/versions/compare`: two versions of an agent online, which saw different conversations. */
import { z } from 'zod';
import { CASES_KEPT } from '../model/release.ts';
import { compared } from './comparison.ts';
import { about, anyOf, count, estimate, kinds, list, outcome, related, time, timeAsked } from './shapes.ts';

const fraction = z.coerce.number().gt(0).lt(1);

export const versionsQuery = z.strictObject({
  agent: z.string().min(1),
  a: z.string().min(1).meta({ description: 'the version before' }),
  b: z.string().min(1).meta({ description: 'the version after' }),
  suite: z.string().optional(),
  environment: anyOf(z.string()),
  segment: anyOf(z.string()),
  since: timeAsked.optional().meta({ description: '30d unless given' }),
  until: timeAsked.optional(),
  smallest: fraction.default(0.05).meta({ description: 'the smallest difference that matters; b may lose so much' }),
  evidence: z.coerce
    .number()
    .gt(0)
    .max(1e9)
    .default(1)
    .meta({ description: 'that b is worse on cases, from the gate: `evidence` of success in `assay gate --json`' }),
  cases: z.enum(CASES_KEPT).optional().meta({
    description: 'whether the gate has shown that the cases keep their limit: open holds b back, worse rolls it back',
  }),
});

export type VersionsQuery = z.output<typeof versionsQuery>;

const release = z.strictObject({
  decision: z.enum(['promote', 'hold', 'roll_back']),
  sentence: z.string().meta({ description: 'the decision and its reason, for a person' }),
  evidence: z
    .strictObject({ cases: z.number(), traffic: z.number(), together: z.number(), rolls_back_at: z.number() })
    .meta({
      description: 'how many times likelier all this is if b is worse (e-values): valid however often one looks',
    }),
});

const side = z.strictObject({
  agent_version: z.string(),
  conversations: count.meta({ description: 'conversations that the figures rest on' }),
  evaluations: count,
  tcr: estimate.optional(),
  success: estimate.optional(),
  estimated: z
    .strictObject({
      says: z.string(),
      success: estimate.optional(),
      other_users: estimate.optional().meta({ description: 'wider: those that came are a sample of users' }),
    })
    .optional()
    .meta({
      description: 'share that went well, from readings; absent of nothing, and for several environments or segments',
    }),
  outcomes: z.partialRecord(outcome, count),
  because: kinds,
  other_versions: count.meta({ description: 'evaluations by other versions of the suite, which are in no figure' }),
  cut: z.boolean().meta({ description: 'there are more conversations: the oldest are left out' }),
});

const criterion = z.strictObject({
  criterion: z.string(),
  compared,
  failed: z.strictObject({ a: count, b: count }).meta({ description: 'evaluations in which it failed' }),
});

export const versionsCompared = z.strictObject({
  agent: z.string(),
  suite: z.string(),
  about: about.optional(),
  since: time,
  until: time,
  smallest_difference: z.number(),
  a: side,
  b: side,
  release: release.meta({ description: 'whether b may get more traffic' }),
  related,
  notes: list(z.string()).meta({ description: 'limits of what is compared, sentences to be shown' }),
  score: compared.meta({
    description:
      'cases are conversations, as in all that is compared; a and b as if both had met the same mix of traffic; intervals hold however often one looks',
  }),
  success: compared,
  criteria: list(criterion),
  steps_per_success: compared,
  tokens_per_success: compared,
  cost_per_success: compared,
});
export type VersionsCompared = z.infer<typeof versionsCompared>;
