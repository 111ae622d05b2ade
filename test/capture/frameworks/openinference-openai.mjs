/* capture
{
  "package": "@arizeai/openinference-instrumentation-openai",
  "packages": {
    "@arizeai/openinference-instrumentation-openai": "4.2.7",
    "@arizeai/openinference-core": "2.7.1",
    "openai": "6.49.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "traceAgent and traceTool around it, setSession",
      "scenarios": ["support_long"]
    },
    "session": {
      "api": "openai-chat",
      "note": "setSession and nothing around the model calls",
      "scenarios": ["support_loop"]
    }
  }
}
*/
import { setSession, traceAgent, traceTool } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context } from '@opentelemetry/api';
import OpenAI from 'openai';
import { openAiAgent, play, run, startTelemetry } from './driver.mjs';

const tracerProvider = await startTelemetry();
new OpenAIInstrumentation({ tracerProvider }).manuallyInstrument(OpenAI);
const client = new OpenAI({ maxRetries: 0 });
const isTraced = run.variant === 'default';

const answer = openAiAgent({
  complete: async (request) => (await client.chat.completions.create(request)).choices[0].message,
  callTool: (tool, args) => (isTraced ? traceTool(tool.execute, { name: tool.name })(args) : tool.execute(args)),
});
const agent = isTraced ? traceAgent(answer, { name: run.agent.name }) : answer;
await play((user) => context.with(setSession(context.active(), { sessionId: run.conversationId }), () => agent(user)));
