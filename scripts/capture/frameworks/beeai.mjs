/* capture
{
  "package": "beeai-framework",
  "packages": {
    "beeai-framework": "0.1.13",
    "@arizeai/openinference-instrumentation-beeai": "1.5.30",
    "ai": "4.3.19",
    "@ai-sdk/openai": "1.3.24",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "zod": "3.25.76"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "ToolCallingAgent through OpenInference's instrumentation; it has no place for a conversation id. The instrumentation takes no framework after 0.1.13",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    }
  }
}
*/
import { BeeAIInstrumentation } from '@arizeai/openinference-instrumentation-beeai';
import * as beeai from 'beeai-framework';
import { OpenAIChatModel } from 'beeai-framework/adapters/openai/backend/chat';
import { ToolCallingAgent } from 'beeai-framework/agents/toolCalling/agent';
import { UnconstrainedMemory } from 'beeai-framework/memory/unconstrainedMemory';
import { DynamicTool, StringToolOutput } from 'beeai-framework/tools/base';
import { asText, play, run, startTelemetry } from './driver.mjs';

const provider = await startTelemetry();
const instrumentation = new BeeAIInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(beeai);

const agent = new ToolCallingAgent({
  llm: new OpenAIChatModel(run.model.name, {}, { baseURL: run.model.openaiBaseUrl }),
  memory: new UnconstrainedMemory(),
  meta: { name: run.agent.name, description: run.agent.instructions },
  templates: {
    system: (template) =>
      template.fork((config) => ({
        ...config,
        defaults: { ...config.defaults, instructions: run.agent.instructions },
      })),
  },
  tools: run.agent.tools.map(
    ({ name, description, parameters, execute }) =>
      new DynamicTool({
        name,
        description,
        inputSchema: parameters,
        handler: async (args) => new StringToolOutput(asText(await execute(args))),
      }),
  ),
});
await play(async (user) => (await agent.run({ prompt: user }, { execution: { totalMaxRetries: 10 } })).result.text);
