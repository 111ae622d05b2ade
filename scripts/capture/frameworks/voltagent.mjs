/* capture
{
  "package": "@voltagent/core",
  "packages": {
    "@voltagent/core": "2.10.0",
    "@voltagent/logger": "2.0.2",
    "ai": "6.0.326",
    "@ai-sdk/openai": "3.0.141",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "generateText with userId and conversationId",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "stream": {
      "api": "openai-responses",
      "note": "streamText",
      "scenarios": ["meeting_success", "meeting_silent_crash"]
    },
    "subagent": {
      "api": "openai-responses",
      "note": "an agent as a tool of another (toTool)",
      "scenarios": ["support_subagent"]
    }
  }
}
*/
import { createOpenAI } from '@ai-sdk/openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Agent, createTool, VoltAgentObservability } from '@voltagent/core';
import { jsonSchema } from 'ai';
import { onFlush, play, run } from './driver.mjs';

const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${run.otlp.url}/v1/traces` }), {
  scheduledDelayMillis: 200,
});
onFlush(() => processor.forceFlush());
const observability = new VoltAgentObservability({
  serviceName: run.agent.name,
  serviceVersion: '1.4.2',
  spanProcessors: [processor],
});
const model = createOpenAI()(run.model.name);

function agentOf(offer) {
  return new Agent({
    name: offer.name,
    instructions: offer.instructions,
    model,
    observability,
    maxRetries: 0,
    maxSteps: 12,
    tools: offer.tools.map(({ name, description, parameters, execute }) =>
      createTool({
        name,
        description,
        parameters: jsonSchema(parameters),
        execute:
          name === 'ask_support_agent' ? ({ question }, options) => asked(question, options) : (args) => execute(args),
      }),
    ),
  });
}

async function asked(question, options) {
  const inner = agentOf(run.inner);
  return (await inner.generateText(question, { parentAgentId: agent.id, parentSpan: options?.parentToolSpan })).text;
}

const agent = agentOf(run.agent);
const ids = { userId: run.userId, conversationId: run.conversationId, maxRetries: 0 };
await play(async (user) => {
  if (run.variant !== 'stream') return (await agent.generateText(user, ids)).text;
  const { textStream } = await agent.streamText(user, ids);
  let text = '';
  for await (const part of textStream) text += part;
  if (text === '') throw new Error('the stream ended without text');
  return text;
});
process.exit(0);
