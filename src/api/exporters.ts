/** `GET /api/v1/exporters`: exporters that Assay does not know, and what the newest conversations show of them. */
import { z } from 'zod';
import { EVIDENCE } from '../model/exporters.ts';
import { count, list } from './shapes.ts';

export const exportersQuery = z.strictObject({});

export const exporterList = z.strictObject({
  turns: count.meta({ description: 'turns that were looked at, the newest' }),
  exporters: list(
    z.strictObject({
      scope: z.string().meta({ description: "name of the instrumentation scope; '' has none" }),
      turns: count,
      turns_speaking_of_tools: count.meta({ description: 'a model was given tools, asked for one, or called one' }),
      turns_with_tools: count.meta({ description: 'with a tool call that this exporter shows' }),
      turns_with_tool_errors: count,
      entry: z
        .strictObject({ scope: z.string(), lacks: list(z.enum(EVIDENCE)) })
        .optional()
        .meta({
          description:
            'for exporters.known of the configuration; absent where too little was seen, or its name has characters that a glob may mean',
        }),
    }),
  ).meta({ description: 'beside those that Assay knows' }),
});
export type ExporterList = z.infer<typeof exporterList>;
