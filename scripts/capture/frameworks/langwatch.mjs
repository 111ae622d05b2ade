/* capture
{
  "package": "langwatch",
  "packages": {
    "langwatch": "0.16.1",
    "openai": "6.49.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-node": "0.223.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/context-async-hooks": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "getLangWatchTracer by hand around the agent, the model and the tools; langwatch.thread.id on the agent",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    }
  }
}
*/
import { getLangWatchTracer } from 'langwatch';
import OpenAI from 'openai';
import { openAiAgent, play, run, startTelemetry } from './driver.mjs';

await startTelemetry();
const tracer = getLangWatchTracer('app');
const client = new OpenAI({ maxRetries: 0 });

const answer = openAiAgent({
  complete: (request) =>
    tracer.withActiveSpan('chat', async (span) => {
      span.setType('llm').setRequestModel(request.model).setInput('chat_messages', request.messages);
      const response = await client.chat.completions.create(request);
      const { message } = response.choices[0];
      span.setResponseModel(response.model).setOutput('chat_messages', [message]);
      span.setMetrics({
        promptTokens: response.usage.prompt_tokens,
        completionTokens: response.usage.completion_tokens,
      });
      return message;
    }),
  callTool: (tool, args) =>
    tracer.withActiveSpan(tool.name, async (span) => {
      span.setType('tool').setInput(args);
      const result = await tool.execute(args);
      span.setOutput(result);
      return result;
    }),
});
await play((user) =>
  tracer.withActiveSpan(run.agent.name, async (span) => {
    span.setType('agent').setInput(user);
    span.setAttributes({ 'langwatch.thread.id': run.conversationId, 'langwatch.user.id': run.userId });
    const text = await answer(user);
    span.setOutput(text);
    return text;
  }),
);
