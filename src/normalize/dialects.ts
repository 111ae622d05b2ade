/** The dialects, in the order in which they are asked. The first that knows a field decides it. */
import type { Dialect } from './dialect.ts';
import { ag2 } from './dialects/ag2.ts';
import { agno } from './dialects/agno.ts';
import { assay } from './dialects/assay.ts';
import { associations } from './dialects/associations.ts';
import { autoGen } from './dialects/autogen.ts';
import { beeAi } from './dialects/beeai.ts';
import { codex } from './dialects/codex.ts';
import { flue } from './dialects/flue.ts';
import { GEN_AI_READ_DIFFERENTLY } from './dialects/gen-ai-read-differently.ts';
import { genkit } from './dialects/genkit.ts';
import { googleAdkOpenInference } from './dialects/google-adk-openinference.ts';
import { haystack } from './dialects/haystack.ts';
import { langWatch } from './dialects/langwatch.ts';
import { langfuse } from './dialects/langfuse.ts';
import { liteLlm } from './dialects/litellm.ts';
import { liveKit } from './dialects/livekit.ts';
import { llamaIndex } from './dialects/llama-index.ts';
import { llamaIndexOtel } from './dialects/llama-index-otel.ts';
import { llamaIndexTasks } from './dialects/llama-index-tasks.ts';
import { mastra } from './dialects/mastra.ts';
import { microsoft } from './dialects/microsoft.ts';
import { mcp } from './dialects/mcp.ts';
import { mlflow } from './dialects/mlflow.ts';
import { openInference } from './dialects/openinference.ts';
import { openlit } from './dialects/openlit.ts';
import { otel } from './dialects/otel.ts';
import { otelGenAi } from './dialects/otel-genai.ts';
import { pydanticAi } from './dialects/pydantic-ai.ts';
import { smolagents } from './dialects/smolagents.ts';
import { springAi } from './dialects/spring-ai.ts';
import { tanStack } from './dialects/tanstack.ts';
import { traceloop, traceloopTools } from './dialects/traceloop.ts';
import { vercel } from './dialects/vercel.ts';

export const DIALECTS: readonly Dialect[] = [
  assay,
  ...GEN_AI_READ_DIFFERENTLY,
  ag2,
  haystack,
  liteLlm,
  tanStack,
  springAi,
  agno,
  llamaIndexOtel,
  llamaIndexTasks,
  traceloopTools,
  otelGenAi,
  mcp,
  pydanticAi,
  microsoft,
  mastra,
  vercel,
  langfuse,
  beeAi,
  googleAdkOpenInference,
  llamaIndex,
  autoGen,
  smolagents,
  openInference,
  traceloop,
  mlflow,
  openlit,
  genkit,
  codex,
  liveKit,
  langWatch,
  flue,
  otel,
  associations,
];
