/* capture
{
  "package": "@anthropic-ai/claude-agent-sdk",
  "packages": {
    "@anthropic-ai/claude-agent-sdk": "0.3.330",
    "@arizeai/openinference-instrumentation-claude-agent-sdk": "0.3.1",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/core": "2.12.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
    "@opentelemetry/instrumentation": "0.46.0",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "anthropic",
      "note": "the CLI's own traces (beta) and logs, with prompts, tool details and tool content; tools over MCP in the process",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "settings": { "conversationId": "uuid" },
      "env": {
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
        "ENABLE_ENHANCED_TELEMETRY_BETA": "1",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        "OTEL_TRACES_EXPORT_INTERVAL": "200",
        "OTEL_LOGS_EXPORT_INTERVAL": "200",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_LOG_USER_PROMPTS": "1",
        "OTEL_LOG_TOOL_DETAILS": "1",
        "OTEL_LOG_TOOL_CONTENT": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1"
      }
    },
    "openinference": {
      "api": "anthropic",
      "note": "OpenInference's instrumentation of the SDK, the CLI's own telemetry off",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash"],
      "settings": { "conversationId": "uuid" },
      "env": { "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1" }
    }
  }
}
*/
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as claude from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { asText, play, run, startTelemetry } from './driver.mjs';

let sdk = claude;
if (run.variant === 'openinference') {
  const { ClaudeAgentSDKInstrumentation } = await import('@arizeai/openinference-instrumentation-claude-agent-sdk');
  const tracerProvider = await startTelemetry();
  sdk = { ...claude };
  new ClaudeAgentSDKInstrumentation({ tracerProvider }).manuallyInstrument(sdk);
}

const types = { string: z.string(), integer: z.number().int(), array: z.array(z.string()) };
const shapeOf = ({ properties }) =>
  Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, types[type]]));
const server = sdk.createSdkMcpServer({
  name: 'office',
  version: '1.0.0',
  tools: run.agent.tools.map(({ name, description, parameters, execute }) =>
    sdk.tool(name, description, shapeOf(parameters), async (args) => ({
      content: [{ type: 'text', text: asText(await execute(args)) }],
    })),
  ),
});

const home = mkdtempSync(path.join(tmpdir(), 'capture-claude-'));
let session;
await play(async (user) => {
  const conversation = sdk.query({
    prompt: user,
    options: {
      model: run.model.name,
      systemPrompt: run.agent.instructions,
      mcpServers: { office: server },
      tools: [],
      allowedTools: run.agent.tools.map(({ name }) => `mcp__office__${name}`),
      settingSources: [],
      cwd: home,
      env: { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: home, CLAUDE_CODE_MAX_RETRIES: '0' },
      ...(session === undefined ? { sessionId: run.conversationId } : { resume: session }),
    },
  });
  let text;
  for await (const message of conversation) {
    session = message.session_id ?? session;
    if (message.type !== 'result') continue;
    if (message.subtype !== 'success' || message.is_error) throw new Error(message.result ?? message.subtype);
    text = message.result;
  }
  return text;
});
