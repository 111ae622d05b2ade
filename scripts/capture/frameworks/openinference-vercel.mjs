/* capture
{
  "package": "@arizeai/openinference-vercel",
  "packages": {
    "@arizeai/openinference-vercel": "3.2.1",
    "ai": "6.0.326",
    "@ai-sdk/openai": "3.0.141",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/context-async-hooks": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "3.25.76"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "OpenInferenceBatchSpanProcessor over version 6",
      "scenarios": [
        "sql_schema_then_query"
      ]
    },
    "stream": {
      "api": "openai-responses",
      "note": "streamText",
      "scenarios": []
    },
    "chat": {
      "api": "openai-chat",
      "note": "Chat Completions",
      "scenarios": []
    }
  }
}
*/
import { isOpenInferenceSpan, OpenInferenceBatchSpanProcessor } from '@arizeai/openinference-vercel';
import { createOpenAI } from '@ai-sdk/openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { play, run, startTelemetry } from './driver.mjs';

const exporter = new OTLPTraceExporter({ url: `${run.otlp.url}/v1/traces` });
await startTelemetry({
  wrap: () =>
    new OpenInferenceBatchSpanProcessor({
      exporter,
      spanFilter: isOpenInferenceSpan,
      config: { scheduledDelayMillis: 200 },
    }),
});
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'scripted' });

function agentOf(offer) {
  const messages = [];
  return async (user) => {
    messages.push({ role: 'user', content: user });
    const request = {
      model: run.api === 'openai-chat' ? openai.chat(run.model.name) : openai(run.model.name),
      system: offer.instructions,
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
      experimental_telemetry: {
        isEnabled: true,
        functionId: offer.name,
        metadata: { sessionId: run.conversationId, userId: run.userId },
      },
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
