/** Describes a schema to the model, for endpoints that cannot be held to one. */
import type { ModelCall } from './model-client.ts';

export function instructionsWithSchema({ instructions, schema }: ModelCall): string {
  return `${instructions}

Answer with one JSON object and nothing else, no code fence and no remarks. It must follow this JSON schema:
${JSON.stringify(schema)}`;
}
