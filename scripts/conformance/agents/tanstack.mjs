/** TanStack AI with its own OpenTelemetry middleware. */
import { trace } from '@opentelemetry/api';
import { chat, toolDefinition } from '@tanstack/ai';
import { otelMiddleware } from '@tanstack/ai/middlewares/otel';
import { createOpenaiChatCompletions } from '@tanstack/ai-openai';
import { asText, play, run, startTelemetry } from './driver.mjs';

await startTelemetry();
const adapter = createOpenaiChatCompletions(run.model.name, 'scripted', {
  baseURL: run.model.openaiBaseUrl,
  maxRetries: 0,
});

function agentOf(offer) {
  const messages = [];
  return async (user) => {
    messages.push({ role: 'user', content: user });
    const text = await chat({
      adapter,
      messages: [...messages],
      systemPrompts: [offer.instructions],
      tools: offer.tools.map(({ name, description, parameters, execute }) =>
        toolDefinition({ name, description, inputSchema: parameters }).server(async (args) =>
          name === 'ask_support_agent' ? agentOf(run.inner)(args.question) : asText(await execute(args)),
        ),
      ),
      conversationId: run.conversationId,
      threadId: run.conversationId,
      stream: false,
      middleware: [otelMiddleware({ tracer: trace.getTracer('tanstack-ai'), captureContent: true })],
    });
    messages.push({ role: 'assistant', content: text });
    return text;
  };
}

await play(agentOf(run.agent));
process.exit(0);
