/**
 * Everything that a reader of docs/start/frameworks.md has around each of its blocks: the packages, pinned by the file
 * in scripts/capture/frameworks that made the recordings, and an agent. Agents are stand-ins, so that no model is
 * needed.
 */
export interface FrameworkSnippet {
  /** How the block begins; enough of it to fit one block. */
  readonly has: string;
  /** The file in scripts/capture/frameworks. */
  readonly framework: string;
  /** Packages of that file that the block does not need. */
  readonly without?: readonly string[];
  /** Packages that it needs besides, or in another version. */
  readonly with?: Readonly<Record<string, string>>;
  /** A package whose types for ES modules and for CommonJS differ compiles only as bundlers resolve it. */
  readonly resolution?: 'bundler';
  readonly before?: string;
  readonly after?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The block exports spans even without a model. */
  readonly sends?: true;
}

/** Names that the page uses in every section. */
export const TYPESCRIPT_HEAD = `const [question, sessionId, userId] = ['Where is order 17?', 'session-1', 'user-1'];
const conversationId = sessionId;
const standIn = { run: async (asked: string) => \`You asked: \${asked}\` };
const run = () => standIn.run(question);
`;
const AGENT = 'const agent = standIn;\n';

const OPENAI = ['openai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@anthropic-ai/sdk'];
const LANGCHAIN = ['langchain', '@langchain/core', '@langchain/langgraph', '@langchain/openai'];

export const TYPESCRIPT: readonly FrameworkSnippet[] = [
  { has: "from '@ai-sdk/otel'", framework: 'ai-sdk-7', without: OPENAI },
  {
    has: 'experimental_telemetry',
    framework: 'ai-sdk-5',
    without: OPENAI,
    before: `import { MockLanguageModelV2 } from 'ai/test';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] });
trace.setGlobalTracerProvider(provider);
const model = new MockLanguageModelV2({
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'It is on its way.' }],
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    warnings: [],
  }),
});
`,
    after: 'await provider.forceFlush();\n',
    sends: true,
  },
  { has: "from '@arizeai/openinference-core'", framework: 'openinference-openai', without: OPENAI, before: AGENT },
  {
    has: 'traceloop.withConversation',
    framework: 'traceloop',
    without: [...OPENAI, ...LANGCHAIN, '@traceloop/instrumentation-langchain'],
    after: 'await traceloop.forceFlush();\n',
    env: { TRACELOOP_API_KEY: 'none', TRACELOOP_SYNC_ENABLED: 'false' },
    sends: true,
  },
  { has: "from '@langfuse/otel'", framework: 'langfuse', without: [...OPENAI, '@langfuse/openai'], before: AGENT },
  { has: "from '@mastra/otel-exporter'", framework: 'mastra', without: [...OPENAI, '@mastra/memory'] },
  { has: "from 'openlit'", framework: 'openlit', without: [...OPENAI, ...LANGCHAIN] },
  {
    has: "from 'langsmith/",
    framework: 'langsmith',
    without: [...OPENAI, ...LANGCHAIN, 'ai'],
    before: 'const agent = standIn.run;\n',
    env: { LANGSMITH_TRACING: 'true', LANGSMITH_TRACING_MODE: 'otel', LANGSMITH_API_KEY: 'none' },
  },
  {
    has: "from 'genkit/tracing'",
    framework: 'genkit',
    without: ['@genkit-ai/google-genai', '@genkit-ai/compat-oai'],
    with: { '@opentelemetry/sdk-trace-base': '1.25.1', '@opentelemetry/exporter-trace-otlp-proto': '0.52.1' },
    before: `import { genkit } from 'genkit';
const ai = genkit({});
const answer = async ({ message }: { sessionId: string; message: string }) => standIn.run(message);
`,
    after: 'await chat({ sessionId, message: question });\n',
  },
  {
    has: "from '@strands-agents/sdk/telemetry'",
    framework: 'strands',
    without: ['@anthropic-ai/sdk'],
    with: {
      '@opentelemetry/exporter-trace-otlp-http': '0.219.0',
      '@opentelemetry/exporter-metrics-otlp-http': '0.219.0',
    },
    before: `import { OpenAIModel } from '@strands-agents/sdk/models/openai';
const model = new OpenAIModel({ api: 'responses', modelId: 'none', apiKey: 'none' });
const tools: [] = [];
`,
  },
  {
    has: 'new VoltAgentObservability',
    framework: 'voltagent',
    without: OPENAI,
    before: `import { MockLanguageModelV3 } from 'ai/test';
const model = new MockLanguageModelV3({
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'It is on its way.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }),
});
const instructions = 'Help.';
const tools: [] = [];
`,
    after: 'await observability.forceFlush();\n',
    sends: true,
  },
  {
    has: 'BeeAIInstrumentation({',
    framework: 'beeai',
    without: OPENAI,
    before: `import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
const tracerProvider = new NodeTracerProvider();
`,
  },
  {
    has: 'llamaIndexOpenAI',
    framework: 'llamaindex',
    resolution: 'bundler',
    after: 'await traceloop.forceFlush();\n',
    env: { TRACELOOP_API_KEY: 'none', TRACELOOP_SYNC_ENABLED: 'false' },
    sends: true,
  },
  { has: "from 'langwatch'", framework: 'langwatch', without: OPENAI, before: AGENT },
];

/** Names that the page uses in every section; its top-level `await` is in a coroutine. */
export const PYTHON_HEAD = `from types import SimpleNamespace
from opentelemetry.sdk.trace import TracerProvider
question, session_id, user_id, history = "Where is order 17?", "session-1", "user-1", []
provider = TracerProvider()
async def answers(*_, **__): return "It is on its way."
def answer(*_, **__): return "It is on its way."
`;

export const PYTHON: readonly FrameworkSnippet[] = [
  {
    has: 'from pydantic_ai import',
    framework: 'pydantic-ai',
    without: ['anthropic', 'logfire'],
    before: 'from pydantic_ai.models.test import TestModel\nagent = __import__("pydantic_ai").Agent(TestModel())\n',
  },
  {
    has: 'OpenAIAgentsInstrumentor',
    framework: 'openai-agents-python',
    before: `from agents import Agent, set_default_openai_key
agent = Agent(name="my-agent")
import agents
agents.Runner.run = staticmethod(answers)
`,
  },
  {
    has: 'LangChainInstrumentor',
    framework: 'langchain-python',
    before: 'agent = SimpleNamespace(invoke=answer)\n',
  },
  {
    has: 'LlamaIndexInstrumentor',
    framework: 'llama-index-python',
    before: 'agent, context = SimpleNamespace(run=answers), None\n',
  },
  { has: 'CrewAIInstrumentor', framework: 'crewai', before: 'crew = SimpleNamespace(kickoff=answer)\n' },
  { has: 'SmolagentsInstrumentor', framework: 'smolagents', before: 'agent = SimpleNamespace(run=answer)\n' },
  { has: 'from agent_framework', framework: 'agent-framework' },
  { has: 'AgnoInstrumentor', framework: 'agno', before: 'agent = SimpleNamespace(run=answer)\n' },
  {
    has: 'from opentelemetry.instrumentation.openai import',
    framework: 'autogen',
    before: 'agent = SimpleNamespace(run=answers)\n',
  },
];
