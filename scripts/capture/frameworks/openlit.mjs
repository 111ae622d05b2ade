/* capture
{
  "package": "openlit",
  "packages": {
    "openlit": "1.15.0",
    "openai": "6.49.0",
    "@opentelemetry/api": "1.9.0",
    "langchain": "1.5.14",
    "@langchain/core": "1.4.0",
    "@langchain/langgraph": "1.7.3",
    "@langchain/openai": "1.6.0",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "startTrace around the agent and its tools, the session among customSpanAttributes",
      "scenarios": [
        "meeting_tool_exception_crash"
      ]
    },
    "bare": {
      "api": "openai-chat",
      "note": "nothing around the model calls",
      "scenarios": [
        "support_loop"
      ]
    },
    "responses": {
      "api": "openai-responses",
      "note": "Responses API",
      "scenarios": []
    },
    "langchain": {
      "api": "openai-chat",
      "note": "LangChain's createAgent",
      "scenarios": []
    }
  }
}
*/
import openlitModule from 'openlit';
import { asText, onFlush, openAiAgent, play, responsesAgent, run } from './driver.mjs';

const openlit = openlitModule.default ?? openlitModule;
const { default: OpenAI } = await import('openai');
openlit.init({
  otlpEndpoint: run.otlp.url,
  applicationName: run.agent.name,
  environment: 'test',
  disableBatch: true,
  disableMetrics: true,
  ...(run.variant === 'langchain' ? {} : { instrumentations: { openai: OpenAI } }),
  customSpanAttributes: { 'session.id': run.conversationId, 'user.id': run.userId },
});
const client = new OpenAI({ maxRetries: 0 });
const isBare = run.variant === 'bare';

function traced(name, work, extra = {}) {
  if (isBare) return work();
  return openlit.startTrace(name, async (span) => {
    for (const [key, value] of Object.entries(extra)) span.setMetadata({ [key]: value });
    const result = await work();
    span.setResult(asText(result));
    return result;
  });
}

function agentOf(offer) {
  const perform = ({ name, execute }, args) =>
    name === 'ask_support_agent' ? agentOf(run.inner)(args.question) : execute(args);
  const callTool = (tool, args) => traced(tool.name, () => perform(tool, args), { tool: tool.name });
  const answer =
    run.api === 'openai-responses'
      ? responsesAgent({ offer, callTool, respond: (request) => client.responses.create(request) })
      : openAiAgent({
          offer,
          callTool,
          complete: async (request) => (await client.chat.completions.create(request)).choices[0].message,
        });
  return (user) => traced(offer.name, () => answer(user));
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
      tool(async (args) => asText(await execute(args)), { name, description, schema: parameters }),
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

onFlush(() => new Promise((resolve) => setTimeout(resolve, 150)));
await play(run.variant === 'langchain' ? await langchainAgent() : agentOf(run.agent));
await new Promise((resolve) => setTimeout(resolve, 400));
process.exit(0);
