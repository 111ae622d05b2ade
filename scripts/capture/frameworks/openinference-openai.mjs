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
      "scenarios": [
        "meeting_tool_exception_crash",
        "support_long"
      ]
    },
    "session": {
      "api": "openai-chat",
      "note": "setSession and nothing around the model calls",
      "scenarios": [
        "support_loop"
      ]
    },
    "bare": {
      "api": "openai-chat",
      "note": "nothing around the model calls, no session",
      "scenarios": []
    },
    "responses": {
      "api": "openai-responses",
      "note": "Responses API",
      "scenarios": []
    },
    "stream": {
      "api": "openai-chat",
      "note": "streamed",
      "scenarios": []
    },
    "onetrace": {
      "api": "openai-chat",
      "note": "one span over the whole conversation",
      "scenarios": []
    }
  }
}
*/
import { setSession, traceAgent, traceTool } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context, trace } from '@opentelemetry/api';
import OpenAI from 'openai';
import { messageOfStream, openAiAgent, play, responsesAgent, run, startTelemetry } from './driver.mjs';

const tracerProvider = await startTelemetry();
new OpenAIInstrumentation({ tracerProvider }).manuallyInstrument(OpenAI);
const client = new OpenAI({ maxRetries: 0 });
const isTraced = !['session', 'bare'].includes(run.variant);

function agentOf(offer) {
  const perform = ({ name, execute }) =>
    name === 'ask_support_agent' ? ({ question }) => agentOf(run.inner)(question) : execute;
  const callTool = (tool, args) =>
    isTraced ? traceTool(perform(tool), { name: tool.name })(args) : perform(tool)(args);
  const complete = async (request) =>
    run.variant === 'stream'
      ? messageOfStream(
          await client.chat.completions.create({ ...request, stream: true, stream_options: { include_usage: true } }),
        )
      : (await client.chat.completions.create(request)).choices[0].message;
  const answer =
    run.api === 'openai-responses'
      ? responsesAgent({ offer, respond: (request) => client.responses.create(request), callTool })
      : openAiAgent({ offer, complete, callTool });
  return isTraced ? traceAgent(answer, { name: offer.name }) : answer;
}

const agent = agentOf(run.agent);
let around = context.active();
if (run.variant !== 'bare') around = setSession(around, { sessionId: run.conversationId });
const whole = run.variant === 'onetrace' ? trace.getTracer('app').startSpan('conversation') : undefined;
if (whole !== undefined) around = trace.setSpan(around, whole);
await play((user) => context.with(around, () => agent(user)));
whole?.end();
await tracerProvider.forceFlush();
