/* capture
{
  "package": "@arizeai/openinference-instrumentation-langchain",
  "packages": {
    "@arizeai/openinference-instrumentation-langchain": "4.1.1",
    "@arizeai/openinference-core": "2.7.1",
    "langchain": "1.5.14",
    "@langchain/core": "1.4.0",
    "@langchain/langgraph": "1.7.3",
    "@langchain/openai": "1.6.0",
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
      "api": "openai-chat",
      "note": "createAgent with a checkpointer, metadata.session_id",
      "scenarios": [
        "support_loop"
      ]
    },
    "graph": {
      "api": "openai-chat",
      "note": "a StateGraph by hand",
      "scenarios": [
        "meeting_tool_exception_crash"
      ]
    },
    "stream": {
      "api": "openai-chat",
      "note": "agent.stream",
      "scenarios": []
    }
  }
}
*/
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbackManager from '@langchain/core/callbacks/manager';
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { asText, play, run, startTelemetry } from './driver.mjs';

const tracerProvider = await startTelemetry();
new LangChainInstrumentation({ tracerProvider }).manuallyInstrument(callbackManager);

const tools = (offer) =>
  offer.tools.map(({ name, description, parameters, execute }) =>
    tool(
      async (args) => {
        if (name === 'ask_support_agent')
          return (await answerOf(agentOf(run.inner), args.question, {})).messages.at(-1).text;
        try {
          return asText(await execute(args));
        } catch (error) {
          if (error.endsTurn) throw error;
          return `Error: ${error.name}: ${error.message}`;
        }
      },
      { name, description, schema: parameters },
    ),
  );

function agentOf(offer) {
  const model = new ChatOpenAI({ model: run.model.name, maxRetries: 0 });
  const checkpointer = new MemorySaver();
  if (run.variant !== 'graph') {
    return createAgent({
      name: offer.name,
      model,
      systemPrompt: offer.instructions,
      checkpointer,
      tools: tools(offer),
    });
  }
  const bound = model.bindTools(tools(offer));
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({
      messages: [await bound.invoke([{ role: 'system', content: offer.instructions }, ...messages])],
    }))
    .addNode('tools', new ToolNode(tools(offer), { handleToolErrors: false }))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'tools' : END))
    .addEdge('tools', 'agent')
    .compile({ checkpointer, name: offer.name });
}

async function answerOf(agent, user, { id = 'inner', name = run.inner?.name }) {
  const input = { messages: [{ role: 'user', content: user }] };
  const options = { configurable: { thread_id: id }, metadata: { session_id: run.conversationId }, runName: name };
  if (run.variant !== 'stream') return agent.invoke(input, options);
  let last;
  for await (const state of await agent.stream(input, { ...options, streamMode: 'values' })) last = state;
  return last;
}

const agent = agentOf(run.agent);
await play(async (user) => {
  const { messages } = await answerOf(agent, user, { id: run.conversationId, name: run.agent.name });
  return messages.at(-1).text;
});
