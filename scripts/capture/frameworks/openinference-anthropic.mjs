/* capture
{
  "package": "@arizeai/openinference-instrumentation-anthropic",
  "packages": {
    "@arizeai/openinference-instrumentation-anthropic": "0.2.8",
    "@arizeai/openinference-core": "2.7.1",
    "@anthropic-ai/sdk": "1.11.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1"
  },
  "variants": {
    "default": {
      "api": "anthropic",
      "note": "traceAgent and traceTool around it, setSession",
      "scenarios": []
    },
    "session": {
      "api": "anthropic",
      "note": "setSession and nothing around the model calls",
      "scenarios": []
    },
    "stream": {
      "api": "anthropic",
      "note": "streamed",
      "scenarios": [
        "meeting_wrong_booking"
      ]
    }
  }
}
*/
import Anthropic from '@anthropic-ai/sdk';
import { setSession, traceAgent, traceTool } from '@arizeai/openinference-core';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { context } from '@opentelemetry/api';
import { anthropicAgent, play, run, startTelemetry } from './driver.mjs';

const tracerProvider = await startTelemetry();
new AnthropicInstrumentation({ tracerProvider }).manuallyInstrument(Anthropic);
const client = new Anthropic({ maxRetries: 0 });
const isTraced = run.variant !== 'session';

function agentOf(offer) {
  const perform = ({ name, execute }) =>
    name === 'ask_support_agent' ? ({ question }) => agentOf(run.inner)(question) : execute;
  const answer = anthropicAgent({
    offer,
    create: (request) =>
      run.variant === 'stream' ? client.messages.stream(request).finalMessage() : client.messages.create(request),
    callTool: (tool, args) => (isTraced ? traceTool(perform(tool), { name: tool.name })(args) : perform(tool)(args)),
  });
  return isTraced ? traceAgent(answer, { name: offer.name }) : answer;
}

const agent = agentOf(run.agent);
await play((user) => context.with(setSession(context.active(), { sessionId: run.conversationId }), () => agent(user)));
