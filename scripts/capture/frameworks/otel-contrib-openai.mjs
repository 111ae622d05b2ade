/* capture
{
  "package": "@opentelemetry/instrumentation-openai",
  "packages": {
    "@opentelemetry/instrumentation-openai": "0.22.0",
    "openai": "6.49.0",
    "@opentelemetry/api": "1.10.0",
    "@opentelemetry/instrumentation": "0.300.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-logs": "0.223.1",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-logs-otlp-proto": "0.223.1",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "the application's own spans around the agent and its tools; texts in log records",
      "scenarios": [
        "meeting_tool_exception_crash"
      ]
    },
    "bare": {
      "api": "openai-chat",
      "note": "nothing around the model calls",
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
    }
  }
}
*/
import { createRequire } from 'node:module';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { asText, messageOfStream, onFlush, openAiAgent, play, responsesAgent, run, startTelemetry } from './driver.mjs';

await startTelemetry();
const loggerProvider = new LoggerProvider({
  resource: defaultResource().merge(resourceFromAttributes({ 'service.name': run.agent.name })),
  processors: [
    new BatchLogRecordProcessor({
      exporter: new OTLPLogExporter({ url: `${run.otlp.url}/v1/logs` }),
      scheduledDelayMillis: 200,
    }),
  ],
});
onFlush(() => loggerProvider.forceFlush());
const instrumentation = new OpenAIInstrumentation({ captureMessageContent: true });
registerInstrumentations({ instrumentations: [instrumentation], loggerProvider });
// Only what is required is instrumented.
const { OpenAI } = createRequire(import.meta.url)('openai');
const client = new OpenAI({ maxRetries: 0 });
const tracer = trace.getTracer('app', '1.4.2');

function traced(name, attributes, work) {
  if (run.variant === 'bare') return work();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      const result = await work();
      if (attributes['gen_ai.tool.name'] !== undefined) span.setAttribute('gen_ai.tool.call.result', asText(result));
      return result;
    } catch (error) {
      span.recordException(error);
      span.setAttribute('error.type', error.name);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function complete(request) {
  if (run.variant !== 'stream') return (await client.chat.completions.create(request)).choices[0].message;
  const options = { ...request, stream: true, stream_options: { include_usage: true } };
  return messageOfStream(await client.chat.completions.create(options));
}

const conversation = { 'gen_ai.conversation.id': run.conversationId };
function agentOf(offer) {
  const perform = ({ name, execute }, args) =>
    name === 'ask_support_agent' ? agentOf(run.inner)(args.question) : execute(args);
  const callTool = (tool, args, id) =>
    traced(
      `execute_tool ${tool.name}`,
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.name,
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.call.arguments': JSON.stringify(args),
        ...conversation,
      },
      () => perform(tool, args),
    );
  const answer =
    run.api === 'openai-responses'
      ? responsesAgent({ offer, callTool, respond: (request) => client.responses.create(request) })
      : openAiAgent({ offer, callTool, complete });
  return (user) =>
    traced(
      `invoke_agent ${offer.name}`,
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': offer.name,
        'user.id': run.userId,
        ...conversation,
      },
      () => answer(user),
    );
}

await play(agentOf(run.agent));
