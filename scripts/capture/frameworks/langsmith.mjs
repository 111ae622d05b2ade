/* capture
{
  "package": "langsmith",
  "packages": {
    "langsmith": "0.12.0",
    "openai": "6.49.0",
    "ai": "6.0.326",
    "@ai-sdk/openai": "3.0.141",
    "langchain": "1.5.14",
    "@langchain/core": "1.4.0",
    "@langchain/langgraph": "1.7.3",
    "@langchain/openai": "1.6.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/context-async-hooks": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "traceable and wrapOpenAI, metadata.session_id on the agent's run",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "LANGSMITH_API_KEY": "scripted", "LANGSMITH_ENDPOINT": "$SERVER" }
    },
    "stream": {
      "api": "openai-chat",
      "note": "the same, streamed",
      "scenarios": ["meeting_success"],
      "env": { "LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "LANGSMITH_API_KEY": "scripted", "LANGSMITH_ENDPOINT": "$SERVER" }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS",
      "scenarios": ["meeting_tool_error_recovery"],
      "contentCapture": false,
      "env": { "LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "LANGSMITH_API_KEY": "scripted", "LANGSMITH_ENDPOINT": "$SERVER", "LANGSMITH_HIDE_INPUTS": "true", "LANGSMITH_HIDE_OUTPUTS": "true" }
    },
    "aisdk": {
      "api": "openai-responses",
      "note": "spans of the AI SDK 6 through LangSmith's exporter, which adds its own keys to them",
      "scenarios": ["meeting_success", "meeting_silent_crash"],
      "env": { "LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "LANGSMITH_API_KEY": "scripted", "LANGSMITH_ENDPOINT": "$SERVER" }
    },
    "langchain": {
      "api": "openai-chat",
      "note": "LangChain's createAgent inside of a traceable: its runs have no spans of their own and overwrite that one's attributes",
      "scenarios": ["meeting_success"],
      "env": { "LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "LANGSMITH_API_KEY": "scripted", "LANGSMITH_ENDPOINT": "$SERVER" }
    }
  }
}
*/
import { initializeOTEL } from 'langsmith/experimental/otel/setup';
import { Client } from 'langsmith';
import { RunTree } from 'langsmith/run_trees';
import { traceable } from 'langsmith/traceable';
import { wrapOpenAI } from 'langsmith/wrappers';
import OpenAI from 'openai';
import { asText, messageOfStream, onFlush, openAiAgent, play, run } from './driver.mjs';

const { DEFAULT_LANGSMITH_SPAN_PROCESSOR: processor } = initializeOTEL();
onFlush(async () => {
  await RunTree.getSharedClient().awaitPendingTraceBatches();
  await new Client().awaitPendingTraceBatches();
  await processor.forceFlush();
});

const metadata = { session_id: run.conversationId, user_id: run.userId };

function openAi() {
  const client = wrapOpenAI(new OpenAI({ maxRetries: 0 }));
  const answer = openAiAgent({
    complete: async (request) => {
      if (run.variant === 'stream') {
        return messageOfStream(
          await client.chat.completions.create({ ...request, stream: true, stream_options: { include_usage: true } }),
        );
      }
      return (await client.chat.completions.create(request)).choices[0].message;
    },
    callTool: (tool, args) => traceable(tool.execute, { name: tool.name, run_type: 'tool', metadata })(args),
  });
  return traceable(answer, { name: run.agent.name, run_type: 'chain', metadata });
}

async function langChain() {
  const { createAgent, tool, toolErrorMiddleware } = await import('langchain').then((langchain) => ({
    ...langchain,
    toolErrorMiddleware: langchain.createMiddleware({
      name: 'ToolErrors',
      wrapToolCall: (request, handler) =>
        Promise.resolve(handler(request)).catch(
          (error) =>
            new langchain.ToolMessage({
              content: `Error: ${error.message}`,
              tool_call_id: request.toolCall.id,
              status: 'error',
            }),
        ),
    }),
  }));
  const { ChatOpenAI } = await import('@langchain/openai');
  const { MemorySaver } = await import('@langchain/langgraph');
  const agent = createAgent({
    name: run.agent.name,
    model: new ChatOpenAI({ model: run.model.name, maxRetries: 0 }),
    systemPrompt: run.agent.instructions,
    checkpointer: new MemorySaver(),
    middleware: [toolErrorMiddleware],
    tools: run.agent.tools.map(({ name, description, parameters, execute }) =>
      tool(async (args) => asText(await execute(args)), { name, description, schema: parameters }),
    ),
  });
  const { awaitAllCallbacks } = await import('@langchain/core/callbacks/promises');
  onFlush(awaitAllCallbacks);
  // Only what `traceable` wraps creates spans, so LangChain's runs need one around them.
  const answer = async (user) => {
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: user }] },
      { configurable: { thread_id: run.conversationId }, metadata, runName: run.agent.name },
    );
    return messages.at(-1).text;
  };
  return traceable(answer, { name: run.agent.name, run_type: 'chain', metadata });
}

async function aiSdk() {
  const { generateText, jsonSchema, stepCountIs, tool } = await import('ai');
  const { openai } = await import('@ai-sdk/openai');
  const tools = Object.fromEntries(
    run.agent.tools.map(({ name, description, parameters, execute }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters), execute }),
    ]),
  );
  const history = [];
  return async (user) => {
    history.push({ role: 'user', content: user });
    const { text, response } = await generateText({
      model: openai(run.model.name),
      system: run.agent.instructions,
      messages: history,
      tools,
      maxRetries: 0,
      stopWhen: stepCountIs(12),
      experimental_telemetry: { isEnabled: true, functionId: run.agent.name, metadata },
    });
    history.push(...response.messages);
    return text;
  };
}

const agents = { langchain: langChain, aisdk: aiSdk };
await play(await (agents[run.variant] ?? openAi)());
