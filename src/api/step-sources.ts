/** `GET /api/v1/sources/{conversation...}`: where each field of one step comes from. */
import { z } from 'zod';
import { list } from './shapes.ts';

export const stepSourcesQuery = z.strictObject({ of: z.string().max(400).meta({ description: 'a step_id' }) });

const source = z.strictObject({
  field: z.string().meta({ description: 'as in ?provenance=true; name is the name that is shown' }),
  value: z.string().meta({ description: 'at most 300 characters' }),
  state: z
    .enum(['whole', 'truncated', 'redacted', 'missing'])
    .meta({ description: 'missing: the span does not have it, or nobody captured it' }),
  rule: z.string().optional().meta({ description: 'the attribute or rule that gave it' }),
  dialect: z.string().optional().meta({ description: 'the convention that the rule is of' }),
  redacted: list(z.string()).optional().meta({ description: 'the patterns by which Assay took something out of it' }),
  note: z.string().optional(),
});
export type FieldSourceJson = z.infer<typeof source>;

export const stepSources = z.strictObject({
  step_id: z.string(),
  span_id: z.string().optional(),
  instrumentation: z.string().optional().meta({ description: 'the scope that wrote the span' }),
  fields: list(source),
  redacted_attributes: list(z.strictObject({ attribute: z.string(), redacted: list(z.string()) })).meta({
    description: 'attributes of the span and its resource in which Assay took something out, at most 50',
  }),
});
export type StepSources = z.infer<typeof stepSources>;
