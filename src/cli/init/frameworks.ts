/**
 * Frameworks that `assay init` knows: how each is recognized, and how its spans come to Assay. A section of
 * docs/start/frameworks.md says more of each; a test holds this table and that page to each other. The switch of
 * content is found by the scope of the spans (`report/inspect/capture-switches.ts`).
 */
export type Language = 'python' | 'javascript';

export interface Framework {
  /** Argument of `--framework`. */
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  /** Heading in docs/start/frameworks.md. */
  readonly section: string;
  /** Globs over the names of packages. */
  readonly packages: readonly string[];
  /** Major versions that are meant, where they differ. */
  readonly isMajor?: (major: number) => boolean;
  /** Frameworks of which it records the calls itself: two exporters would count a call twice. */
  readonly records?: readonly string[];
  /** Absent where only the agent's own code can switch its spans on. */
  readonly tracing?: Tracing;
}

interface Tracing {
  /** Packages beside those of the exporter. */
  readonly install?: readonly string[];
  /** Scope of its spans, by which the switch of content is found; absent where content is always exported. */
  readonly scope?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly imports?: readonly string[];
  /** Statements, which know `provider`. */
  readonly code?: readonly string[];
  /** Program text that gives a run its conversation. */
  readonly conversation: readonly string[];
  /** Part that the agent's own code has to do. */
  readonly yours?: string;
  /** `own`: it brings its exporter, and needs no tracer provider. `env`: it needs nothing but `env`, and no file. */
  readonly exporter?: 'own' | 'env';
}

const PY_CLIENTS = ['openai', 'anthropic'];
const JS_CLIENTS = ['openai-js', 'anthropic-js'];
const PY_SESSION = ['from openinference.instrumentation import using_session', 'with using_session(session_id):'];
const JS_SESSION = [
  "import { setSession } from '@arizeai/openinference-core';",
  "import { context } from '@opentelemetry/api';",
  'context.with(setSession(context.active(), { sessionId }), () => agent.run(question));',
];
const CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
const JS_CLIENT_SPANS = 'put a span around each turn and tool: traceAgent and traceTool of openinference-core';

/** OpenInference for a client of a model, whose calls know nothing of turns and tools. */
function pythonClient(client: string, instrumentor: string): Tracing {
  const tracing = openInference(client, instrumentor);
  return {
    ...tracing,
    imports: [...(tracing.imports ?? []), 'from openinference.instrumentation import OITracer, TraceConfig'],
    code: [...(tracing.code ?? []), 'tracer = OITracer(provider.get_tracer("agent"), config=TraceConfig())'],
    yours:
      'from assay_tracing import tracer, and put @tracer.agent on the function that answers a turn, @tracer.tool on each tool',
  };
}

/** An instrumentation of OpenInference for Python: package, module and class are named after the framework. */
function openInference(
  framework: string,
  instrumentor: string,
  more: Partial<Tracing> & { readonly beside?: readonly string[] } = {},
): Tracing {
  const { beside = [], ...others } = more;
  return {
    install: [`openinference-instrumentation-${framework}`, ...beside],
    scope: `openinference.instrumentation.${framework.replaceAll('-', '_')}`,
    imports: [`from openinference.instrumentation.${framework.replaceAll('-', '_')} import ${instrumentor}`],
    code: [`${instrumentor}().instrument(tracer_provider=provider)`],
    conversation: [...PY_SESSION, '    answer = run(question)'],
    ...others,
  };
}

const OPENLLMETRY = {
  name: 'OpenLLMetry',
  section: 'OpenLLMetry (Traceloop)',
  tracing: {
    scope: 'traceloop',
    env: { TRACELOOP_BASE_URL: '<otlp>' },
    exporter: 'env',
  },
} as const;

const PYTHON: readonly Omit<Framework, 'language'>[] = [
  {
    id: 'openllmetry',
    ...OPENLLMETRY,
    packages: ['traceloop-sdk'],
    records: ['*'],
    tracing: {
      ...OPENLLMETRY.tracing,
      conversation: ['Traceloop.set_association_properties({"session_id": session_id})'],
    },
  },
  {
    id: 'langchain',
    name: 'LangChain and LangGraph',
    section: 'LangChain and LangGraph for Python',
    packages: ['langchain', 'langchain-*', 'langgraph', 'langgraph-*', 'deepagents'],
    records: PY_CLIENTS,
    tracing: openInference('langchain', 'LangChainInstrumentor', {
      conversation: ['agent.invoke(…, {"configurable": {"thread_id": session_id}})'],
    }),
  },
  {
    id: 'openai-agents',
    name: 'OpenAI Agents SDK',
    section: 'OpenAI Agents SDK for Python',
    packages: ['openai-agents'],
    records: PY_CLIENTS,
    tracing: openInference('openai-agents', 'OpenAIAgentsInstrumentor'),
  },
  {
    id: 'crewai',
    name: 'CrewAI',
    section: 'CrewAI',
    packages: ['crewai'],
    records: ['openai'],
    tracing: openInference('crewai', 'CrewAIInstrumentor', {
      beside: ['openinference-instrumentation-openai'],
      imports: [
        'from openinference.instrumentation.crewai import CrewAIInstrumentor',
        'from openinference.instrumentation.openai import OpenAIInstrumentor',
      ],
      code: [
        'CrewAIInstrumentor().instrument(tracer_provider=provider)',
        '# The model calls: of the provider that the crew uses.',
        'OpenAIInstrumentor().instrument(tracer_provider=provider)',
      ],
      conversation: [...PY_SESSION, '    crew.kickoff()'],
    }),
  },
  {
    id: 'llama-index',
    name: 'LlamaIndex',
    section: 'LlamaIndex for Python',
    packages: ['llama-index', 'llama-index-*'],
    records: PY_CLIENTS,
    tracing: openInference('llama-index', 'LlamaIndexInstrumentor'),
  },
  {
    id: 'pydantic-ai',
    name: 'Pydantic AI',
    section: 'Pydantic AI',
    packages: ['pydantic-ai', 'pydantic-ai-slim'],
    records: PY_CLIENTS,
    tracing: {
      scope: 'pydantic-ai',
      imports: ['from pydantic_ai import Agent, InstrumentationSettings'],
      code: ['Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))'],
      conversation: ['agent.run_sync(question, conversation_id=session_id, message_history=history)'],
    },
  },
  {
    id: 'google-adk',
    name: 'Google ADK',
    section: 'Google ADK',
    packages: ['google-adk'],
    tracing: {
      scope: 'gcp.vertex.agent',
      env: { [CONTENT]: 'SPAN_ONLY' },
      conversation: ['runner.run_async(user_id=user_id, session_id=session_id, new_message=message)'],
    },
  },
  {
    id: 'strands',
    name: 'Strands Agents',
    section: 'Strands Agents',
    packages: ['strands-agents'],
    records: PY_CLIENTS,
    tracing: {
      conversation: ['Agent(name="my-agent", trace_attributes={"session.id": session_id})'],
    },
  },
  {
    id: 'smolagents',
    name: 'smolagents',
    section: 'smolagents',
    packages: ['smolagents'],
    records: PY_CLIENTS,
    tracing: openInference('smolagents', 'SmolagentsInstrumentor'),
  },
  {
    id: 'agno',
    name: 'Agno',
    section: 'Agno',
    packages: ['agno'],
    records: PY_CLIENTS,
    tracing: openInference('agno', 'AgnoInstrumentor', {
      conversation: ['agent.run(question, session_id=session_id, user_id=user_id)'],
    }),
  },
  {
    id: 'agent-framework',
    name: 'Microsoft Agent Framework',
    section: 'Microsoft Agent Framework',
    packages: ['agent-framework', 'agent-framework-*'],
    records: PY_CLIENTS,
    tracing: {
      scope: 'agent_framework',
      imports: ['from agent_framework.observability import enable_instrumentation'],
      code: ['enable_instrumentation(enable_sensitive_data=True)'],
      conversation: ['trace.get_current_span().set_attribute("gen_ai.conversation.id", session_id)'],
      yours: 'put a span of your own around each turn, which has the conversation id',
    },
  },
  {
    id: 'openai',
    name: 'OpenAI SDK',
    section: 'OpenInference (Arize)',
    packages: ['openai'],
    tracing: pythonClient('openai', 'OpenAIInstrumentor'),
  },
  {
    id: 'anthropic',
    name: 'Anthropic SDK',
    section: 'OpenInference (Arize)',
    packages: ['anthropic'],
    tracing: pythonClient('anthropic', 'AnthropicInstrumentor'),
  },
  { id: 'autogen', name: 'AutoGen', section: 'AutoGen', packages: ['autogen-agentchat'] },
  {
    id: 'semantic-kernel',
    name: 'Semantic Kernel',
    section: 'Semantic Kernel for Python',
    packages: ['semantic-kernel'],
  },
];

const JAVASCRIPT: readonly Omit<Framework, 'language'>[] = [
  {
    id: 'openllmetry-js',
    ...OPENLLMETRY,
    packages: ['@traceloop/node-server-sdk'],
    records: ['*'],
    tracing: {
      ...OPENLLMETRY.tracing,
      conversation: ['await traceloop.withConversation(conversationId, () => run(question));'],
    },
  },
  {
    id: 'ai-sdk',
    name: 'Vercel AI SDK',
    section: 'Vercel AI SDK 7',
    packages: ['ai'],
    isMajor: (major) => major >= 7,
    records: JS_CLIENTS,
    tracing: {
      install: ['@ai-sdk/otel'],
      scope: 'gen_ai',
      imports: ["import { OpenTelemetry } from '@ai-sdk/otel';", "import { registerTelemetry } from 'ai';"],
      code: ['registerTelemetry(new OpenTelemetry({ runtimeContext: true }));'],
      conversation: [
        "generateText({ …, runtimeContext: { sessionId }, telemetry: { functionId: 'my-agent', includeRuntimeContext: { sessionId: true } } });",
      ],
    },
  },
  {
    id: 'ai-sdk-6',
    name: 'Vercel AI SDK',
    section: 'Vercel AI SDK 4 to 6',
    packages: ['ai'],
    isMajor: (major) => major < 7,
    records: JS_CLIENTS,
    tracing: {
      scope: 'ai',
      conversation: [
        "generateText({ …, experimental_telemetry: { isEnabled: true, functionId: 'my-agent', metadata: { sessionId } } });",
      ],
      yours: 'give experimental_telemetry to each call of generateText and streamText: without it, they write no spans',
    },
  },
  {
    id: 'langchain-js',
    name: 'LangChain and LangGraph',
    section: 'OpenInference (Arize)',
    packages: ['langchain', '@langchain/*'],
    records: JS_CLIENTS,
    tracing: {
      install: ['@arizeai/openinference-instrumentation-langchain', '@langchain/core'],
      scope: '@arizeai/openinference-instrumentation-langchain',
      imports: [
        "import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';",
        "import * as callbackManager from '@langchain/core/callbacks/manager';",
      ],
      code: ['new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbackManager);'],
      conversation: ['agent.invoke(…, { metadata: { session_id: sessionId } });'],
    },
  },
  {
    id: 'openai-agents-js',
    name: 'OpenAI Agents SDK',
    section: 'OpenInference (Arize)',
    packages: ['@openai/agents'],
    records: JS_CLIENTS,
    tracing: {
      install: ['@arizeai/openinference-instrumentation-openai-agents', '@arizeai/openinference-core'],
      scope: '@arizeai/openinference-instrumentation-openai-agents',
      imports: [
        "import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents';",
        "import * as agents from '@openai/agents';",
      ],
      code: ['new OpenAIAgentsInstrumentation({ tracerProvider: provider }).manuallyInstrument(agents);'],
      conversation: JS_SESSION,
    },
  },
  {
    id: 'mastra',
    name: 'Mastra',
    section: 'Mastra',
    packages: ['@mastra/core'],
    records: ['ai-sdk', 'ai-sdk-6', ...JS_CLIENTS],
    tracing: {
      install: ['@mastra/otel-exporter', '@mastra/observability', '@opentelemetry/exporter-trace-otlp-proto'],
      scope: '@mastra/otel-exporter',
      exporter: 'own',
      imports: [
        "import { Observability } from '@mastra/observability';",
        "import { OtelExporter } from '@mastra/otel-exporter';",
      ],
      code: [
        "const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces';",
        "const exporter = new OtelExporter({ provider: { custom: { endpoint, protocol: 'http/protobuf' } } });",
        'export const observability = new Observability({',
        '  configs: { assay: { serviceName: process.env.OTEL_SERVICE_NAME, exporters: [exporter] } },',
        '});',
      ],
      conversation: ['agent.generate(question, { memory: { thread: sessionId, resource: userId } });'],
      yours: "import { observability } from './assay-tracing.mjs', and give it to new Mastra({ …, observability })",
    },
  },
  {
    id: 'google-adk-js',
    name: 'Google ADK',
    section: 'Google ADK',
    packages: ['@google/adk'],
    tracing: {
      scope: 'gcp.vertex.agent',
      conversation: ['runner.runAsync({ userId, sessionId, newMessage });'],
    },
  },
  {
    id: 'strands-js',
    name: 'Strands Agents',
    section: 'Strands Agents',
    packages: ['@strands-agents/sdk'],
    records: JS_CLIENTS,
    tracing: {
      conversation: ["new Agent({ name: 'my-agent', traceAttributes: { 'session.id': sessionId } });"],
    },
  },
  {
    id: 'openai-js',
    name: 'OpenAI SDK',
    section: 'OpenInference (Arize)',
    packages: ['openai'],
    tracing: {
      install: ['@arizeai/openinference-instrumentation-openai', '@arizeai/openinference-core'],
      scope: '@arizeai/openinference-instrumentation-openai',
      imports: [
        "import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';",
        "import OpenAI from 'openai';",
      ],
      code: ['new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI);'],
      conversation: JS_SESSION,
      yours: JS_CLIENT_SPANS,
    },
  },
  {
    id: 'anthropic-js',
    name: 'Anthropic SDK',
    section: 'OpenInference (Arize)',
    packages: ['@anthropic-ai/sdk'],
    tracing: {
      install: ['@arizeai/openinference-instrumentation-anthropic', '@arizeai/openinference-core'],
      scope: '@arizeai/openinference-instrumentation-anthropic',
      imports: [
        "import Anthropic from '@anthropic-ai/sdk';",
        "import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';",
      ],
      code: ['new AnthropicInstrumentation({ tracerProvider: provider }).manuallyInstrument(Anthropic);'],
      conversation: JS_SESSION,
      yours: JS_CLIENT_SPANS,
    },
  },
  { id: 'genkit', name: 'Genkit', section: 'Genkit', packages: ['genkit'] },
  { id: 'voltagent', name: 'VoltAgent', section: 'VoltAgent', packages: ['@voltagent/core'] },
  { id: 'beeai', name: 'BeeAI', section: 'BeeAI', packages: ['beeai-framework'] },
  { id: 'llamaindex-js', name: 'LlamaIndex.TS', section: 'LlamaIndex.TS', packages: ['llamaindex'] },
  {
    id: 'claude-agent-sdk',
    name: 'Claude Agent SDK',
    section: 'Claude Code and the Claude Agent SDK',
    packages: ['@anthropic-ai/claude-agent-sdk'],
    records: ['anthropic-js'],
  },
];

export const FRAMEWORKS: readonly Framework[] = [
  ...PYTHON.map((one) => ({ ...one, language: 'python' as const })),
  ...JAVASCRIPT.map((one) => ({ ...one, language: 'javascript' as const })),
];
