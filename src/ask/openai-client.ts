/**
 * Anything that speaks OpenAI's chat completions: OpenAI itself, gateways, vLLM, Ollama, llama.cpp. They accept
 * different requests. Parts that an endpoint rejects are left out from then on, one after the other: the schema as
 * `json_schema`, then `json_object`, then in the instructions alone; the limit of the answer as
 * `max_completion_tokens`, then as `max_tokens`. However the answer was asked for, it is read as strictly.
 */
import type OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { boundedFetch } from './bounded-fetch.ts';
import { troubleOf } from './model-error.ts';
import type { Endpoint, ModelCall, ModelClient, ModelReply, Usage } from './model-client.ts';
import { instructionsWithSchema } from './schema-in-words.ts';

type Form = 'json_schema' | 'json_object' | 'words';
type Limit = 'max_completion_tokens' | 'max_tokens';

const WEAKER: Readonly<Record<Form, Form | undefined>> = {
  json_schema: 'json_object',
  json_object: 'words',
  words: undefined,
};

export class OpenAiClient implements ModelClient {
  readonly #endpoint: Endpoint;
  #client: OpenAI | undefined;
  #form: Form = 'json_schema';
  #limit: Limit;
  #limitRefused = false;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    // OpenAI's newer models take only the one, and servers that imitate it know the other.
    this.#limit = endpoint.baseUrl === undefined ? 'max_completion_tokens' : 'max_tokens';
  }

  async ask(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
    for (;;) {
      const asked = { form: this.#form, limit: this.#limit };
      try {
        const client = await this.#connect();
        return replyOf(await client.chat.completions.create(bodyOf(call, asked), { signal }));
      } catch (error) {
        const trouble = troubleOf(error, this.#endpoint.apiKey);
        // Another call may have learned the same meanwhile: then this one is simply sent again.
        if (trouble.failure !== 'bad-request' || !this.#learn(trouble.reason, asked)) return { is: 'failed', trouble };
      }
    }
  }

  /** Whether there is another way to ask. */
  #learn(reason: string, asked: { readonly form: Form; readonly limit: Limit }): boolean {
    if (this.#form !== asked.form || this.#limit !== asked.limit) return true;
    if (/max_(completion_)?tokens/.test(reason) && !this.#limitRefused) {
      this.#limitRefused = true;
      this.#limit = asked.limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      return true;
    }
    const weaker = /response_format|json_schema|json_object|structured|guided|grammar|schema/i.test(reason)
      ? WEAKER[asked.form]
      : undefined;
    if (weaker === undefined) return false;
    this.#form = weaker;
    return true;
  }

  async #connect(): Promise<OpenAI> {
    if (this.#client !== undefined) return this.#client;
    const { OpenAI: Client } = await import('openai');
    // Everything that the library would take from the environment is given here, so that only the configuration is
    // sent.
    this.#client ??= new Client({
      apiKey: this.#endpoint.apiKey ?? 'none',
      baseURL: this.#endpoint.baseUrl ?? 'https://api.openai.com/v1',
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      maxRetries: 0,
      logLevel: 'off',
      fetch: boundedFetch,
    });
    return this.#client;
  }
}

function bodyOf(
  call: ModelCall,
  { form, limit }: { readonly form: Form; readonly limit: Limit },
): ChatCompletionCreateParamsNonStreaming {
  const instructions = form === 'json_schema' ? call.instructions : instructionsWithSchema(call);
  return {
    model: call.model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: call.material },
    ],
    [limit]: call.maxOutputTokens,
    ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
    ...formatOf(call, form),
  };
}

function formatOf(call: ModelCall, form: Form): Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'> {
  if (form === 'words') return {};
  if (form === 'json_object') return { response_format: { type: 'json_object' } };
  // The cast holds for schemas: they are objects.
  const schema = call.schema as Record<string, unknown>;
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } } };
}

/** Servers that imitate the API leave out what they like. */
function replyOf(completion: Partial<ChatCompletion>): ModelReply {
  const usage = usageOf(completion.usage ?? undefined);
  const [choice] = completion.choices ?? [];
  const message = choice?.message;
  const refusal = message?.refusal ?? undefined;
  if (refusal !== undefined && refusal !== '') return { is: 'refused', reason: 'the model refused to answer', usage };
  if (choice?.finish_reason === 'content_filter')
    return { is: 'refused', reason: 'the provider filtered the answer', usage };
  if (choice?.finish_reason === 'length') return { is: 'cut', usage };
  const text = typeof message?.content === 'string' ? message.content : '';
  return { is: 'said', text, model: String(completion.model ?? ''), usage };
}

function usageOf(usage: ChatCompletion['usage']): Usage | undefined {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage ?? {};
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return { inputTokens, outputTokens };
}
