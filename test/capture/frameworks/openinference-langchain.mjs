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
      "scenarios": ["support_loop"]
    }
  }
}
*/
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbackManager from '@langchain/core/callbacks/manager';
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { asText, play, run, startTelemetry } from './driver.mjs';

const tracerProvider = await startTelemetry();
new LangChainInstrumentation({ tracerProvider }).manuallyInstrument(callbackManager);

const agent = createAgent({
  name: run.agent.name,
  model: new ChatOpenAI({ model: run.model.name, maxRetries: 0 }),
  systemPrompt: run.agent.instructions,
  checkpointer: new MemorySaver(),
  tools: run.agent.tools.map(({ name, description, parameters, execute }) =>
    tool(async (args) => asText(await execute(args)), { name, description, schema: parameters }),
  ),
});
await play(async (user) => {
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: user }] },
    {
      configurable: { thread_id: run.conversationId },
      metadata: { session_id: run.conversationId },
      runName: run.agent.name,
    },
  );
  return messages.at(-1).text;
});
