/* capture
{
  "package": "@mastra/core",
  "packages": {
    "@mastra/core": "1.71.0",
    "@mastra/memory": "1.31.0",
    "@mastra/observability": "1.17.9",
    "@mastra/otel-exporter": "1.4.0",
    "@ai-sdk/openai": "3.0.141",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "OtelExporter, a memory thread as conversation",
      "scenarios": [
        "support_subagent"
      ]
    },
    "stream": {
      "api": "openai-responses",
      "note": "agent.stream",
      "scenarios": []
    }
  }
}
*/
import { createOpenAI } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { Observability } from '@mastra/observability';
import { OtelExporter } from '@mastra/otel-exporter';
import { z } from 'zod';
import { onFlush, play, run } from './driver.mjs';

const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'scripted' });
const zodOf = ({ type, items }) =>
  type === 'array' ? z.array(zodOf(items)) : type === 'integer' ? z.number().int() : z.string();
const agentOf = (offer) =>
  new Agent({
    id: offer.name,
    name: offer.name,
    instructions: offer.instructions,
    model: openai(run.model.name),
    memory: new Memory({ storage: new InMemoryStore() }),
    tools: Object.fromEntries(
      offer.tools.map(({ name, description, parameters, execute }) => [
        name,
        createTool({
          id: name,
          description,
          inputSchema: z.object(
            Object.fromEntries(Object.entries(parameters.properties).map(([key, of]) => [key, zodOf(of)])),
          ),
          execute: async (args, { tracingContext }) =>
            name === 'ask_support_agent'
              ? (await mastra.getAgent(run.inner.name).generate(args.question, { maxSteps: 12, tracingContext })).text
              : execute(args),
        }),
      ]),
    ),
  });
const exporter = new OtelExporter({
  provider: { custom: { endpoint: `${run.otlp.url}/v1/traces`, protocol: 'http/protobuf' } },
});
const agents = Object.fromEntries(
  [run.agent, ...(run.inner === null ? [] : [run.inner])].map((offer) => [offer.name, agentOf(offer)]),
);
const mastra = new Mastra({
  agents,
  logger: false,
  storage: new InMemoryStore(),
  observability: new Observability({ configs: { otel: { serviceName: run.agent.name, exporters: [exporter] } } }),
});
onFlush(() => exporter.flush?.());

const agent = mastra.getAgent(run.agent.name);
await play(async (user) => {
  const options = {
    memory: { thread: run.conversationId, resource: run.userId },
    maxSteps: 12,
    modelSettings: { maxRetries: 0 },
    tracingOptions: { metadata: { sessionId: run.conversationId, userId: run.userId } },
  };
  if (run.variant === 'stream') return (await agent.stream(user, options)).text;
  return (await agent.generate(user, options)).text;
});
// Its exporter sends every five seconds; a version whose `flush` does nothing must wait for that.
await new Promise((resolve) => setTimeout(resolve, 6000));
await mastra.shutdown?.();
process.exit(0);
