/** A fake judge that always answers yes, and the configuration that names it. */
import { type Asked, startProvider } from '../../ask/provider.ts';

export interface PlayedJudge {
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
}

export async function startPlayedJudge(): Promise<PlayedJudge> {
  const { url } = await startProvider((asked) => ({ say: yesToAll(asked), usage: [900, 60] }));
  const prices = { input_per_million: 1, output_per_million: 4 };
  const played = { provider: 'openai', model: 'played', base_url: `${url}/v1`, api_key_env: 'PLAYED_KEY', prices };
  const judging = { budget: { per_hour: 100, per_day: 1000 } };
  return { config: { judges: { default: played }, judging }, env: { PLAYED_KEY: 'sk-played' } };
}

function yesToAll({ body }: Asked): string {
  const format = body.response_format as { readonly json_schema: { readonly schema: { readonly properties: object } } };
  const names = Object.keys(format.json_schema.schema.properties);
  return JSON.stringify(
    Object.fromEntries(names.map((name) => [name, { quotes: [], reason: 'It did.', answer: true }])),
  );
}
