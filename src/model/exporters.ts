/**
 * The ledger of evidence: for each exporter, by the scope that it writes, which kinds of evidence it does not send. All
 * rows are of recorded exports (`test/fixtures/` and `npm run conformance`), except those that the configuration adds
 * (`exporters.known`). An exporter in neither may leave out anything: that no tool call is there does not show that none
 * was made.
 */
import { compileGlob } from './glob.ts';
import { remembering } from './remembering.ts';

export const EVIDENCE = [
  /** Calls of tools, as spans or in the messages of model calls. */
  'tools',
  'tool_results',
  'tool_errors',
  'answers',
  'model_calls',
  'usage',
  /** Spans around a whole turn. */
  'roots',
  'conversation_ids',
  /** Why a model stopped. */
  'ends',
] as const;
export type Evidence = (typeof EVIDENCE)[number];

export interface KnownExporter {
  /** Name of the instrumentation scope, or a glob. */
  readonly scope: string;
  readonly lacks: readonly Evidence[];
}

/** Scopes, one or a glob each, and what none of them sends. The first row that fits counts. */
const SHIPPED: readonly (readonly [scopes: readonly string[], lacks: readonly Evidence[]])[] = [
  [['assay', 'assay.*', 'assay/*'], []],
  // SDKs of providers: each model call by itself, with the tools that it asked for and was shown.
  [
    [
      '@traceloop/instrumentation-openai',
      '@traceloop/instrumentation-anthropic',
      '@traceloop/instrumentation-llamaindex',
      '@openlit/instrumentation-openai',
      '@opentelemetry/instrumentation-openai',
      '@arizeai/openinference-instrumentation-openai',
      '@arizeai/openinference-instrumentation-anthropic',
      'openinference.instrumentation.openai',
      'opentelemetry.instrumentation.openai.v1',
      'opentelemetry.instrumentation.openai_v2',
      'opentelemetry.instrumentation.genai.openai',
      'opentelemetry.instrumentation.genai.anthropic',
      'opentelemetry.util.genai.handler',
      'opentelemetry.instrumentation.anthropic',
      'opentelemetry.instrumentation.groq',
      'opentelemetry.instrumentation.ollama',
      'opentelemetry.instrumentation.google_generativeai',
      'opentelemetry.instrumentation.genai.portkey',
      'openinference.instrumentation.anthropic',
      'openinference.instrumentation.google_genai',
      'openinference.instrumentation.groq',
      'openinference.instrumentation.ollama',
      'openinference.instrumentation.mistralai',
      'openinference.instrumentation.together',
      'openinference.instrumentation.litellm',
      'openlit.instrumentation.openai',
      'io.opentelemetry.openai-java-1.1',
      'litellm',
      'semantic_kernel.utils.telemetry.model_diagnostics.decorators',
    ],
    ['roots'],
  ],
  // Agents and their tools, without model calls.
  [
    [
      '@arizeai/openinference-instrumentation-claude-agent-sdk',
      'opentelemetry.instrumentation.agno',
      'opentelemetry.instrumentation.genai.agno',
      'opentelemetry.instrumentation.genai.llama_index',
      'opentelemetry.instrumentation.genai.openai_agents',
      'semantic_kernel.functions.kernel_function',
      'openinference-core',
    ],
    ['model_calls', 'usage', 'ends'],
  ],
  [
    ['openinference.instrumentation.crewai', 'openinference.instrumentation.haystack'],
    ['model_calls', 'ends'],
  ],
  [['autogen-core'], ['tool_results', 'answers', 'model_calls', 'usage', 'ends', 'conversation_ids']],
  // Agents alone; what they do comes from other instrumentations.
  [
    [
      'opentelemetry.instrumentation.crewai.instrumentation',
      'opentelemetry.instrumentation.genai.smolagents',
      'opentelemetry.instrumentation.haystack',
      '@openlit/instrumentation-langgraph',
      'semantic_kernel.utils.telemetry.agent_diagnostics.decorators',
    ],
    ['tools', 'tool_results', 'tool_errors', 'model_calls', 'usage', 'ends', 'conversation_ids'],
  ],
  // Tools of a workflow, and what it was asked and answered.
  [['opentelemetry.instrumentation.llamaindex'], ['model_calls', 'usage', 'ends', 'conversation_ids']],
  [['llamaindex.opentelemetry.tracer'], ['conversation_ids']],
  [['openinference.instrumentation.dspy'], ['usage']],
  [['opentelemetry.instrumentation.ag2', 'haystack'], ['conversation_ids']],
  [
    [
      '@arizeai/openinference-instrumentation-langchain',
      '@arizeai/openinference-instrumentation-openai-agents',
      '@arizeai/openinference-instrumentation-beeai',
      'openinference.instrumentation.agno',
      'openinference.instrumentation.autogen_agentchat',
      'openinference.instrumentation.beeai',
      'openinference.instrumentation.google_adk',
      'opentelemetry.instrumentation.genai.dspy',
      'tanstack-ai',
      'org.springframework.boot',
      'openinference.instrumentation.langchain',
      'openinference.instrumentation.llama_index',
      'openinference.instrumentation.openai_agents',
      'openinference.instrumentation.smolagents',
      'opentelemetry.instrumentation.langchain',
      'opentelemetry.instrumentation.openai_agents',
      'opentelemetry.instrumentation.genai.langchain',
      '@traceloop/node-server-sdk',
      '@traceloop/instrumentation-langchain',
      '@openlit/instrumentation-langchain',
      '@mastra/*',
      '@voltagent/core',
      'genkit-tracer',
      'langfuse-sdk',
      'langsmith',
      'mlflow.tracing.provider',
      'ai',
      'gen_ai',
      'agent_framework',
      'pydantic-ai',
      'strands.telemetry.tracer',
      'com.anthropic.claude_code.tracing',
      'gcp.vertex.agent',
    ],
    [],
  ],
];

export type Sending = 'sent' | 'not_sent' | 'unknown';

export interface Ledger {
  /** Whether any of these scopes is known to write such evidence. */
  sends(scopes: Iterable<string>, evidence: Evidence): Sending;
  knows(scope: string): boolean;
}

export function ledgerOf(known: readonly KnownExporter[]): Ledger {
  const shipped = SHIPPED.flatMap(([scopes, lacks]) => scopes.map((scope) => ({ scope, lacks })));
  const rows = [...known, ...shipped].map(({ scope, lacks }) => ({ matches: compileGlob(scope), lacks }));
  const lacksOf = remembering((scope): readonly Evidence[] | null => {
    return rows.find(({ matches }) => matches(scope))?.lacks ?? null;
  });
  return {
    knows: (scope) => lacksOf(scope) !== null,
    sends: (scopes, evidence) => {
      let sending: Sending = 'unknown';
      let isUnknown = false;
      for (const scope of scopes) {
        const lacks = lacksOf(scope);
        if (lacks === null) isUnknown = true;
        else if (!lacks.includes(evidence)) return 'sent';
        else sending = 'not_sent';
      }
      return isUnknown ? 'unknown' : sending;
    },
  };
}

export const SHIPPED_LEDGER = ledgerOf([]);
