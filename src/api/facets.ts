/** `GET /api/v1/facets`: the values that filters can have. `GET /api/v1/service`: what this instance is set up for. */
import { z } from 'zod';
import { count, list, time, timeAsked } from './shapes.ts';

export const facetsQuery = z.strictObject({ since: timeAsked.optional() });

export const facets = z.strictObject({
  agents: list(z.string()),
  agent_versions: list(
    z.strictObject({ agent: z.string(), agent_version: z.string(), first_at: time, last_at: time }),
  ).meta({ description: 'the latest first; as far back as evaluations are counted by time' }),
  environments: list(z.string()),
  segments: list(z.string()),
  suites: list(z.string()).meta({ description: 'live ones that run, the one that says most about the task first' }),
  conversations: count.meta({ description: 'how many are stored, counted up to 10000' }),
  conversations_over: z.boolean().meta({ description: 'there are more than were counted' }),
});
export type Facets = z.infer<typeof facets>;

export const service = z.strictObject({
  version: z.string(),
  project: z.string().optional().meta({ description: 'its name among those of the process; the default one has none' }),
  receiving: z.strictObject({
    otlp_grpc_port: count.optional(),
    otlp_http_port: count.optional(),
    kafka: z.boolean(),
  }),
  trace_url: z
    .string()
    .optional()
    .meta({ description: 'template of links to the traces in another backend: page.trace_url of the configuration' }),
  dashboard_url: z
    .string()
    .optional()
    .meta({ description: 'template of links to your dashboards: page.dashboard_url of the configuration' }),
  withheld: z
    .strictObject({ effort: list(z.string()), criteria: list(z.string()), buckets: list(z.string()) })
    .meta({ description: 'agents of which Prometheus lacks a part, because of metrics.max_series; at most 100 each' }),
});
export type ServiceJson = z.infer<typeof service>;
