/**
 * Anthropic's messages. Where a model or a gateway refuses to be held to a schema, it is told the schema in words from then on. However the answer was asked
 * for, it is read as strictly.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type { Message, MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import { boundedFetch } from './bounded-fetch.ts';
import { troubleOf } from './model-error.ts';
import type { Endpoint, ModelCall, ModelClient, ModelReply, Usage } from './model-client.ts';
import { instructionsWithSchema } from './schema-in-words.ts';

export class AnthropicClient implements ModelClient {
  readonly #endpoint: Endpoint;
  #client: Anthropic | undefined;
  #takesSchema = true;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async ask(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
    for (;;) {
      const withSchema = this.#takesSchema;
      try {
        const client = await this.#connect();
        return replyOf(await client.messages.create(bodyOf(call, withSchema), { signal }));
      } catch (error) {
        const trouble = troubleOf(error, this.#endpoint.apiKey);
        const isSchema = /output_config|output_format|json_schema|structured|schema/i.test(trouble.reason);
        if (trouble.failure !== 'bad-request' || !withSchema || !isSchema) return { is: 'failed', trouble };
        this.#takesSchema = false;
      }
    }
  }

  async #connect(): Promise<Anthropic> {
    if (this.#client !== undefined) return this.#client;
    const { Anthropic: Client } = await import('@anthropic-ai/sdk');
    // Everything that the library would take from the environment is given here, so that only the configuration is
    // sent.
    this.#client ??= new Client({
      apiKey: this.#endpoint.apiKey ?? 'none',
      authToken: null,
      webhookKey: null,
      baseURL: this.#endpoint.baseUrl ?? 'https://api.anthropic.com',
      maxRetries: 0,
      logLevel: 'off',
      fetch: boundedFetch,
    });
    return this.#client;
  }
}

function bodyOf(call: ModelCall, withSchema: boolean): MessageCreateParamsNonStreaming {
  // The cast holds for schemas: they are objects.
  const schema = call.schema as Record<string, unknown>;
  return {
    model: call.model,
    max_tokens: call.maxOutputTokens,
    system: withSchema ? call.instructions : instructionsWithSchema(call),
    messages: [{ role: 'user', content: call.material }],
    ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
    ...(withSchema ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  };
}

/** Gateways that imitate the API leave out what they like. */
function replyOf(message: Partial<Message>): ModelReply {
  const usage = usageOf(message.usage);
  if (message.stop_reason === 'refusal') return { is: 'refused', reason: 'the model refused to answer', usage };
  if (message.stop_reason === 'max_tokens') return { is: 'cut', usage };
  const text = (message.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return { is: 'said', text, model: String(message.model ?? ''), usage };
}

function usageOf(usage: Partial<Message['usage']> | undefined): Usage | undefined {
  const { input_tokens: input, output_tokens: outputTokens } = usage ?? {};
  if (typeof input !== 'number' || typeof outputTokens !== 'number') return undefined;
  const cached = (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0);
  return { inputTokens: input + cached, outputTokens };
}
