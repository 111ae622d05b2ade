/* capture
{
  "package": "@google/adk",
  "packages": {
    "@google/adk": "2.0.0",
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/sdk-trace-base": "2.12.0",
    "@opentelemetry/sdk-trace-node": "2.12.0",
    "@opentelemetry/resources": "2.12.0",
    "@opentelemetry/context-async-hooks": "2.12.0",
    "@opentelemetry/exporter-trace-otlp-proto": "0.223.1"
  },
  "variants": {
    "default": {
      "api": "gemini",
      "note": "LlmAgent in an InMemoryRunner",
      "scenarios": [
        "support_loop",
        "support_subagent"
      ],
      "env": {
        "GOOGLE_GEMINI_BASE_URL": "$SERVER"
      }
    },
    "stream": {
      "api": "gemini",
      "note": "StreamingMode.SSE",
      "scenarios": [],
      "env": {
        "GOOGLE_GEMINI_BASE_URL": "$SERVER"
      }
    }
  }
}
*/
import { AgentTool, FunctionTool, Gemini, InMemoryRunner, LlmAgent, StreamingMode } from '@google/adk';
import { play, run, startTelemetry } from './driver.mjs';

await startTelemetry();

/** Types in capitals, as in Gemini. */
function schemaOf({ type, items, properties, required }) {
  return {
    type: type.toUpperCase(),
    ...(items === undefined ? {} : { items: schemaOf(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, schemaOf(of)])),
          required,
        }),
  };
}

function agentOf(offer, extra = {}) {
  return new LlmAgent({
    name: offer.name,
    description: offer.instructions,
    model: new Gemini({ model: run.model.name, apiKey: 'scripted' }),
    instruction: offer.instructions,
    tools: offer.tools.map(({ name, description, parameters, execute }) =>
      name === 'ask_support_agent'
        ? new FunctionTool({
            name,
            description,
            parameters: schemaOf(parameters),
            execute: async ({ question }, toolContext) =>
              new AgentTool({ agent: agentOf(run.inner) }).runAsync({ args: { request: question }, toolContext }),
          })
        : new FunctionTool({
            name,
            description,
            parameters: schemaOf(parameters),
            execute: async (args) => {
              try {
                return await execute(args);
              } catch (error) {
                if (error.endsTurn) throw error;
                return { status: 'error', error_message: `${error.name}: ${error.message}` };
              }
            },
          }),
    ),
    ...extra,
  });
}

const agent = agentOf(run.agent);
const runner = new InMemoryRunner({ agent, appName: 'app' });
await runner.sessionService.createSession({ appName: 'app', userId: run.userId, sessionId: run.conversationId });
await play(async (user) => {
  let answer = '';
  const events = runner.runAsync({
    userId: run.userId,
    sessionId: run.conversationId,
    newMessage: { role: 'user', parts: [{ text: user }] },
    ...(run.variant === 'stream' ? { runConfig: { streamingMode: StreamingMode.SSE } } : {}),
  });
  for await (const event of events) {
    if (event.errorCode) throw new Error(event.errorMessage);
    if (event.partial) continue;
    answer = (event.content?.parts ?? []).map(({ text = '' }) => text).join('') || answer;
  }
  return answer;
});
process.exit(0);
