/* capture
{
  "package": "@langfuse/openai",
  "packages": {
    "@langfuse/openai": "5.11.1",
    "@langfuse/otel": "5.11.1",
    "@langfuse/tracing": "5.11.1",
    "openai": "6.49.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/context-async-hooks": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "@opentelemetry/exporter-trace-otlp-http": "0.223.1",
    "@opentelemetry/core": "2.12.0"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "observe around the agent and its tools, propagateAttributes, observeOpenAI",
      "scenarios": [
        "meeting_tool_exception_crash"
      ]
    },
    "stream": {
      "api": "openai-chat",
      "note": "streamed",
      "scenarios": [
        "support_subagent"
      ]
    },
    "responses": {
      "api": "openai-responses",
      "note": "Responses API",
      "scenarios": []
    }
  }
}
*/
import { observeOpenAI } from '@langfuse/openai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { observe, propagateAttributes } from '@langfuse/tracing';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import OpenAI from 'openai';
import { messageOfStream, openAiAgent, play, responsesAgent, run, startTelemetry } from './driver.mjs';

const processor = new LangfuseSpanProcessor({
  exporter: new OTLPTraceExporter({ url: `${run.otlp.url}/v1/traces` }),
  publicKey: 'pk',
  secretKey: 'sk',
  baseUrl: run.otlp.url,
});
await startTelemetry({ wrap: () => processor });
const client = observeOpenAI(new OpenAI({ maxRetries: 0 }));

async function complete(request) {
  if (run.variant !== 'stream') return (await client.chat.completions.create(request)).choices[0].message;
  const options = { ...request, stream: true, stream_options: { include_usage: true } };
  return messageOfStream(await client.chat.completions.create(options));
}

function agentOf(offer) {
  const perform = ({ name, execute }) =>
    name === 'ask_support_agent' ? ({ question }) => agentOf(run.inner)(question) : execute;
  const callTool = (tool, args) => observe(perform(tool), { name: tool.name, asType: 'tool' })(args);
  const answer =
    run.api === 'openai-responses'
      ? responsesAgent({ offer, callTool, respond: (request) => client.responses.create(request) })
      : openAiAgent({ offer, callTool, complete });
  return observe(answer, { name: offer.name, asType: 'agent' });
}

const agent = agentOf(run.agent);
await play((user) => propagateAttributes({ sessionId: run.conversationId, userId: run.userId }, () => agent(user)));
