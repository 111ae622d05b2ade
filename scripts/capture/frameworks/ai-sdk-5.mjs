/* capture
{
  "package": "ai",
  "packages": {
    "ai": "5.0.277",
    "@ai-sdk/openai": "2.0.130",
    "@ai-sdk/anthropic": "2.0.112",
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
      "api": "openai-chat",
      "note": "generateText with experimental_telemetry",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "stream": {
      "api": "openai-chat",
      "note": "streamText",
      "scenarios": ["meeting_success", "meeting_silent_crash"]
    },
    "anthropic": {
      "api": "anthropic",
      "note": "Anthropic, whose input count leaves out the cached tokens",
      "scenarios": ["meeting_success", "support_parallel_details"]
    }
  }
}
*/
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { play, run, startTelemetry } from './driver.mjs';

await startTelemetry();
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'scripted' });
const anthropic = createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1`, apiKey: 'scripted' });
const model = run.variant === 'anthropic' ? anthropic(run.model.name) : openai.chat(run.model.name);
const tools = Object.fromEntries(
  run.agent.tools.map(({ name, description, parameters, execute }) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: (args) => execute(args) }),
  ]),
);
const messages = [];

await play(async (user) => {
  messages.push({ role: 'user', content: user });
  const request = {
    model,
    system: run.agent.instructions,
    messages: [...messages],
    tools,
    maxRetries: 0,
    stopWhen: stepCountIs(12),
    experimental_telemetry: {
      isEnabled: true,
      functionId: run.agent.name,
      metadata: { sessionId: run.conversationId, userId: run.userId },
    },
  };
  const result = run.variant === 'stream' ? streamText({ ...request, onError: () => {} }) : await generateText(request);
  if (run.variant === 'stream') await result.consumeStream?.();
  const [text, response] = [await result.text, await result.response];
  messages.push(...response.messages);
  if (text === '') throw new Error('no answer came');
  return text;
});
process.exit(0);
