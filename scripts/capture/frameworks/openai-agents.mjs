/* capture
{
  "package": "@openai/agents",
  "packages": {
    "@openai/agents": "0.20.0",
    "@arizeai/openinference-instrumentation-openai-agents": "0.2.15",
    "@arizeai/openinference-core": "2.7.1",
    "openai": "6.49.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "OpenInference, setSession around the run",
      "scenarios": [
        "support_long",
        "support_loop"
      ]
    },
    "handoff": {
      "api": "openai-responses",
      "note": "the first agent hands over to the second",
      "scenarios": [
        "support_handoff"
      ]
    },
    "subagent": {
      "api": "openai-responses",
      "note": "an agent as a tool of another",
      "scenarios": [
        "support_subagent"
      ]
    },
    "chat": {
      "api": "openai-chat",
      "note": "Chat Completions",
      "scenarios": []
    },
    "stream": {
      "api": "openai-responses",
      "note": "streamed",
      "scenarios": [
        "meeting_tool_exception_crash"
      ]
    },
    "plain": {
      "api": "openai-responses",
      "note": "no session",
      "scenarios": []
    }
  }
}
*/
import { setSession } from '@arizeai/openinference-core';
import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents';
import * as agents from '@openai/agents';
import { context } from '@opentelemetry/api';
import OpenAI from 'openai';
import { asText, onFlush, play, run, startTelemetry } from './driver.mjs';

const tracerProvider = await startTelemetry();
const instrumentation = new OpenAIAgentsInstrumentation({ tracerProvider });
instrumentation.manuallyInstrument?.(agents);
instrumentation.instrument?.();
onFlush(() => agents.getGlobalTraceProvider().forceFlush());
agents.setDefaultOpenAIClient(new OpenAI({ maxRetries: 0 }));
if (run.api === 'openai-chat') agents.setOpenAIAPI('chat_completions');

function agentOf(offer, extra = {}) {
  return new agents.Agent({
    name: offer.name,
    instructions: offer.instructions,
    model: run.model.name,
    tools: offer.tools.map(({ name, description, parameters, execute }) =>
      name === 'ask_support_agent'
        ? agents.tool({
            name,
            description,
            parameters,
            execute: async ({ question }) => (await agents.run(agentOf(run.inner), question)).finalOutput,
          })
        : agents.tool({
            name,
            description,
            parameters,
            execute: async (args) => asText(await execute(args)),
            ...(run.scenario === 'meeting_tool_exception_crash' ? { errorFunction: null } : {}),
          }),
    ),
    ...extra,
  });
}

const agent = run.handsOff
  ? agentOf({ ...run.agent, tools: [] }, { handoffs: [agentOf(run.inner)] })
  : agentOf(run.agent);
const around =
  run.variant === 'plain' ? context.active() : setSession(context.active(), { sessionId: run.conversationId });
let history = [];
await play((user) =>
  context.with(around, async () => {
    history.push({ role: 'user', content: user });
    const result = await agents.run(agent, history, { maxTurns: 20, stream: run.variant === 'stream' });
    if (run.variant === 'stream') await result.completed;
    history = result.history;
    return result.finalOutput;
  }),
);
