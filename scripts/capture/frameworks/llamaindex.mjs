/* capture
{
  "package": "llamaindex",
  "packages": {
    "llamaindex": "0.12.1",
    "@llamaindex/core": "0.6.23",
    "@llamaindex/openai": "0.4.23",
    "@llamaindex/workflow": "1.1.25",
    "@traceloop/node-server-sdk": "0.27.0",
    "zod": "4.6.7"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "LlamaIndex.TS agent workflow through OpenLLMetry: withAgent and withTool around it, a session id among the association properties",
      "scenarios": ["meeting_process_killed", "meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    }
  }
}
*/
import * as traceloop from '@traceloop/node-server-sdk';
import * as llamaindex from 'llamaindex';
import * as llamaIndexOpenAI from '@llamaindex/openai';
import { agent } from '@llamaindex/workflow';
import { asText, onFlush, play, run } from './driver.mjs';

traceloop.initialize({
  appName: run.agent.name,
  baseUrl: run.otlp.url,
  apiKey: 'scripted',
  disableBatch: false,
  silenceInitializationMessage: true,
  traceloopSyncEnabled: false,
  instrumentModules: { llamaIndex: llamaindex, llamaIndexOpenAI },
});
onFlush(() => traceloop.forceFlush());

const llm = new llamaIndexOpenAI.OpenAI({
  model: run.model.name,
  maxRetries: 0,
  apiKey: 'sk-scripted',
  baseURL: run.model.openaiBaseUrl,
});
const workflow = agent({
  name: run.agent.name,
  llm,
  systemPrompt: run.agent.instructions,
  tools: run.agent.tools.map(({ name, description, parameters, execute }) => {
    const call = async (args) => asText(await execute(args));
    return llamaindex.FunctionTool.from((args) => traceloop.withTool({ name }, call, args), {
      name,
      description,
      parameters,
    });
  }),
});

const chatHistory = [];
// A failed model call in a workflow's step rejects a separate promise, and the run never ends.
let fail = () => {};
process.on('unhandledRejection', (error) => fail(error));
async function answer(user) {
  const failed = new Promise((_, reject) => {
    fail = reject;
  });
  const result = await Promise.race([workflow.run(user, { chatHistory: [...chatHistory] }), failed]);
  const text = result.data.result ?? result.data.message?.content;
  chatHistory.push({ role: 'user', content: user }, { role: 'assistant', content: text });
  return text;
}
await play((user) =>
  traceloop.withAssociationProperties({ session_id: run.conversationId, user_id: run.userId }, () =>
    traceloop.withAgent({ name: run.agent.name }, answer, user),
  ),
);
process.exit(0);
