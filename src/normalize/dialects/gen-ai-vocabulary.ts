/** The values of the GenAI conventions and what they mean here. */
import type { StepKind } from '../../model/step.ts';

/** `gen_ai.operation.name`; the second half is not in the conventions but in use. */
export const OPERATIONS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['chat', 'llm'],
  ['text_completion', 'llm'],
  ['generate_content', 'llm'],
  ['fetch_response', 'other'],
  ['realtime_inference', 'llm'],
  ['user_speech', 'step'],
  ['embeddings', 'embedding'],
  ['retrieval', 'retrieval'],
  ['create_agent', 'other'],
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'workflow'],
  ['plan', 'plan'],
  ['execute_tool', 'tool'],
  ['create_memory', 'memory'],
  ['update_memory', 'memory'],
  ['upsert_memory', 'memory'],
  ['delete_memory', 'memory'],
  ['search_memory', 'memory'],
  ['create_memory_store', 'memory'],
  ['delete_memory_store', 'memory'],

  ['agent_step', 'step'],
  ['rerank', 'rerank'],
  ['decide', 'llm'],
  ['completion', 'llm'],
  ['acompletion', 'llm'],
  ['chat.completions', 'llm'],
  ['text.completions', 'llm'],
  ['generate', 'llm'],
  ['response', 'llm'],
  ['execute_event_loop_cycle', 'step'],
  ['execute_node', 'step'],
  ['execute_task', 'step'],
  ['guard', 'guardrail'],
  ['guardrail.run', 'guardrail'],
  ['memory_operation', 'memory'],
  ['vectordb', 'retrieval'],
  ['user_prompt_processing', 'step'],
  ['model_request', 'step'],
  ['tool_coordination', 'step'],
]);

/** Names that `gen_ai.system` had before it became `gen_ai.provider.name`. */
export const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['vertex_ai', 'gcp.vertex_ai'],
  ['gemini', 'gcp.gemini'],
  ['az.ai.inference', 'azure.ai.inference'],
  ['az.ai.openai', 'azure.ai.openai'],
  ['xai', 'x_ai'],
]);
/** Frameworks that write their own name where the provider's belongs. */
export const NOT_PROVIDERS: ReadonlySet<string> = new Set(['strands-agents', 'gcp.vertex.agent', 'autogen']);
