/* capture
{
  "package": "genkit",
  "packages": {
    "genkit": "1.42.0",
    "@genkit-ai/google-genai": "1.42.0",
    "@genkit-ai/compat-oai": "1.42.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "1.30.1",
    "@opentelemetry/exporter-trace-otlp-proto": "0.57.2"
  },
  "variants": {
    "default": {
      "api": "gemini",
      "note": "a flow for each turn, which gets {sessionId, message}; Gemini",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "openai": {
      "api": "openai-chat",
      "note": "the same over OpenAI chat completions",
      "scenarios": ["sql_schema_then_query"]
    },
    "stream": {
      "api": "gemini",
      "note": "generateStream, and no flow around it",
      "scenarios": ["meeting_success"]
    },
    "subagent": {
      "api": "gemini",
      "note": "a tool that calls generate itself",
      "scenarios": ["support_subagent"]
    }
  }
}
*/
import { openAI } from '@genkit-ai/compat-oai/openai';
import { googleAI } from '@genkit-ai/google-genai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { genkit, z } from 'genkit';
import { enableTelemetry } from 'genkit/tracing';
import { onFlush, play, run } from './driver.mjs';

const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${run.otlp.url}/v1/traces` }), {
  scheduledDelayMillis: 200,
});
onFlush(() => processor.forceFlush());
await enableTelemetry({ spanProcessors: [processor] });

const ai = genkit({
  name: run.agent.name,
  plugins: [
    run.api === 'gemini'
      ? googleAI({ baseUrl: run.model.baseUrl })
      : openAI({ maxRetries: 0, baseURL: run.model.openaiBaseUrl }),
  ],
});
const model = run.api === 'gemini' ? googleAI.model(run.model.name) : openAI.model(run.model.name);

function toolsOf(offer) {
  return offer.tools.map(({ name, description, parameters, execute }) =>
    ai.defineTool({ name, description, inputJsonSchema: parameters, outputSchema: z.any() }, async (args) => {
      if (name === 'ask_support_agent') {
        const inner = { model, system: run.inner.instructions, tools: toolsOf(run.inner), prompt: args.question };
        return (await ai.generate(inner)).text;
      }
      // Genkit ends the turn if a tool throws; an application that wants the model to continue must catch the error.
      return execute(args).catch((error) => ({ error: `${error.name}: ${error.message}` }));
    }),
  );
}

const tools = toolsOf(run.agent);
let messages = [];

async function answer(user) {
  const request = { model, system: run.agent.instructions, tools, messages, prompt: user };
  const response = run.variant === 'stream' ? await ai.generateStream(request).response : await ai.generate(request);
  // The instructions are passed again each turn.
  messages = response.messages.filter(({ role }) => role !== 'system');
  return response.text;
}

const flow = ai.defineFlow(
  { name: run.agent.name, inputSchema: z.object({ sessionId: z.string(), message: z.string() }) },
  ({ message }) => answer(message),
);
await play((user) =>
  run.variant === 'stream' ? answer(user) : flow({ sessionId: run.conversationId, message: user }),
);
