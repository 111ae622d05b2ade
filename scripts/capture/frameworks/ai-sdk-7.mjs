/* capture
{
  "package": "ai",
  "packages": {
    "ai": "7.0.173",
    "@ai-sdk/otel": "1.0.173",
    "@ai-sdk/openai": "4.0.118",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/context-async-hooks": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "OpenTelemetry with the runtime context",
      "scenarios": [
        "sql_schema_then_query"
      ]
    },
    "stream": {
      "api": "openai-responses",
      "note": "streamText",
      "scenarios": []
    },
    "legacy": {
      "api": "openai-responses",
      "note": "LegacyOpenTelemetry",
      "scenarios": []
    }
  }
}
*/
import { createOpenAI } from '@ai-sdk/openai';
import { LegacyOpenTelemetry, OpenTelemetry } from '@ai-sdk/otel';
import { generateText, jsonSchema, registerTelemetry, stepCountIs, streamText, tool } from 'ai';
import { play, run, startTelemetry } from './driver.mjs';

await startTelemetry();
registerTelemetry(
  run.variant === 'legacy'
    ? new LegacyOpenTelemetry()
    : new OpenTelemetry({
        runtimeContext: true,
        enrichSpan: () => ({ 'gen_ai.conversation.id': run.conversationId }),
      }),
);
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'scripted' });

function agentOf(offer) {
  const messages = [];
  return async (user) => {
    messages.push({ role: 'user', content: user });
    const request = {
      model: run.api === 'openai-chat' ? openai.chat(run.model.name) : openai(run.model.name),
      instructions: offer.instructions,
      messages: [...messages],
      tools: Object.fromEntries(
        offer.tools.map(({ name, description, parameters, execute }) => [
          name,
          tool({
            description,
            inputSchema: jsonSchema(parameters),
            execute: (args) => (name === 'ask_support_agent' ? agentOf(run.inner)(args.question) : execute(args)),
          }),
        ]),
      ),
      maxRetries: 0,
      stopWhen: stepCountIs(12),
      runtimeContext: { sessionId: run.conversationId, userId: run.userId },
      telemetry: { functionId: offer.name, includeRuntimeContext: { sessionId: true, userId: true } },
    };
    const result =
      run.variant === 'stream' ? streamText({ ...request, onError: () => {} }) : await generateText(request);
    if (run.variant === 'stream') await result.consumeStream();
    const [text, response] = [await result.text, await result.response];
    messages.push(...response.messages);
    if (text === '') throw new Error('no answer came');
    return text;
  };
}

await play(agentOf(run.agent));
process.exit(0);
