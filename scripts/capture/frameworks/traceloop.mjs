/* capture
{
  "package": "@traceloop/node-server-sdk",
  "packages": {
    "@traceloop/node-server-sdk": "0.27.0",
    "@traceloop/instrumentation-openai": "0.27.0",
    "@traceloop/instrumentation-anthropic": "0.27.0",
    "@traceloop/instrumentation-langchain": "0.27.0",
    "@anthropic-ai/sdk": "0.137.0",
    "openai": "6.49.0",
    "langchain": "1.5.14",
    "@langchain/core": "1.2.13",
    "@langchain/langgraph": "1.4.14",
    "@langchain/openai": "1.6.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "withConversation, withAgent and withTool around it",
      "scenarios": [
        "meeting_tool_exception_crash",
        "support_subagent"
      ]
    },
    "workflow": {
      "api": "openai-chat",
      "note": "withWorkflow with association properties, withAgent and withTool",
      "scenarios": []
    },
    "bare": {
      "api": "openai-chat",
      "note": "association properties, and nothing around the model calls",
      "scenarios": []
    },
    "responses": {
      "api": "openai-responses",
      "note": "Responses API",
      "scenarios": []
    },
    "anthropic": {
      "api": "anthropic",
      "note": "Anthropic",
      "scenarios": []
    },
    "langchain": {
      "api": "openai-chat",
      "note": "LangChain's createAgent inside withWorkflow",
      "scenarios": []
    }
  }
}
*/
import * as anthropicModule from '@anthropic-ai/sdk';
import * as callbackManager from '@langchain/core/callbacks/manager';
import * as traceloop from '@traceloop/node-server-sdk';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import OpenAI from 'openai';
import { anthropicAgent, asText, onFlush, openAiAgent, play, responsesAgent, run } from './driver.mjs';

traceloop.initialize({
  appName: run.agent.name,
  disableBatch: true,
  silenceInitializationMessage: true,
  traceloopSyncEnabled: false,
  exporter: new OTLPTraceExporter({ url: `${run.otlp.url}/v1/traces` }),
  instrumentModules:
    run.variant === 'langchain'
      ? { langchain: { callbackManagerModule: callbackManager } }
      : run.api === 'anthropic'
        ? { anthropic: anthropicModule }
        : { openAI: OpenAI },
});
onFlush(() => traceloop.forceFlush());

const openai = new OpenAI({ maxRetries: 0 });
const anthropic = new anthropicModule.Anthropic({ maxRetries: 0 });
const isBare = run.variant === 'bare';
const properties = { session_id: run.conversationId, user_id: run.userId };

function agentOf(offer) {
  const perform = ({ name, execute }, args) =>
    name === 'ask_support_agent' ? agentOf(run.inner)(args.question) : execute(args);
  const callTool = (tool, args) =>
    isBare ? perform(tool, args) : traceloop.withTool({ name: tool.name }, (given) => perform(tool, given), args);
  const answer =
    run.api === 'anthropic'
      ? anthropicAgent({ offer, callTool, create: (request) => anthropic.messages.create(request) })
      : run.api === 'openai-responses'
        ? responsesAgent({ offer, callTool, respond: (request) => openai.responses.create(request) })
        : openAiAgent({
            offer,
            callTool,
            complete: async (request) => (await openai.chat.completions.create(request)).choices[0].message,
          });
  return (user) => (isBare ? answer(user) : traceloop.withAgent({ name: offer.name }, answer, user));
}

async function langchainAgent() {
  const { MemorySaver } = await import('@langchain/langgraph');
  const { ChatOpenAI } = await import('@langchain/openai');
  const { createAgent, tool } = await import('langchain');
  const agent = createAgent({
    name: run.agent.name,
    model: new ChatOpenAI({ model: run.model.name, maxRetries: 0 }),
    systemPrompt: run.agent.instructions,
    checkpointer: new MemorySaver(),
    tools: run.agent.tools.map(({ name, description, parameters, execute }) =>
      tool(
        async (args) => {
          try {
            return asText(await execute(args));
          } catch (error) {
            if (error.endsTurn) throw error;
            return `Error: ${error.name}: ${error.message}`;
          }
        },
        { name, description, schema: parameters },
      ),
    ),
  });
  return async (user) => {
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: user }] },
      { configurable: { thread_id: run.conversationId }, runName: run.agent.name },
    );
    return messages.at(-1).text;
  };
}

const agent = run.variant === 'langchain' ? await langchainAgent() : agentOf(run.agent);
await play((user) => {
  if (isBare) return traceloop.withAssociationProperties(properties, () => agent(user));
  if (run.variant === 'workflow' || run.variant === 'langchain') {
    return traceloop.withWorkflow({ name: run.agent.name, associationProperties: properties }, agent, user);
  }
  return traceloop.withConversation(run.conversationId, () => agent(user));
});
await traceloop.forceFlush();
process.exit(0);
