/* capture
{
  "package": "@strands-agents/sdk",
  "packages": {
    "@strands-agents/sdk": "1.19.0",
    "openai": "6.49.0",
    "@anthropic-ai/sdk": "0.109.1",
    "@modelcontextprotocol/sdk": "1.30.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/resources": "2.8.0",
    "@opentelemetry/sdk-metrics": "2.8.0",
    "@opentelemetry/sdk-trace-base": "2.8.0",
    "@opentelemetry/sdk-trace-node": "2.8.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.219.0",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "span events of the older conventions, the default; session.id among traceAttributes",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "latest": {
      "api": "openai-responses",
      "note": "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental: one kind of span event",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery"],
      "env": { "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental,gen_ai_tool_definitions" }
    },
    "attributes": {
      "api": "anthropic",
      "note": "gen_ai_latest_experimental and gen_ai_span_attributes_only: messages as span attributes; Anthropic",
      "scenarios": ["support_parallel_details"],
      "env": { "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental,gen_ai_span_attributes_only" }
    },
    "subagent": {
      "api": "openai-responses",
      "note": "an agent as a tool of another",
      "scenarios": ["support_subagent"]
    }
  }
}
*/
import { Agent, tool } from '@strands-agents/sdk';
import { play, run, startTelemetry } from './driver.mjs';

await startTelemetry();

async function model() {
  if (run.api === 'anthropic') {
    const { AnthropicModel } = await import('@strands-agents/sdk/models/anthropic');
    return new AnthropicModel({ modelId: run.model.name, clientConfig: { maxRetries: 0 } });
  }
  const { OpenAIModel } = await import('@strands-agents/sdk/models/openai');
  return new OpenAIModel({ api: 'responses', modelId: run.model.name, clientConfig: { maxRetries: 0 } });
}

async function agentOf(offer) {
  return new Agent({
    name: offer.name,
    model: await model(),
    systemPrompt: offer.instructions,
    printer: false,
    retryStrategy: null,
    traceAttributes: { 'session.id': run.conversationId, 'user.id': run.userId },
    tools: offer.tools.map(({ name, description, parameters, execute }) =>
      tool({
        name,
        description,
        inputSchema: parameters,
        callback: name === 'ask_support_agent' ? ({ question }) => asked(question) : execute,
      }),
    ),
  });
}

async function asked(question) {
  const inner = await agentOf(run.inner);
  return textOf(await inner.invoke(question));
}

function textOf(result) {
  return result.lastMessage.content.flatMap((block) => (block.type === 'textBlock' ? block.text : [])).join('');
}

const agent = await agentOf(run.agent);
await play(async (user) => textOf(await agent.invoke(user)));
